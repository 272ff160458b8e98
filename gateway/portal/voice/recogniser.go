package voice

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

const (
	maxResult  = 8 << 10 // bytes of a text
	maxResults = 1000
	maxOutput  = 1 << 20 // bytes of all output of a recogniser
)

// PCM is the type of the audio of pages: signed 16 bit, little endian, mono, 16 kHz.
const PCM = "audio/L16;rate=16000;channels=1"

// Audio is a recording in progress.
type Audio struct {
	io.Reader        // ends with the recording
	Type      string // its media type
	Language  string // such as "en-US"; empty = not known
}

// Result is a piece of recognised text.
type Result struct {
	Text       string
	Final      bool // it will not change
	Confidence float64
}

// Recogniser converts recordings to text.
type Recogniser interface {
	// Recognise converts one recording, and calls say with each result. It returns after the last result, when ctx
	// ends, or with an error.
	Recognise(ctx context.Context, a Audio, say func(Result)) error
}

// startError is a failure to start a recogniser.
type startError struct{ error }

// Unwrap returns the reason.
func (e startError) Unwrap() error { return e.error }

var errTooMuch = errors.New("the recogniser writes too much")

// results reads the output of a recogniser: on each line an object with text, final and confidence, or a final text.
func results(from io.Reader, say func(Result)) error {
	in := bufio.NewScanner(&bounded{from: from, left: maxOutput})
	in.Buffer(make([]byte, 0, 4<<10), 8*maxResult)
	for n := 0; in.Scan(); {
		r, ok := parse(in.Bytes())
		if !ok {
			continue
		}
		if n++; n > maxResults {
			return errTooMuch
		}
		say(r)
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return errTooMuch
	}
	return in.Err()
}

// parse reads one line; false if it has no text.
func parse(line []byte) (Result, bool) {
	line = bytes.TrimSpace(line)
	r := Result{Final: true}
	if !bytes.HasPrefix(line, []byte("{")) {
		r.Text = clean(string(line))
		return r, r.Text != ""
	}
	var said struct {
		Text       string  `json:"text"`
		Final      *bool   `json:"final"`
		Confidence float64 `json:"confidence"`
	}
	if json.Unmarshal(line, &said) != nil {
		return r, false
	}
	r.Text, r.Confidence = clean(said.Text), min(max(said.Confidence, 0), 1)
	if said.Final != nil {
		r.Final = *said.Final
	}
	return r, r.Text != ""
}

// clean removes unreadable characters from a text, and cuts it at the limit.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r) || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, text)
	if len(text) > maxResult {
		text = strings.ToValidUTF8(text[:maxResult], "")
	}
	return strings.TrimSpace(text)
}

// bounded is a reader that fails after a number of bytes.
type bounded struct {
	from io.Reader
	left int
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooMuch
	}
	n, err := b.from.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// head is a writer that keeps the beginning of its input.
type head struct{ kept []byte }

// Write implements io.Writer.
func (h *head) Write(p []byte) (int, error) {
	h.kept = append(h.kept, p[:min(len(p), 1<<10-len(h.kept))]...)
	return len(p), nil
}

// because adds the output of a program to an error.
func (h *head) because(err error) error {
	if output := clean(string(h.kept)); err != nil && output != "" {
		return fmt.Errorf("%w: %s", err, output)
	}
	return err
}
