package console

import (
	"os"
	"strconv"

	"golang.org/x/term"
)

// Terminal has the properties of the standard streams that are terminals.
type Terminal struct {
	In, Out, Err bool
	Colour       bool // standard output may be coloured
	Width        int  // columns of standard output, or COLUMNS for a pipe; 0 is unknown
}

// lookAt examines the streams. NO_COLOR and TERM=dumb switch colours off.
func lookAt(stdin, stdout, stderr any) Terminal {
	t := Terminal{In: isTerminal(stdin), Out: isTerminal(stdout), Err: isTerminal(stderr)}
	t.Colour = t.Out && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	t.Width = widthOf(stdout)
	return t
}

// widthOf returns the number of columns of a terminal. COLUMNS wins, so that a person can choose the width of a pipe.
func widthOf(stdout any) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f, ok := stdout.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
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

// Accent returns text in the colour of a person's messages.
func (s Style) Accent(text string) string { return s.wrap("36", text) }
