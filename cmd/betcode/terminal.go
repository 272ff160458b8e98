package main

import (
	"os"
	"strings"

	"golang.org/x/term"

	"betcode/messages/visible"
)

// terminal is what is known about the three standard streams.
type terminal struct {
	in, out, err bool // a person is at the other end
	colour       bool // of standard output
	width        int  // of standard output; 0 = unknown
}

// lookAt finds out. NO_COLOR and TERM=dumb are honoured.
func lookAt(stdin, stdout, stderr any) terminal {
	t := terminal{in: isTerminal(stdin), out: isTerminal(stdout), err: isTerminal(stderr)}
	t.colour = t.out && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if f, ok := stdout.(*os.File); ok && t.out {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			t.width = width
		}
	}
	return t
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// style wraps text for the terminal.
type style bool

func (s style) wrap(code, text string) string {
	if !s || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(text string) string   { return s.wrap("1", text) }
func (s style) dim(text string) string    { return s.wrap("2", text) }
func (s style) red(text string) string    { return s.wrap("31", text) }
func (s style) green(text string) string  { return s.wrap("32", text) }
func (s style) yellow(text string) string { return s.wrap("33", text) }

// printable is text of an agent made safe for a terminal: what could move the
// cursor, change the title, answer for the user, or is not seen, is shown as an
// escape and not obeyed.
func printable(text string) string { return visible.Output(text) }

// printableLine is the same on one line.
func printableLine(text string) string {
	return visible.Line(strings.Join(strings.FieldsFunc(text, blank), " "))
}

func blank(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }

// shorten cuts text to at most n runes.
func shorten(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	if n < 1 {
		return ""
	}
	return string(runes[:n-1]) + "…"
}

// attended reports whether a person can be asked on this terminal now: standard input
// is a terminal, and this process is in its foreground.
func (p *program) attended() bool {
	f, ok := p.stdin.(*os.File)
	return p.terminal.in && (!ok || inForeground(f))
}
