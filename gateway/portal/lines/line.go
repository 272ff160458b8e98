package lines

import (
	"bytes"
	"encoding/json"
	"time"
)

// Line is one line of the agent.
type Line struct {
	// Sequence is the number of the event that completed it, and Index counts lines of that event from 0.
	Sequence uint64
	Index    int
	ID       string    // a UUID
	Kind     string    // its type: "assistant", "user", "result", …
	At       time.Time // rises from line to line
	JSON     json.RawMessage
}

// The members of lines.
type (
	lineHead struct {
		Type    string  `json:"type"`
		Session string  `json:"session_id,omitempty"`
		UUID    string  `json:"uuid,omitempty"`
		Parent  *string `json:"parent_tool_use_id,omitempty"`
	}
	systemLine struct {
		lineHead
		Subtype        string   `json:"subtype"`
		Cwd            string   `json:"cwd"`
		Model          string   `json:"model"`
		Tools          []string `json:"tools"`
		McpServers     []string `json:"mcp_servers"`
		PermissionMode string   `json:"permissionMode"`
		APIKeySource   string   `json:"apiKeySource"`
	}
	messageLine struct {
		lineHead
		Message any `json:"message"`
	}
	assistantMessage struct {
		ID           string  `json:"id"`
		Type         string  `json:"type"`
		Role         string  `json:"role"`
		Model        string  `json:"model"`
		Content      []any   `json:"content"`
		StopReason   *string `json:"stop_reason"`
		StopSequence *string `json:"stop_sequence"`
		Usage        usage   `json:"usage"`
	}
	userMessage struct {
		Role    string `json:"role"`
		Content []any  `json:"content"`
	}
	textBlock struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	thinkingBlock struct {
		Type      string `json:"type"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
	}
	toolUseBlock struct {
		Type  string `json:"type"`
		ID    string `json:"id"`
		Name  string `json:"name"`
		Input any    `json:"input"`
	}
	toolResultBlock struct {
		ID      string `json:"tool_use_id"`
		Type    string `json:"type"`
		Content string `json:"content"`
		IsError bool   `json:"is_error"`
	}
	usage struct {
		Input         uint32        `json:"input_tokens"`
		CacheCreation uint32        `json:"cache_creation_input_tokens"`
		CacheRead     uint32        `json:"cache_read_input_tokens"`
		Output        uint32        `json:"output_tokens"`
		ServerToolUse serverToolUse `json:"server_tool_use"`
		ServiceTier   string        `json:"service_tier"`
	}
	serverToolUse struct {
		WebSearch uint32 `json:"web_search_requests"`
		WebFetch  uint32 `json:"web_fetch_requests"`
	}
	resultLine struct {
		lineHead
		Subtype  string   `json:"subtype"`
		IsError  bool     `json:"is_error"`
		Duration uint32   `json:"duration_ms"`
		API      uint32   `json:"duration_api_ms"`
		Turns    int      `json:"num_turns"`
		Result   *string  `json:"result,omitempty"`
		Stop     *string  `json:"stop_reason,omitempty"`
		Cost     float64  `json:"total_cost_usd"`
		Usage    usage    `json:"usage"`
		Denials  []any    `json:"permission_denials"`
		Errors   []string `json:"errors,omitempty"`
	}
	portalLine struct {
		Type    string `json:"type"`
		Content []any  `json:"content"`
	}
	errorLine struct { // some readers need the error of the API; others use the message
		Type    string   `json:"type"`
		Message string   `json:"message"`
		Error   apiError `json:"error"`
	}
	apiError struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
)

// Note returns the content of a line with a text of the server, in Markdown.
func Note(text string) json.RawMessage {
	return encode(portalLine{"portal", []any{textBlock{"text", text}}})
}

func encode(value any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic("lines: " + err.Error()) // impossible: lines have no functions, cycles or NaN
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
