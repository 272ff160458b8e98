package talk

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"
)

// editor assembles lines from the bytes of a terminal, without the limit of the terminal's own line editing (4,095 bytes). Text
// between the marks of a bracketed paste is part of the line, with its line ends. It is plain data: bytes go in, lines and text
// to echo come out.
type editor struct {
	text    []byte
	long    bool   // the line has become too long
	escape  []byte // an incomplete escape sequence
	pasting bool   // between the marks
	pasted  bool   // the line contains pasted text
	first   time.Time
	before  time.Time // the last key before first
	last    time.Time
}

// The marks of a bracketed paste, and the sequences that switch them on and off.
const (
	pasteBegins, pasteEnds = "\x1b[200~", "\x1b[201~"
	pasteOn, pasteOff      = "\x1b[?2004h", "\x1b[?2004l"
)

// typed is the result of a chunk of input.
type typed struct {
	lines []Line
	echo  []byte
	ended bool // Ctrl-D on an empty line
}

// feed takes the bytes of one read.
func (e *editor) feed(chunk []byte, now time.Time) typed {
	var out typed
	begun := len(e.text) > 0 || e.pasted // the line began before this chunk
	for _, b := range chunk {
		switch {
		case len(e.escape) > 0 || b == 0x1b:
			e.sequence(b)
		case e.pasting:
			e.add(b, now, &out)
			e.pasted = true
		case (b == '\n' || b == '\r') && bytes.HasSuffix(e.text, []byte{'\\'}): // the line goes on
			e.text[len(e.text)-1] = '\n'
			out.echo = append(out.echo, '\n')
		case b == '\n' || b == '\r':
			out.lines = append(out.lines, e.take(!begun, now))
			out.echo = append(out.echo, '\n')
			begun = false
		case b == 0x04 && len(e.text) == 0:
			out.ended = true
			return out
		default:
			e.key(b, now, &out)
		}
	}
	e.last = now
	return out
}

// key handles a key other than Enter.
func (e *editor) key(b byte, now time.Time, out *typed) {
	switch {
	case b == 0x7f || b == 0x08:
		e.rub(1, out)
	case b == 0x15: // Ctrl-U
		e.rub(utf8.RuneCount(e.text), out)
	case b == 0x17: // Ctrl-W
		kept := strings.TrimRight(string(e.text), " ")
		kept = kept[:strings.LastIndexAny(kept, " \n")+1]
		e.rub(utf8.RuneCount(e.text)-utf8.RuneCountInString(kept), out)
	case b >= 0x20 || b == '\t':
		e.add(b, now, out)
	}
}

// add appends a byte of text.
func (e *editor) add(b byte, now time.Time, out *typed) {
	if b == '\r' {
		b = '\n'
	}
	if len(e.text) == 0 && !e.long {
		e.first, e.before = now, e.last
	}
	if e.long = e.long || len(e.text) >= maxLineBytes; !e.long {
		e.text = append(e.text, b)
	}
	if b >= 0x20 || b == '\n' || b == '\t' {
		out.echo = append(out.echo, b)
	}
}

// rub removes the last n runes.
func (e *editor) rub(n int, out *typed) {
	for ; n > 0 && len(e.text) > 0; n-- {
		r, width := utf8.DecodeLastRune(e.text)
		e.text = e.text[:len(e.text)-width]
		if r != '\n' {
			out.echo = append(out.echo, "\b \b"...)
		}
	}
	if len(e.text) == 0 {
		e.pasted, e.long = false, false
	}
}

// sequence collects an escape sequence. Only the marks of a paste have an effect; other keys, such as arrows, have none.
func (e *editor) sequence(b byte) {
	e.escape = append(e.escape, b)
	s := e.escape
	switch {
	case len(s) == 1:
		return
	case len(s) == 2 && (b == '[' || b == 'O'):
		return
	case s[1] == '[' && len(s) < 32 && (b < 0x40 || b > 0x7e):
		return
	case bytes.Equal(s, []byte(pasteBegins)):
		e.pasting, e.pasted = true, true
	case bytes.Equal(s, []byte(pasteEnds)):
		e.pasting = false
	}
	e.escape = nil
}

// take ends the line. burst means that its first key and Enter came in one read, so it was not typed.
func (e *editor) take(burst bool, now time.Time) Line {
	l := Line{text: string(e.text), tooLong: e.long, typed: true, pasted: e.pasted || burst && len(e.text) > 0, first: e.first, before: e.before}
	if len(e.text) == 0 && !e.long {
		l.first, l.before = now, e.last
	}
	if e.long {
		l.text = ""
	}
	if e.pasted {
		l.text = strings.TrimRight(l.text, "\n")
	}
	e.text, e.long, e.pasted = nil, false, false
	e.last = now
	return l
}
