package talk

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/inbox"
)

// maxLineBytes is the longest message that the daemon takes. A longer line is refused as a whole.
const maxLineBytes = 3 << 20

// quietBefore is how long the keyboard must have been silent, with the question on the screen, before a key can begin an
// answer. Pasted text, and keys typed for something else, come without such a pause.
const quietBefore = 400 * time.Millisecond

// Line is one message that was typed, pasted, or read from a file or a pipe.
type Line struct {
	text    string
	tooLong bool // it has more than maxLineBytes; text is empty

	typed  bool      // from a terminal, so that the times and pasted are set
	pasted bool      // a part of it was pasted, or it came as one burst
	first  time.Time // its first key
	before time.Time // the key before that; zero if there was none
}

// deliberate reports whether a line can be an answer to a question that was shown at some time. Lines of a file or a pipe
// always can, since they are read one by one; so can commands with a slash, which are not pasted by accident. The answer
// to a question may be pasted, the permission for a tool may not.
func (l Line) deliberate(r *inbox.Request, shown time.Time) bool {
	if !l.typed || strings.HasPrefix(strings.TrimSpace(l.text), "/") {
		return true
	}
	if l.pasted && r.Permission != nil {
		return false
	}
	return l.first.Sub(shown) >= quietBefore && l.first.Sub(l.before) >= quietBefore
}

// notDeliberate tells a person that a line was not taken as an answer.
const notDeliberate = "Not taken as an answer: it was pasted, or typed before the question was on the screen for a moment. " +
	"Press the key and Enter again, or type /allow, /always or /deny TEXT."

// tooLongText tells a person that a line was refused for its length.
func tooLongText() string {
	return fmt.Sprintf("Not sent: the line has more than %s. A file can be attached by its name in the text.", console.Size(maxLineBytes))
}

// Keyboard provides lines, from a terminal, a file or a pipe.
type Keyboard struct {
	lines    chan Line
	terminal *terminalReader // nil unless a person's keys are read one by one
}

// OpenKeyboard begins to read standard input. It echoes what is typed on a terminal. The caller calls Close.
func OpenKeyboard(c *console.Console) *Keyboard {
	k := &Keyboard{lines: make(chan Line)}
	in, isFile := c.Stdin.(*os.File)
	if screen := echoScreen(c); isFile && c.Terminal.In && screen != nil && terminalModes {
		k.terminal = newTerminalReader(in, screen, k.lines)
		return k
	}
	go readLines(c.Stdin, c.Terminal.In, k.lines)
	return k
}

// echoScreen returns the stream that is a terminal; nil if none is.
func echoScreen(c *console.Console) io.Writer {
	switch {
	case c.Terminal.Out:
		return c.Stdout
	case c.Terminal.Err:
		return c.Stderr
	}
	return nil
}

// Lines returns the channel of typed lines. It is closed at the end of input.
func (k *Keyboard) Lines() <-chan Line { return k.lines }

// Prompt shows a prompt, and the unfinished line behind it.
func (k *Keyboard) Prompt(w io.Writer, prompt string) { k.redraw(w, prompt) }

// Text is the line; empty for one that is too long.
func (l Line) Text() string { return l.text }

// Close restores the terminal. The goroutine that reads a pipe ends with the pipe.
func (k *Keyboard) Close() {
	if k.terminal != nil {
		k.terminal.close()
	}
}

// discard drops an unfinished line, as Ctrl-C does.
func (k *Keyboard) discard() {
	if k.terminal != nil {
		k.terminal.discard()
	}
}

// redraw writes the prompt and the unfinished line behind it in one write.
func (k *Keyboard) redraw(w io.Writer, prompt string) {
	if k == nil || k.terminal == nil {
		fmt.Fprint(w, prompt)
		return
	}
	k.terminal.redraw(w, prompt)
}

// readLines sends the lines of r until its end. typed means that r is a terminal whose keys cannot be read one by one; a line
// then has the time of its read.
func readLines(r io.Reader, typed bool, lines chan<- Line) {
	defer close(lines)
	in := bufio.NewReader(r)
	var last time.Time
	for {
		text, long, err := readLine(in)
		now := time.Now()
		if err == nil || text != "" || long {
			lines <- Line{text: text, tooLong: long, typed: typed, first: now, before: last}
		}
		last = now
		if err != nil {
			return
		}
	}
}

// readLine reads up to the end of a line. It drops the text of a line that is too long.
func readLine(in *bufio.Reader) (text string, long bool, err error) {
	var b strings.Builder
	for {
		part, err := in.ReadSlice('\n')
		if long = long || b.Len()+len(part) > maxLineBytes+len("\r\n"); !long {
			b.Write(part)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		text = strings.TrimRight(b.String(), "\r\n")
		if long || len(text) > maxLineBytes {
			return "", true, err
		}
		return text, false, err
	}
}
