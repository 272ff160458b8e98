package host

import (
	"io"

	"betcode/messages/masking"
	"betcode/messages/visible"
)

// masked returns a writer that hides the secrets of the daemon's environment.
func (d *daemon) masked(w io.Writer) io.Writer { return maskedWriter{w, d.mask} }

type maskedWriter struct {
	to   io.Writer
	mask *masking.Masker
}

// Write implements io.Writer for whole lines.
func (w maskedWriter) Write(line []byte) (int, error) {
	if _, err := io.WriteString(w.to, visible.JSON(w.mask.Known(string(line)))); err != nil {
		return 0, err
	}
	return len(line), nil
}
