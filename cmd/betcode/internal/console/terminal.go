package console

import (
	"os"

	"golang.org/x/term"
)

// Terminal says which of the standard streams are terminals.
type Terminal struct {
	In, Out, Err bool
	Colour       bool // standard output may be coloured
}

// lookAt examines the streams. NO_COLOR and TERM=dumb switch colours off.
func lookAt(stdin, stdout, stderr any) Terminal {
	t := Terminal{In: isTerminal(stdin), Out: isTerminal(stdout), Err: isTerminal(stderr)}
	t.Colour = t.Out && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return t
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Style wraps text in escape sequences; false leaves text as it is.
type Style bool

func (s Style) wrap(code, text string) string {
	if !s || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Bold returns text in bold.
func (s Style) Bold(text string) string { return s.wrap("1", text) }

// Dim returns text in a faint colour.
func (s Style) Dim(text string) string { return s.wrap("2", text) }

// Red returns text in red.
func (s Style) Red(text string) string { return s.wrap("31", text) }

// Green returns text in green.
func (s Style) Green(text string) string { return s.wrap("32", text) }

// Yellow returns text in yellow.
func (s Style) Yellow(text string) string { return s.wrap("33", text) }
