// Package markdown renders Markdown as rows for a terminal.
//
// goldmark reads the text; HTML in it stays text. The rows are built here from its tree: each row is complete in itself, so
// that the caller may cut, indent and print rows in any order. The only escape sequences are colours and attributes, which
// follow from the palette of 16 colours and therefore suit a dark and a light background. Hidden and control characters of the
// text are shown; a character reference that names one stays a reference.
//
// No row is wider than asked for, and the work is bounded by the length of the text.
package markdown
