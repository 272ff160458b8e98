package main

import (
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"betcode/messages"
	"betcode/messages/visible"
	"betcode/persistence/audit"
)

// openAudit opens the audit log. Without it no daemon starts.
func (d *daemon) openAudit() (err error) {
	d.audit, err = audit.Open(audit.Options{
		Directory: filepath.Join(d.cfg.StateDir, "audit"), MaxAge: d.cfg.Audit.Age, MaxBytes: d.cfg.Audit.Bytes, Mask: d.mask,
		Failing: d.auditFails, Warn: func(err error) { d.log.Warn().Err(err).Msg("audit log") },
	})
	if err == nil {
		d.components.tell(auditHealth(nil))
		return nil
	}
	return (&messages.Error{Op: "keep audit log", Kind: messages.Unavailable, Err: err}).
		WithHint("no daemon runs without it: make room on the disk, or mend the directory audit in the state directory")
}

// auditFails says that entries cannot be written to the audit log, and why; nil that
// they can again.
func (d *daemon) auditFails(err error) {
	if err != nil {
		d.log.Error().Err(err).Msg("audit log cannot be written")
	} else {
		d.log.Info().Msg("audit log can be written again")
	}
	d.components.tell(auditHealth(err))
}

func auditHealth(err error) messages.ComponentHealth {
	c := messages.ComponentHealth{Name: "audit_log", Serving: err == nil}
	if err != nil {
		c.State, c.Message = "audit_log_failing", err.Error()
		c.Reason, c.Impact = "Audit log cannot be written", "What is decided meanwhile is counted there, and not told"
	}
	return c
}

// masked hides the secrets that the daemon was given from what is written to its log.
func (d *daemon) masked(w io.Writer) io.Writer { return maskedWriter{w, d.mask} }

type maskedWriter struct {
	to   io.Writer
	mask *audit.Masker
}

// Write implements io.Writer for whole lines.
func (w maskedWriter) Write(line []byte) (int, error) {
	if _, err := io.WriteString(w.to, escaped(w.mask.Known(string(line)))); err != nil {
		return 0, err
	}
	return len(line), nil
}

// escaped escapes, as JSON has it, what a terminal would obey or people would not see: JSON itself
// escapes the control characters of ASCII alone.
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

// secretNames are how variables are called that hold secrets.
var secretNames = regexp.MustCompile(`(?i)(key|token|secret|passw(or)?d|passphrase|credentials?)(_|$)`)

// heldSecrets are the secrets in an environment, by the names of their variables.
// What names a file is none.
func heldSecrets(environ []string) []string {
	var found []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if secretNames.MatchString(name) && !filepath.IsAbs(value) {
			found = append(found, value)
		}
	}
	return found
}
