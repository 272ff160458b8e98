package claude

import (
	"bytes"
	"encoding/json"

	"betcode/messages"
	"betcode/messages/claudecode"
)

// encode makes one line: only its last character ends a line, for any reader
// (encoding/json escapes U+2028 and U+2029 too).
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("claude: line that cannot be encoded: " + err.Error()) // our own structs, checked JSON inside
	}
	return b.Bytes()
}

type requestLine struct {
	Type      string `json:"type"`
	RequestID string `json:"request_id"`
	Request   any    `json:"request"`
}

func request(id string, body any) []byte {
	return encode(requestLine{Type: "control_request", RequestID: id, Request: body})
}

type subtype struct {
	Subtype string `json:"subtype"`
}

// InterruptLine interrupts the running turn. With cancelQueued it also drops the messages
// that wait. It is answered also when nothing runs.
func InterruptLine(id string, cancelQueued bool) []byte {
	return request(id, struct {
		Subtype      string `json:"subtype"`
		CancelQueued bool   `json:"cancel_queued,omitempty"`
	}{"interrupt", cancelQueued})
}

// SetModeLine changes the permission mode. The mode that flags call manual is called
// default here.
func SetModeLine(id, mode string) []byte {
	if mode == "manual" {
		mode = DefaultMode
	}
	return request(id, struct {
		Subtype string `json:"subtype"`
		Mode    string `json:"mode"`
	}{"set_permission_mode", mode})
}

// SetModelLine changes the model from the next request on; an empty one is the
// agent's default. Any name is accepted; a wrong one fails the next turn.
func SetModelLine(id, model string) []byte {
	return request(id, struct {
		Subtype string `json:"subtype"`
		Model   string `json:"model,omitempty"`
	}{"set_model", model})
}

// InitializeLine asks for the agent's abilities and pending requests. It may be
// sent at any time and more than once. After keepTasks an interrupt of an idle
// agent no longer kills its background subagents.
func InitializeLine(id string, keepTasks bool) []byte {
	return request(id, struct {
		Subtype   string `json:"subtype"`
		KeepTasks bool   `json:"perTaskStopAffordance,omitempty"`
	}{"initialize", keepTasks})
}

// BarrierLine makes a harmless request: when its answer comes, the agent has read all
// earlier lines. A version that does not know the usual request would not answer it at
// all; its answer to this one may be an error.
func BarrierLine(id string, can claudecode.Capabilities) []byte {
	if !can.BinaryVersion {
		return InitializeLine(id, false)
	}
	return request(id, subtype{"get_binary_version"})
}

// EndSessionLine makes the agent close its turn and exit. A version that does not know
// it closes its turn, and does not exit.
func EndSessionLine(id string, can claudecode.Capabilities) []byte {
	if !can.EndSession {
		return InterruptLine(id, false)
	}
	return request(id, subtype{"end_session"})
}

type answerLine struct {
	Type     string `json:"type"`
	Response any    `json:"response"`
}

type success struct {
	Subtype   string `json:"subtype"`
	RequestID string `json:"request_id"`
	Response  any    `json:"response"`
}

func answer(id string, body any) []byte {
	return encode(answerLine{Type: "control_response", Response: success{"success", id, body}})
}

// RefuseLine answers a request of the agent that is not supported.
func RefuseLine(id, why string) []byte {
	return encode(answerLine{Type: "control_response", Response: struct {
		Subtype   string `json:"subtype"`
		RequestID string `json:"request_id"`
		Error     string `json:"error"`
	}{"error", id, why}})
}

// DenyLine refuses a tool call. The model gets the message, unless the turn
// is interrupted: then the agent drops it. The agent takes a refusal without a
// message for a broken answer, so there is always one.
func DenyLine(id, message string, interrupt bool) []byte {
	if message == "" {
		message = "The user denied this tool call."
	}
	return answer(id, struct {
		Behavior  string `json:"behavior"`
		Message   string `json:"message"`
		Interrupt bool   `json:"interrupt,omitempty"`
	}{"deny", message, interrupt})
}

