package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"sync"
	"time"
	"unicode/utf8"
)

// Reasons of a RawLine.
const (
	reasonNotJSON   = "not JSON"
	reasonNotUTF8   = "invalid UTF-8"
	reasonNoObject  = "not an object"
	reasonNoType    = "no type"
	reasonType      = "unknown type"
	reasonSubtype   = "unknown subtype"
	reasonShape     = "unexpected shape"
	reasonBlock     = "unknown block"
	reasonEvent     = "unknown stream event"
	reasonState     = "unknown state"
	reasonTruncated = "truncated"
	reasonNoID      = "no request id"
)

// Translate turns one complete line of the agent's output, without its newline,
// into its meaning. It never fails and never panics; it keeps nothing of line.
// The time becomes the timestamp of the drafts.
func Translate(s State, line []byte, at time.Time) (State, []Item) {
	return AppendTranslated(nil, s, line, at)
}

// AppendTranslated is [Translate] for many lines: it appends to items.
func AppendTranslated(items []Item, s State, line []byte, at time.Time) (State, []Item) {
	line = bytes.TrimRight(line, "\r\n")
	if len(bytes.TrimSpace(line)) == 0 {
		return s, items
	}
	t := scratch.Get().(*translation)
	t.s, t.at, t.raw, t.items = s, at, line, items
	t.s.d.Counters.Lines++
	t.translate()
	s, items = t.s, t.items
	t.clear()
	scratch.Put(t)
	return s, items
}

// scratch has translations between lines: one is two kilobytes, and a flood
// has a hundred thousand lines a second. They are empty except for the name of the last
// block.
var scratch = sync.Pool{New: func() any { return new(translation) }}

// clear prepares t for the next line. It leaves alone the members that a line of a delta
// does not change.
func (t *translation) clear() {
	if !t.scanned {
		*t = translation{named: t.named}
		return
	}
	t.delta.clear(&t.l)
	t.s, t.raw, t.items, t.kept, t.scanned, t.delta = State{}, nil, nil, false, false, delta{}
}

// TranslateTorn keeps the torn last line of a process that was killed while it
// wrote.
func TranslateTorn(s State, fragment []byte, at time.Time) (State, []Item) {
	if len(fragment) == 0 {
		return s, nil
	}
	t := translation{s: s, at: at, raw: fragment}
	t.s.d.Counters.Lines++
	t.keepRaw(reasonTruncated)
	return t.s, t.items
}

// translation is one line being translated: the state being made and the items so far.
type translation struct {
	s     State
	at    time.Time
	raw   []byte
	l     line
	items []Item
	kept  bool // a RawLine was drafted

	delta   delta
	scanned bool // l has only the members of a delta

	named blockName
}

// blockName is the id that clients know a block by. Deltas of one block follow
// one another, so it is made once for many.
type blockName struct {
	message string
	index   int
	id      string
}

func (n *blockName) of(message string, index int) string {
	if n.id == "" || n.message != message || n.index != index {
		*n = blockName{message, index, blockID(message, index)}
	}
	return n.id
}

func (t *translation) translate() {
	valid := utf8.Valid(t.raw)
	if !valid {
		t.s.d.Counters.NotUTF8++
	}
	if valid && scanDelta(t.raw, &t.delta) {
		t.scanned = true
		t.delta.fill(&t.l, &t.s)
		t.understood(nil)
		return
	}
	shape := json.Unmarshal(t.raw, &t.l)
	if shape != nil {
		var syntax *json.SyntaxError
		switch {
		case errors.As(shape, &syntax):
			t.s.d.Counters.NotJSON++
			if valid {
				t.keepRaw(reasonNotJSON)
			} else {
				t.keepRaw(reasonNotUTF8)
			}
			return
		case bytes.TrimSpace(t.raw)[0] != '{':
			t.keepRaw(reasonNoObject)
			return
		}
	}
	t.understood(shape)
}

// understood translates a line that was decoded; shape lists the members that were not as
// expected.
func (t *translation) understood(shape error) {
	if t.l.Session != "" && t.l.Session != t.s.d.Session && key(t.l.Session) != t.s.d.Session && !t.memoryGone() {
		t.s.d.Session = key(t.l.Session)
		t.add(AgentSessionChanged{ID: t.l.Session})
	}
	t.dispatch()
	if shape != nil {
		t.keepRaw(reasonShape)
	}
}

func (t *translation) dispatch() {
	switch t.l.Type {
	case "stream_event":
		t.stream(&t.l.Event, false)
	case "content_block_start", "content_block_delta", "content_block_stop",
		"message_start", "message_delta", "message_stop":
		t.bareEvent()
	case "assistant":
		t.assistant()
	case "user":
		t.user()
	case "result":
		t.result()
	case "system":
		t.system()
	case "control_request":
		t.controlRequest()
	case "control_response":
		t.controlResponse()
	case "control_cancel_request":
		if t.l.RequestID == "" {
			t.keepRaw(reasonNoID)
			return
		}
		t.add(PermissionWithdrawn{Request: t.l.RequestID})
	case "command_lifecycle":
		t.lifecycle()
	case "conversation_reset":
		t.conversationReset()
	case "tool_progress":
		t.toolProgress()
	case "rate_limit_event":
		t.rateLimit()
	case "tool_use_summary":
		t.notice("TOOL_USE_SUMMARY", string(t.l.Summary))
	case "auth_status":
		t.notice("AUTH_STATUS", string(t.l.Error))
	case "keep_alive":
	case "":
		t.keepRaw(reasonNoType)
	default:
		t.keepRaw(reasonType)
	}
}

// EndRun translates the end of the process: it ends everything that the process has left
// open, because no line will. It returns the state for the next process of the same
// conversation, which keeps the list of things to do, the mode and the cost so far.
//
// A tool call that was interrupted may or may not have had its effect, and a resumed
// agent may repeat it; its result states that.
func EndRun(s State, at time.Time) (State, []Item) {
	t := translation{s: s, at: at}
	for m := range t.s.d.Messages {
		t.finishMessage(m, false)
	}
	t.endCalls("The agent's process ended before this call gave a result. "+
		"It is not known whether it took effect; the agent may make the call again.", true,
		func(call) bool { return true })
	for _, k := range t.s.d.Tasks {
		k.State = "lost"
		t.draftTask(k, "The agent's process ended.")
	}
	if len(t.s.d.Tasks) > 0 {
		t.add(BackgroundTasks{})
	}
	t.s.d.Turn, t.s.d.Said, t.s.d.Notified, t.s.d.Aborted, t.s.d.Fault = false, false, false, false, fault{}
	t.s.d.Partial, t.s.d.Taken, t.s.d.Echoes = false, nil, nil // the next process may be of another version
	t.s.d.Messages, t.s.d.Calls, t.s.d.Tasks = nil, nil, nil
	t.s.d.Fresh = true
	return t.s, t.items
}
