package main

import (
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
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
// cursor, change the title or answer for the user is shown, not obeyed.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return -1
		case unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			return '·'
		case r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069': // turns the direction of writing
			return '·'
		}
		return r
	}, strings.ToValidUTF8(text, "·"))
}

// printableLine is the same on one line.
func printableLine(text string) string {
	return strings.Join(strings.Fields(printable(text)), " ")
}

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
