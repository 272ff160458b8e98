package proxied

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

// MaxLine bounds a line, in bytes. Of a longer one the history has its length.
const MaxLine = 20 << 20

// Lines is what a session has of the output of an agent that runs under a proxy. The zero value has nothing.
type Lines struct {
	ledger     ledger
	translator claude.State
}

// Load returns the state that was appended with a cursor.
func Load(c messages.Cursor) (Lines, error) {
	ledger, err := parseLedger(c.Lines)
	if err != nil {
		return Lines{}, err
	}
	translator, err := claude.ParseState(c.Translator)
	return Lines{ledger, translator}, err
}

// Ledger and Translator return the encoded state, for the journal.
func (l Lines) Ledger() []byte { return l.ledger.marshal() }

// Translator returns the encoded state of the translator.
func (l Lines) Translator() []byte { return l.translator.Marshal() }

// InTurn reports whether a turn has begun and is not over.
func (l Lines) InTurn() bool { return l.translator.InTurn() }

// Take translates a line, unless the session has it.
func (l Lines) Take(m messages.ProxyLine, waiting []Prompt, at time.Time) (next Lines, taken Taken) {
	if m.Counted {
		ledger, fresh := l.ledger.take(m.Seq, m.Line)
		if !fresh {
			return l, Taken{Known: true}
		}
		l.ledger = ledger
	}
	if len(m.Line) > MaxLine {
		translator, items := claude.TranslateTorn(l.translator, fmt.Appendf(nil, "a line of %d bytes was cut out", len(m.Line)), at)
		l.translator = translator
		return l, Taken{Items: items}
	}
	if key, echoed := echo(m.Line, waiting); echoed {
		return l, Taken{Echo: key}
	}
	if items, ok := portalItems(m.Line, at); ok {
		return l, Taken{Items: items}
	}
	translator, items := claude.Translate(l.translator, m.Line, at)
	l.translator = translator
	return l, Taken{Items: items}
}

// Taken is what became of a line.
type Taken struct {
	Known bool          // the session has it
	Echo  string        // key of the message that it repeats; it means nothing else
	Items []claude.Item // what it means
}

// Ask translates a permission request, as if the agent had written it itself.
func (l Lines) Ask(m messages.ProxyAsked, at time.Time) (Lines, []claude.Item) {
	line, err := json.Marshal(asking{Type: "control_request", ID: string(m.Request), Request: askingRequest{
		Subtype: "can_use_tool", Tool: m.Tool, Input: valid(m.Input, "{}"), Suggestions: valid(m.Suggestions, "null"),
	}})
	if err != nil {
		panic("encode permission request: " + err.Error()) // texts and JSON that was found valid
	}
	translator, items := claude.Translate(l.translator, line, at)
	l.translator = translator
	return l, items
}

// nameOf names a request by its id and its content: some agents count their requests from the beginning again.
func nameOf(m messages.ProxyAsked) string {
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(m.Tool), m.Input, m.Suggestions} {
		_ = binary.Write(sum, binary.BigEndian, uint64(len(part))) // a hash does not fail
		sum.Write(part)
	}
	return fmt.Sprintf("%s %x", m.Request, sum.Sum(nil)[:hashBytes])
}

type asking struct {
	Type    string        `json:"type"`
	ID      string        `json:"request_id"`
	Request askingRequest `json:"request"`
}

type askingRequest struct {
	Subtype     string          `json:"subtype"`
	Tool        string          `json:"tool_name"`
	Input       json.RawMessage `json:"input"`
	Suggestions json.RawMessage `json:"permission_suggestions"`
}

// valid returns JSON, or a default if it is none.
func valid(raw []byte, otherwise string) json.RawMessage {
	if len(raw) == 0 || !json.Valid(raw) {
		return json.RawMessage(otherwise)
	}
	return raw
}

// End ends what the agent has left open, because the session has ended.
func (l Lines) End(at time.Time) (Lines, []claude.Item) {
	translator, items := claude.EndRun(l.translator, at)
	l.translator = translator
	return l, items
}

// Prompt is a message that the agent has got, or may have, and not repeated yet.
type Prompt struct{ Key, Content string }

// loopSuffix begins what a proxy appends to a prompt that it repeats until the work is done.
const loopSuffix = "\n\nTake action on the directions above until fully complete."

// repeats reports whether a text that the agent repeats is this message.
func (p Prompt) repeats(text string) bool {
	return text == p.Content || strings.HasPrefix(text, p.Content+loopSuffix)
}

// echo returns the key of the oldest message that a line repeats. Agents repeat each prompt as a message of the user; proxies that
// re-serialise lines drop its uuid and its mark, so the text decides.
func echo(line []byte, waiting []Prompt) (key string, echoed bool) {
	if len(waiting) == 0 {
		return "", false
	}
	text, ok := promptOf(line)
	if !ok {
		return "", false
	}
	for _, p := range waiting {
		if p.repeats(text) {
			return p.Key, true
		}
	}
	return "", false
}

// promptOf returns the text of a line that is a message of the user with nothing but text.
func promptOf(line []byte) (string, bool) {
	var l struct {
		Type    string `json:"type"`
		Parent  string `json:"parent_tool_use_id"`
		Message struct {
			Content json.RawMessage `json:"content"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &l) != nil || l.Type != "user" || l.Parent != "" {
		return "", false
	}
	var text string
	if json.Unmarshal(l.Message.Content, &text) == nil {
		return text, text != ""
	}
	var blocks []struct{ Type, Text string }
	if json.Unmarshal(l.Message.Content, &blocks) != nil || len(blocks) == 0 {
		return "", false
	}
	var b strings.Builder
	for _, block := range blocks {
		if block.Type != "text" {
			return "", false
		}
		b.WriteString(block.Text)
	}
	return b.String(), true
}

// OfHost reports whether an item belongs to the control protocol between an agent and its host. The host is the proxy: what the
// session is to know of it comes in frames of their own, which are bounded. In a line it is nothing.
func OfHost(item claude.Item) bool {
	switch item.(type) {
	case claude.PermissionAsked, claude.PermissionWithdrawn, claude.ControlAsked, claude.ControlAnswered:
		return true
	}
	return false
}