// Suggested are the agent's suggestions to allow more than one call, of which some apply
// from now on: the chosen members of a JSON array, counted from 0.
type Suggested struct {
	All    []byte
	Chosen []uint32
}

// AllowLine lets a tool call run: with its own input if input is empty, otherwise
// with input, a JSON object that is sent byte for byte.
func AllowLine(id string, input []byte, also Suggested) ([]byte, error) {
	updates, err := also.updates()
	if err != nil {
		return nil, err
	}
	if len(input) == 0 {
		return answer(id, struct {
			Behavior string            `json:"behavior"`
			Updates  []json.RawMessage `json:"updatedPermissions,omitempty"`
		}{"allow", updates}), nil
	}
	object, err := oneLineObject("allow tool call", input)
	if err != nil {
		return nil, err
	}
	return splice(id, object, updates...), nil
}

// SuggestedModes returns the permission modes among the suggestions of a request, by
// their numbers from 0. One that cannot be read counts as a mode with an unknown name.
func SuggestedModes(suggestions []byte) map[uint32]string {
	var all []map[string]json.RawMessage // keys are read exactly
	if json.Unmarshal(suggestions, &all) != nil {
		return nil
	}
	modes := map[uint32]string{}
	for n, one := range all {
		if kind := ""; json.Unmarshal(one["type"], &kind) != nil || kind != "setMode" {
			continue
		}
		mode := "?"
		_ = json.Unmarshal(one["mode"], &mode) // after an error the mode is unknown
		modes[uint32(n)] = mode
	}
	return modes
}

// updates are the chosen suggestions, as the agent wrote them.
func (s Suggested) updates() ([]json.RawMessage, error) {
	const op = "apply suggestions"
	if len(s.Chosen) == 0 {
		return nil, nil
	}
	var all, chosen []json.RawMessage
	if err := json.Unmarshal(s.All, &all); err != nil {
		return nil, messages.Errorf(op, messages.Invalid, "the request suggests nothing")
	}
	for _, n := range s.Chosen {
		if int(n) >= len(all) {
			return nil, messages.Errorf(op, messages.Invalid, "there is no suggestion %d: the request has %d, counted from 0", n, len(all))
		}
		chosen = append(chosen, all[n])
	}
	return chosen, nil
}

// splice puts an object into an answer byte for byte; encoding/json would
// compact it and rewrite parts of its strings.
func splice(id string, object []byte, updates ...json.RawMessage) []byte {
	const hole = `"updatedInput":0`
	frame := answer(id, struct {
		Behavior string            `json:"behavior"`
		Updates  []json.RawMessage `json:"updatedPermissions,omitempty"`
		Input    int               `json:"updatedInput"` // the last member, since earlier members may contain the same text
	}{"allow", updates, 0})
	at := bytes.LastIndex(frame, []byte(hole)) + len(hole) - 1
	return bytes.Join([][]byte{frame[:at], object, frame[at+1:]}, nil)
}

var (
	lineSeparator      = []byte("\u2028")
	paragraphSeparator = []byte("\u2029")
)

// oneLineObject checks that raw is a JSON object and removes everything that a reader might
// take for the end of a line: white space between tokens, and two characters
// that are escaped. It changes nothing else.
func oneLineObject(op string, raw []byte) ([]byte, error) {
	raw = bytes.Trim(raw, " \t\r\n") // the white space of JSON, and no other
	if len(raw) == 0 || raw[0] != '{' || !json.Valid(raw) {
		return nil, messages.Errorf(op, messages.Invalid, "the input is not a JSON object")
	}
	if bytes.ContainsAny(raw, "\r\n") {
		var b bytes.Buffer
		if err := json.Compact(&b, raw); err != nil {
			return nil, messages.Errorf(op, messages.Invalid, "the input is not JSON: %w", err)
		}
		raw = b.Bytes()
	}
	raw = bytes.ReplaceAll(raw, lineSeparator, []byte(`\u2028`))
	return bytes.ReplaceAll(raw, paragraphSeparator, []byte(`\u2029`)), nil
}
