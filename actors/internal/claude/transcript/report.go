package transcript

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"
)

// Ends of a turn that are not stop reasons of the API, as in TurnComplete.
const (
	Cancelled = "cancelled"
	Failed    = "error"
)

// maxPrompts bounds the prompts of a [Report]: the newest ones.
const maxPrompts = 4096

// maxPromptKey bounds the key of a [Prompt], in bytes. Keys of this daemon and of agents are UUIDs; a record with a longer one is no
// message of either.
const maxPromptKey = 160

// maxEndText bounds the text of an [End], in bytes.
const maxEndText = 64 << 10

// Report is what a transcript shows of a conversation.
type Report struct {
	Known   map[string]bool // which of the requested messages are part of it
	End     End             // how its newest turn ended; zero while it runs, and if the transcript does not show it
	Prompts []Prompt        // messages of people, oldest first
}

// End is the end of a turn.
type End struct {
	Reason string // end_turn, stop_sequence, cancelled or error
	Text   string // the last text of the agent, or its error
}

// Prompt is a message that began a turn.
type Prompt struct {
	Key string
	At  time.Time // zero if the record does not have it
}

// Newest returns the time when the last message began a turn, zero if that is not known.
func (r *Report) Newest() time.Time {
	if len(r.Prompts) == 0 {
		return time.Time{}
	}
	return r.Prompts[len(r.Prompts)-1].At
}

// Since returns the prompts behind the newest one that is known, oldest first.
func (r *Report) Since(known func(key string) (bool, error)) ([]Prompt, error) {
	for i := len(r.Prompts); i > 0; i-- {
		if r.Known[r.Prompts[i-1].Key] {
			return r.Prompts[i:], nil
		}
		switch is, err := known(r.Prompts[i-1].Key); {
		case err != nil:
			return nil, err
		case is:
			return r.Prompts[i:], nil
		}
	}
	return r.Prompts, nil
}

// Read returns the report of a transcript, with the messages under these keys.
//
// A turn has ended if the last record of the conversation is an answer of the model without a tool call, or the mark of an interrupt.
// An agent that is resumed then continues nothing. A record that is torn or not understood shows no end.
func Read(transcript io.Reader, keys []string) (Report, error) {
	found := Report{Known: map[string]bool{}}
	var last []byte
	err := records(transcript, func(line []byte) {
		for _, key := range keys {
			if !found.Known[key] && bytes.Contains(line, []byte(key)) && holds(line, key) {
				found.Known[key] = true
			}
		}
		kind := kindOf(line)
		if kind == "" {
			return
		}
		last = append(last[:0], line...)
		if kind != "user" {
			return
		}
		if p, ok := promptOf(line); ok {
			found.Prompts = append(found.Prompts, p)
			if len(found.Prompts) > 2*maxPrompts {
				found.Prompts = slices.Clone(found.Prompts[len(found.Prompts)-maxPrompts:])
			}
		}
	})
	found.End = endOf(last)
	found.Prompts = found.Prompts[max(0, len(found.Prompts)-maxPrompts):]
	return found, err
}

// kindOf returns the type of a record that is part of the conversation: user, assistant, or attachment for a message that was folded
// into a turn. It is empty for others. In a text of the record, quotes are escaped.
func kindOf(line []byte) string {
	has := func(s string) bool { return bytes.Contains(line, []byte(s)) }
	switch {
	case has(`"isSidechain":true`):
	case has(`"type":"user"`):
		return "user"
	case has(`"type":"assistant"`):
		return "assistant"
	case has(`"type":"attachment"`) && has(`"type":"queued_command"`):
		return "attachment"
	}
	return ""
}

// message has the members that are read of a record.
type message struct {
	Type      string    `json:"type"`
	UUID      string    `json:"uuid"`
	At        time.Time `json:"timestamp"`
	Meta      bool      `json:"isMeta"`
	Summary   bool      `json:"isCompactSummary"`
	APIError  bool      `json:"isApiErrorMessage"`
	Sidechain bool      `json:"isSidechain"`
	Message   struct {
		StopReason string          `json:"stop_reason"`
		Content    json.RawMessage `json:"content"`
	} `json:"message"`
}

// text returns the texts of a message, and whether it has nothing but texts and attachments: a tool's result is no message of a person.
func (m *message) text() (text string, whole bool) {
	if json.Unmarshal(m.Message.Content, &text) == nil {
		return text, true
	}
	var blocks []struct{ Type, Text string }
	if json.Unmarshal(m.Message.Content, &blocks) != nil {
		return "", false
	}
	var all strings.Builder
	for _, b := range blocks {
		if b.Type == "tool_result" {
			return "", false
		}
		all.WriteString(b.Text)
	}
	return all.String(), true
}

// notPrompts begin texts of user records that are not from a person.
var notPrompts = []string{interrupted, "<local-command-", "<command-name>", "<command-message>", "<task-notification"}

const interrupted = "[Request interrupted by user"

// promptOf returns the message of a person in a user record; false if it has none.
func promptOf(line []byte) (Prompt, bool) {
	var m message
	if json.Unmarshal(line, &m) != nil || m.Type != "user" || m.UUID == "" || len(m.UUID) > maxPromptKey || m.Meta || m.Summary || m.Sidechain {
		return Prompt{}, false
	}
	text, whole := m.text()
	if !whole || slices.ContainsFunc(notPrompts, func(s string) bool { return strings.HasPrefix(text, s) }) {
		return Prompt{}, false
	}
	return Prompt{m.UUID, m.At}, true
}

// endOf returns how the turn of the last record ended.
func endOf(line []byte) End {
	var m message
	if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, &m) != nil {
		return End{}
	}
	text, _ := m.text()
	text = text[:min(len(text), maxEndText)]
	switch {
	case m.Type == "user" && strings.HasPrefix(text, interrupted):
		return End{Reason: Cancelled}
	case m.Type != "assistant" || m.Message.StopReason != "end_turn" && m.Message.StopReason != "stop_sequence":
		return End{}
	case m.APIError:
		return End{Failed, text}
	}
	return End{m.Message.StopReason, text}
}
