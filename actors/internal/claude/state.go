package claude

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"betcode/messages"
)

// stateVersion is the format of an encoded [State]. A state of a newer version
// is refused; all older ones can be read (see testdata/states).
const stateVersion = 1

// A state is bounded, so that it can be written with every batch. Beyond a bound the oldest
// entry is dropped; a well-behaved agent stays far
// below.
const (
	maxMessages = 32
	maxBlocks   = 48 // of one message that is being streamed
	maxCalls    = 128
	maxTasks    = 128
	maxTodos    = 100
	maxTaken    = 128
	maxEchoes   = 64
	maxUttered  = 64
	maxKey      = 160      // an id or a name that is carried
	maxCarried  = 256      // a line of text that is carried
	maxPartial  = 16 << 10 // arguments of a call that come in pieces
)

// State is what [Translate] carries from one line to the next. The zero value is
// the beginning of a conversation. It is a value: nothing reachable from a State
// is changed after it was returned, so it may be copied, kept and used again.
type State struct{ d data }

// InTurn reports whether a turn has begun and is not over.
func (s State) InTurn() bool { return s.d.Turn }

type data struct {
	Version  int         `json:"v"`
	Session  string      `json:"session,omitempty"`  // id of the conversation, as of the last line that had one
	Mode     string      `json:"mode,omitempty"`     // permission mode
	Model    string      `json:"model,omitempty"`    // of the main thread
	Turn     bool        `json:"turn,omitempty"`     // between init and result
	Said     bool        `json:"said,omitempty"`     // this turn has shown a text
	Notified bool        `json:"notified,omitempty"` // a background task has ended since the last turn
	Aborted  bool        `json:"aborted,omitempty"`  // this turn was interrupted
	Begun    bool        `json:"begun,omitempty"`    // a message or a command of the agent's own was started since the last result
	Unasked  bool        `json:"unasked,omitempty"`  // this turn had no cause when it began
	Partial  bool        `json:"partial,omitempty"`  // the agent's results do not list all messages they have answered
	Taken    []string    `json:"taken,omitempty"`    // keys of the messages that were taken up since the last result
	Echoes   []string    `json:"echoes,omitempty"`   // ids of control answers that contain nothing new, if the agent echoes and repeats
	Fault    fault       `json:"fault"`              // of this turn
	Cost     float64     `json:"cost,omitempty"`     // total_cost_usd of the last result
	Tokens   uint64      `json:"tokens,omitempty"`   // of modelUsage of the last result
	Fresh    bool        `json:"fresh,omitempty"`    // the process has written no result yet
	Context  uint64      `json:"context,omitempty"`  // tokens in the context after the last request
	Serial   uint64      `json:"serial,omitempty"`   // names messages without an id
	Messages []carried   `json:"messages,omitempty"` // oldest first
	Calls    []call      `json:"calls,omitempty"`    // open tool calls, oldest first
	Tasks    []task      `json:"tasks,omitempty"`    // oldest first
	Todos    []todo      `json:"todos,omitempty"`
	Uttered  []utterance `json:"uttered,omitempty"` // finished parts of this turn, oldest first
	Counters Counters    `json:"counters"`
}

// Counters counts lines and events since the conversation began.
type Counters struct {
	Lines     uint64 `json:"lines,omitempty"`     // not blank
	Raw       uint64 `json:"raw,omitempty"`       // not understood, in full or in part
	NotJSON   uint64 `json:"not_json,omitempty"`  // part of Raw
	NotUTF8   uint64 `json:"not_utf8,omitempty"`  // lines with bytes that were replaced
	Truncated uint64 `json:"truncated,omitempty"` // events that were cut to fit
}

// fault is the failed request that an assistant line reports.
type fault struct {
	Code   string `json:"code,omitempty"`
	Type   string `json:"type,omitempty"`
	Status int    `json:"status,omitempty"`
}

// carried is a message of the model that is being streamed, or was lately.
type carried struct {
	ID     string  `json:"id"`
	Parent string  `json:"parent,omitempty"`
	Open   bool    `json:"open,omitempty"` // between message_start and message_stop
	Next   int     `json:"next,omitempty"` // index of the next block that comes without one
	Blocks []block `json:"blocks,omitempty"`
}

