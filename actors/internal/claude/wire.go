package claude

import (
	"bytes"
	"encoding/json"
	"strings"
)

// line is one line of the agent's output: the members of all types that are read, in one
// struct, so that a line is decoded once. Types share members
// (error, status, summary), which is why they are not separate. Numbers are
// float64 because that takes any JSON number; a member of the wrong type is
// left empty and recorded.
type line struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	Session   string `json:"session_id"`
	Parent    string `json:"parent_tool_use_id"`
	AgentID   string `json:"agent_id"`
	Timestamp string `json:"timestamp"`

	UUID string `json:"uuid"`

	// stream_event, and the bare events of older versions
	Event        streamEvent   `json:"event"`
	APIMessage   string        `json:"api_message_id"`
	Abandoned    *abandoned    `json:"abandoned_blocks"`
	Index        float64       `json:"index"`
	Delta        *streamDelta  `json:"delta"`
	ContentBlock *contentBlock `json:"content_block"`

	// assistant, user
	Message        json.RawMessage `json:"message"`
	Error          loose           `json:"error"`
	APIErrorStatus float64         `json:"api_error_status"`
	APIErrorType   loose           `json:"api_error_type"`
	Replay         bool            `json:"isReplay"`
	ToolUseResult  json.RawMessage `json:"tool_use_result"`
	ToolMeta       toolMetas       `json:"tool_result_meta"`
	Supersedes     []string        `json:"supersedes"`

	// system/init
	Model          string   `json:"model"`
	PermissionMode string   `json:"permissionMode"`
	Version        string   `json:"claude_code_version"`
	Directory      string   `json:"cwd"`
	Inputs         []string `json:"user_message_uuids"`
	Input          string   `json:"user_message_uuid"`
	Tools          []string `json:"tools"`
	Commands       []string `json:"slash_commands"`
	Skills         []string `json:"skills"`
	AgentNames     []string `json:"agents"`

	Capabilities []string `json:"capabilities"`

	Servers []McpServer `json:"mcp_servers"`

	// command_lifecycle, system/status, system/session_state_changed
	Command       string `json:"command_uuid"`
	State         string `json:"state"`
	Status        string `json:"status"`
	CompactResult string `json:"compact_result"`
	CompactError  loose  `json:"compact_error"`

	// control lines
	RequestID string          `json:"request_id"`
	Request   controlRequest  `json:"request"`
	Response  controlResponse `json:"response"`

	// tasks and tools
	TaskID       string    `json:"task_id"`
	TaskType     string    `json:"task_type"`
	AgentType    string    `json:"subagent_type"`
	ToolUse      string    `json:"tool_use_id"`
	ToolName     string    `json:"tool_name"`
	Description  string    `json:"description"`
	Summary      loose     `json:"summary"`
	Backgrounded bool      `json:"is_backgrounded"`
	Patch        taskPatch `json:"patch"`
	Tasks        []taskRef `json:"tasks"`
	Elapsed      float64   `json:"elapsed_time_seconds"`

	// notices
	Attempt       float64    `json:"attempt"`
	MaxRetries    float64    `json:"max_retries"`
	RetryDelay    float64    `json:"retry_delay_ms"`
	ErrorStatus   float64    `json:"error_status"`
	Trigger       string     `json:"trigger"`
	OriginalModel string     `json:"original_model"`
	FallbackModel string     `json:"fallback_model"`
	Retracted     []string   `json:"retracted_message_uuids"`
	Content       loose      `json:"content"`
	Text          loose      `json:"text"`
	Level         string     `json:"level"`
	Tag           string     `json:"tag"`
	Title         string     `json:"title"`
	ReasonType    string     `json:"decision_reason_type"`
	ErrorCode     string     `json:"error_code"`
	Compact       compaction `json:"compact_metadata"`
	RateLimit     rateLimit  `json:"rate_limit_info"`

	// result
	IsError        bool                  `json:"is_error"`
	Result         loose                 `json:"result"`
	Errors         []loose               `json:"errors"`
	StopReason     string                `json:"stop_reason"`
	TerminalReason string                `json:"terminal_reason"`
	TotalCost      *float64              `json:"total_cost_usd"`
	Cost           *float64              `json:"cost_usd"`
	Usage          usage                 `json:"usage"`
	ModelUsage     map[string]modelUsage `json:"modelUsage"`
	Denials        []denial              `json:"permission_denials"`
	Origin         origin                `json:"origin"`
	LocalCommand   loose                 `json:"local_command"`
	ResumeReason   string                `json:"resume_reason"`
	Duration       float64               `json:"duration_ms"`
	QueuedTurns    float64               `json:"queued_turn_count"`
}

