package wire

import (
	"unicode/utf8"

	"github.com/google/uuid"

	"betcode/messages/toolcall"
	"betcode/messages/visible"
)

// Printable returns text that a client has chosen as one short line for a log.
func Printable(s string) string {
	const most = 200
	return toolcall.Cut(visible.Line(toolcall.Cut(s, most)), most)
}

// Clip shortens text that a client has chosen for the text of an error.
func Clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	for s = s[:most]; !utf8.ValidString(s); {
		s = s[:len(s)-1]
	}
	return s + "…"
}

// CanonicalUUID returns s in lower case if it is a UUID in the usual form of 36 characters, else "".
func CanonicalUUID(s string) string {
	if len(s) != 36 {
		return ""
	}
	id, err := uuid.Parse(s)
	if err != nil {
		return ""
	}
	return id.String()
}