// block is a block of a message that is being streamed.
type block struct {
	Index   int    `json:"i"`
	Kind    string `json:"k"`              // text, thinking, tool or other
	Tool    string `json:"tool,omitempty"` // id of the tool call
	Name    string `json:"name,omitempty"`
	Shown   bool   `json:"shown,omitempty"`   // clients have seen a part of it
	Done    bool   `json:"done,omitempty"`    // clients have got its end
	Lined   bool   `json:"lined,omitempty"`   // its assistant line was seen
	Partial string `json:"partial,omitempty"` // arguments so far, if no assistant line will bring them
	Spilled bool   `json:"spilled,omitempty"` // they exceeded the bound
}

const (
	kindText     = "text"
	kindThinking = "thinking"
	kindTool     = "tool"
	kindOther    = "other"
)

// Counters returns what has been counted so far.
func (s State) Counters() Counters { return s.d.Counters }

// AgentSession returns the id of the conversation as the agent last gave it.
func (s State) AgentSession() string { return s.d.Session }

// OpenCalls returns how many tool calls have begun and not ended.
func (s State) OpenCalls() int { return len(s.d.Calls) }

// Marshal encodes the state for [ParseState].
func (s State) Marshal() []byte {
	s.d.Version = stateVersion
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s.d); err != nil {
		panic("claude: state that cannot be encoded: " + err.Error()) // numbers are finite, the rest are strings
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// ParseState decodes the result of [State.Marshal]. No bytes are the zero State.
func ParseState(b []byte) (State, error) {
	const op = "parse translator state"
	if len(b) == 0 {
		return State{}, nil
	}
	var s State
	if err := json.Unmarshal(b, &s.d); err != nil {
		return State{}, &messages.Error{Op: op, Kind: messages.DataLoss, Err: err}
	}
	switch {
	case s.d.Version < 1:
		return State{}, messages.Errorf(op, messages.DataLoss, "no version")
	case s.d.Version > stateVersion:
		return State{}, &messages.Error{
			Op: op, Kind: messages.Unimplemented,
			Err:  fmt.Errorf("version %d, this program knows %d", s.d.Version, stateVersion),
			Hint: "The journal was written by a newer version; run that one.",
		}
	}
	s.d.Version = 0 // as in a state that was never encoded
	return s, nil
}

// key bounds a text that identifies something, and keeps it cheap to encode. Lookups must
// use it too.
func key(s string) string { return carry(s, maxKey) }

func carry(s string, n int) string {
	if len(s) <= n && plain(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' {
			return '?'
		}
		return r
	}, cut(s, n))
}

// plain reports whether s consists of printable ASCII, as ids do.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// with returns list with v at its end and at most limit entries, without the oldest
// ones. It never writes to list.
func with[T any](list []T, v T, limit int) []T {
	if len(list) >= limit {
		list = list[len(list)-limit+1:]
	}
	return append(slices.Clip(list), v)
}

// without returns list without its i-th entry. It never writes to list.
func without[T any](list []T, i int) []T {
	return slices.Concat(list[:i], list[i+1:])
}

// message returns the i-th message, in a list of its own, to be changed.
func (s *State) message(i int) *carried {
	s.d.Messages = slices.Clone(s.d.Messages)
	m := &s.d.Messages[i]
	m.Blocks = slices.Clone(m.Blocks)
	return m
}

// findMessage returns the index of a message, or -1. An empty id means the message
// that parent streams now.
func (s *State) findMessage(id, parent string) int {
	for i := len(s.d.Messages) - 1; i >= 0; i-- {
		m := &s.d.Messages[i]
		if id != "" && m.ID == id || id == "" && m.Open && m.Parent == parent {
			return i
		}
	}
	return -1
}

// addMessage adds a message and returns its index. When there are too many, one
// that is not being streamed is dropped first.
func (s *State) addMessage(m carried) int {
	if len(s.d.Messages) >= maxMessages {
		oldest := max(0, slices.IndexFunc(s.d.Messages, func(m carried) bool { return !m.Open }))
		s.d.Messages = without(s.d.Messages, oldest)
	}
	s.d.Messages = with(s.d.Messages, m, maxMessages)
	return len(s.d.Messages) - 1
}

// newID returns an id for a message that came without one.
func (s *State) newID() string {
	s.d.Serial++
	return fmt.Sprintf("message-%d", s.d.Serial)
}

// Cost returns the agent's count for the conversation, in US dollars.
func (s State) Cost() float64 { return s.d.Cost }

// Forked returns the state of a fork of a conversation that has cost so much: the total of an
// agent that continues the count is not counted again.
func Forked(cost float64) State { return State{data{Cost: cost}} }