type streamEvent struct {
	Type         string        `json:"type"`
	Index        float64       `json:"index"`
	Delta        *streamDelta  `json:"delta"`
	ContentBlock *contentBlock `json:"content_block"`
	Message      *message      `json:"message"`
	Usage        usage         `json:"usage"` // of message_delta
	Error        struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

type streamDelta struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Thinking string `json:"thinking"`
	JSON     string `json:"partial_json"`
}

type abandoned struct {
	Message string  `json:"api_message_id"`
	From    float64 `json:"from_block_index"`
}

type controlRequest struct {
	Subtype        string          `json:"subtype"`
	Tool           string          `json:"tool_name"`
	DisplayName    string          `json:"display_name"`
	ToolUse        string          `json:"tool_use_id"`
	AgentID        string          `json:"agent_id"`
	Description    string          `json:"description"`
	Input          json.RawMessage `json:"input"`
	Suggestions    json.RawMessage `json:"permission_suggestions"`
	BlockedPath    string          `json:"blocked_path"`
	Callback       string          `json:"callback_id"` // of hook_callback
	Server         string          `json:"server_name"` // of mcp_message
	DecisionReason loose           `json:"decision_reason"`
	Title          loose           `json:"title"`
	NoSessionGrant bool            `json:"suppress_always_allow_rule"`
	DefaultToNo    bool            `json:"default_to_no"`
	NeedsPerson    bool            `json:"requires_user_interaction"`
	ReasonType     loose           `json:"decision_reason_type"`
	RuleSource     loose           `json:"decision_reason_rule_source"`
	AskRule        json.RawMessage `json:"matched_ask_rule"`
}

type controlResponse struct {
	Subtype   string          `json:"subtype"`
	RequestID string          `json:"request_id"`
	Response  json.RawMessage `json:"response"`
	Error     loose           `json:"error"`
	ErrorCode string          `json:"error_code"`
}

type taskPatch struct {
	Status       string `json:"status"`
	Description  string `json:"description"`
	Error        loose  `json:"error"`
	Backgrounded *bool  `json:"is_backgrounded"`
}

type taskRef struct {
	ID          string `json:"task_id"`
	Type        string `json:"task_type"`
	AgentType   string `json:"subagent_type"`
	Description string `json:"description"`
}

type compaction struct {
	Trigger  string  `json:"trigger"`
	Before   float64 `json:"pre_tokens"`
	After    float64 `json:"post_tokens"`
	Duration float64 `json:"duration_ms"`
}

type rateLimit struct {
	Status      string  `json:"status"`
	Type        string  `json:"rateLimitType"`
	ResetsAt    float64 `json:"resetsAt"`
	Utilization float64 `json:"utilization"`
}

type usage struct {
	Input         float64 `json:"input_tokens"`
	Output        float64 `json:"output_tokens"`
	CacheRead     float64 `json:"cache_read_input_tokens"`
	CacheCreation float64 `json:"cache_creation_input_tokens"`
}

type modelUsage struct {
	ContextWindow float64 `json:"contextWindow"`
	Input         float64 `json:"inputTokens"`
	Output        float64 `json:"outputTokens"`
	CacheRead     float64 `json:"cacheReadInputTokens"`
	CacheCreation float64 `json:"cacheCreationInputTokens"`
}

type denial struct {
	Tool    string `json:"tool_name"`
	ToolUse string `json:"tool_use_id"`
}

type origin struct {
	Kind string `json:"kind"`
}

// loose is a text that is sometimes something else: anything that is not a
// string is kept as the JSON it is.
type loose string

// UnmarshalJSON never fails.
func (s *loose) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) == 0 || bytes.Equal(b, []byte("null")):
		*s = ""
	case b[0] == '"':
		return json.Unmarshal(b, (*string)(s))
	default:
		*s = loose(strings.ToValidUTF8(cut(string(b), maxNotice), "\uFFFD"))
	}
	return nil
}
