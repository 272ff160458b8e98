package host

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

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
	if _, err := io.WriteString(w.to, escaped(w.mask.Known(string(line)))); err != nil {
		return 0, err
	}
	return len(line), nil
}

// escaped escapes, as JSON strings do, runes that a terminal would obey or a person would not see. JSON itself escapes
// only the control characters of ASCII.
func escaped(line string) string {
	hidden := func(r rune) bool { return r >= 0x7f && r != utf8.RuneError && visible.Hidden(r) }
	if strings.IndexFunc(line, hidden) < 0 {
		return line
	}
	var out strings.Builder
	for _, r := range line {
		if !hidden(r) {
			out.WriteRune(r)
			continue
		}
		for _, half := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&out, `\u%04x`, half)
		}
	}
	return out.String()
}
