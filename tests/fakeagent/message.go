package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// version is the Claude Code imitated.
const version = "2.1.330"

// message is a user message that was read.
type message struct {
	uuid     string
	text     string
	human    bool // origin.kind is human
	priority string
	raw      json.RawMessage // its content, for the echo
}

// complaintError is printed on stderr before the process ends; the texts are exactly those of the
// real one.
type complaintError string

func (e complaintError) Error() string { return string(e) }

func complain(format string, args ...any) error {
	return complaintError(fmt.Sprintf(format, args...))
}

// userLine is a stdin line of type user.
type userLine struct {
	UUID     string
	Priority string
	Origin   struct{ Kind string }
	Message  *struct {
		Role    any
		Content json.RawMessage
	}
}

// contentOf reads message content, a string or a list of blocks: the text of the
// text blocks, and how many tool results there are.
func contentOf(raw json.RawMessage) (text string, results int) {
	if json.Unmarshal(raw, &text) == nil {
		return text, 0
	}
	var blocks []struct{ Type, Text string }
	if json.Unmarshal(raw, &blocks) != nil {
		return "", 0
	}
	var texts []string
	for _, b := range blocks {
		switch b.Type {
		case "text":
			texts = append(texts, b.Text)
		case "tool_result":
			results++
		}
	}
	return strings.Join(texts, "\n"), results
}

// isContent reports whether the real one starts a turn for this content; a number,
// for example, is swallowed.
func isContent(raw json.RawMessage) bool {
	var s string
	var l []json.RawMessage
	return json.Unmarshal(raw, &s) == nil || json.Unmarshal(raw, &l) == nil
}

// newUUID returns a random UUID. Reading the system's randomness cannot fail.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// newID returns an id in the form of the API, such as "toolu_…".
func newID(prefix string) string { return prefix + strings.ReplaceAll(newUUID(), "-", "")[:20] }

func timestamp() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }
