package socket

import (
	"bytes"
	"encoding/json"
)

// head is the beginning of every line. Keys are in the order of the fields.
type head struct {
	Session ref    `json:"sessionId"`
	Type    string `json:"type"`
}

// The lines of the document, in its order.
type (
	systemLine struct {
		head
		Subtype      string   `json:"subtype"`
		Conversation string   `json:"claudeSessionId"`
		Tools        []string `json:"tools,omitempty"`
		Model        string   `json:"model,omitempty"`
		Cwd          string   `json:"cwd,omitempty"`
	}
	assistantText struct {
		head
		UUID string `json:"uuid"`
		Text string `json:"text"`
	}
	toolUse struct {
		head
		UUID  string `json:"uuid"`
		Tool  string `json:"toolName"`
		Input any    `json:"toolInput"`
		ID    string `json:"toolUseId"`
	}
	toolResult struct {
		head
		UUID    string `json:"uuid"`
		ID      string `json:"toolUseId"`
		Output  any    `json:"output"`
		IsError bool   `json:"isError,omitempty"`
	}
	permissionRequest struct {
		head
		Request     string          `json:"requestId"`
		Tool        string          `json:"toolName"`
		Input       any             `json:"toolInput"`
		ToolUse     string          `json:"toolUseId"`
		Suggestions json.RawMessage `json:"suggestions,omitempty"`
	}
	questionLine struct {
		head
		Request   string     `json:"requestId"`
		Questions []question `json:"questions"`
	}
	streamDelta struct {
		head
		UUID  string `json:"uuid"`
		Delta any    `json:"delta"`
	}
	resultLine struct {
		head
		Subtype  string   `json:"subtype"`
		IsError  bool     `json:"isError"`
		Result   *string  `json:"result,omitempty"`
		Cost     float64  `json:"totalCostUsd"`
		Duration uint32   `json:"durationMs"`
		Turns    int      `json:"numTurns"`
		Errors   []string `json:"errors,omitempty"`
	}
	errorLine struct {
		head
		Error string `json:"error"`
	}
	statusLine struct {
		head
		Status string `json:"status"`
	}
)

// Our additional lines, for connections that have sent attach_session.
type (
	attachedLine struct {
		head
		Conversation string `json:"claudeSessionId"`
		Sequence     uint64 `json:"sequence"` // head when the session was attached
		Status       string `json:"status"`
		Owner        bool   `json:"owner"` // false: the connection only watches
	}
	cursorLine struct {
		head
		Sequence uint64 `json:"sequence"`
	}
	resolvedLine struct {
		head
		Request  string `json:"requestId"`
		Behavior string `json:"behavior"` // allow, deny, or withdrawn
		By       string `json:"by"`       // the client, rule or deadline that decided
	}
)

// Parts of questions and of stream events.
type (
	question struct {
		Question    string   `json:"question"`
		Header      string   `json:"header"`
		Options     []option `json:"options"`
		MultiSelect bool     `json:"multiSelect"`
	}
	option struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	}
	messageStart struct {
		Type    string       `json:"type"`
		Message modelMessage `json:"message"`
	}
	modelMessage struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Role    string `json:"role"`
		Model   string `json:"model,omitempty"`
		Content []any  `json:"content"`
	}
	blockStart struct {
		Type  string       `json:"type"`
		Index int          `json:"index"`
		Block contentBlock `json:"content_block"`
	}
	contentBlock struct {
		Type     string  `json:"type"`
		Text     *string `json:"text,omitempty"`
		Thinking *string `json:"thinking,omitempty"`
	}
	blockDelta struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
		Delta piece  `json:"delta"`
	}
	piece struct {
		Type     string `json:"type"`
		Text     string `json:"text,omitempty"`
		Thinking string `json:"thinking,omitempty"`
	}
	blockStop struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
	}
	messageDelta struct {
		Type  string     `json:"type"`
		Delta stopReason `json:"delta"`
	}
	stopReason struct {
		Reason   string  `json:"stop_reason"`
		Sequence *string `json:"stop_sequence"`
	}
	messageStop struct {
		Type string `json:"type"`
	}
)

// The statuses of session_status.
const (
	statusStarted    = "started"
	statusProcessing = "processing"
	statusIdle       = "idle"
	statusClosed     = "closed"
)

func status(id ref, s string) statusLine { return statusLine{head{id, "session_status"}, s} }

func failure(id ref, text string) errorLine { return errorLine{head{id, "error"}, text} }

// encode appends a line. Like other servers, it does not escape characters of HTML.
func encode(out []byte, line any) []byte {
	b := bytes.NewBuffer(out)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(line); err != nil {
		panic("socket: " + err.Error()) // impossible: lines have no functions, cycles or NaN
	}
	return b.Bytes()
}
