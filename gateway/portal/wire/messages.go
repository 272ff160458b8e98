package wire

import "encoding/json"

// Message is a message of the portal: one of the structs of this package.
type Message any

// Raw is a JSON value that is passed unchanged.
type Raw = json.RawMessage

// Register begins a connection of a proxy or a page. A page names its session, and the time after
// which it wants the history.
type Register struct {
	SessionID        UUID    `wire:"session_id"`
	SessionName      string  `wire:"session_name"`
	AuthToken        *string `wire:"auth_token,opt"`
	WorkingDirectory string  `wire:"working_directory"`
	Resuming         bool    `wire:"resuming"`
	GitBranch        *string `wire:"git_branch,opt"`
	ReplayAfter      *string `wire:"replay_after,opt"`
	ClientVersion    *string `wire:"client_version,opt"`

	ReplacesSessionID *UUID   `wire:"replaces_session_id,opt,g2"`
	Hostname          *string `wire:"hostname,opt,g2"`
	LauncherID        *UUID   `wire:"launcher_id,opt,g2"`
	AgentType         string  `wire:"agent_type,opt,g2"`
	RepoURL           *string `wire:"repo_url,opt,g2"`
	ScheduledTaskID   *UUID   `wire:"scheduled_task_id,opt,g2"`

	ClaudeArgs   []string `wire:"claude_args,opt,g3"`
	Capabilities []string `wire:"capabilities,opt,g3"`

	// Dialect is the generation of the peer, derived from the keys.
	Dialect Dialect
}

// RegisterAck answers a [Register] of a proxy.
type RegisterAck struct {
	Success   bool    `wire:"success"`
	SessionID UUID    `wire:"session_id"`
	Error     *string `wire:"error,opt,omit"`
	// MaxImageMB is in every dialect: proxies of G2 and G3 cannot read an answer without it.
	MaxImageMB uint32 `wire:"max_image_mb,opt"`
	Retryable  bool   `wire:"retryable,opt,g3"`
}

// SequencedOutput is a line of the agent with its number; it is acknowledged by [OutputAck].
type SequencedOutput struct {
	Seq       uint64 `wire:"seq"`
	Content   Raw    `wire:"content"`
	AgentType string `wire:"agent_type,opt,omit,g3"`
}

// ClaudeOutput is a line of the agent: from a proxy without a number, and to pages.
type ClaudeOutput struct {
	Content      Raw     `wire:"content"`
	SenderUserID *string `wire:"sender_user_id,opt,omit,g2"`
	SenderName   *string `wire:"sender_name,opt,omit,g2"`
	AgentType    string  `wire:"agent_type,opt,omit,g3"`
	Meta         *Meta   `wire:"meta,opt,omit,g3"`
}

// Meta is additional data that a page shows with a line.
type Meta struct {
	CreatedAt *string `wire:"created_at,opt,omit"`
	Source    Raw     `wire:"source,opt,omit"`
	Delivery  Raw     `wire:"delivery,opt,omit"`
}

// PermissionRequest asks whether a tool may run.
type PermissionRequest struct {
	RequestID   string       `wire:"request_id"`
	ToolName    string       `wire:"tool_name"`
	Input       Raw          `wire:"input"`
	Suggestions []Suggestion `wire:"permission_suggestions,opt,omit"`
}

// Suggestion is a rule that an answer may adopt. Its first two fields are required: without them a
// proxy drops the whole request.
type Suggestion struct {
	Type        string  `wire:"type"`
	Destination string  `wire:"destination"`
	Mode        *string `wire:"mode,opt,omit"`
	Behavior    *string `wire:"behavior,opt,omit"`
	Rules       []Raw   `wire:"rules,opt,omit"`
}

// PermissionResponse answers a [PermissionRequest].
type PermissionResponse struct {
	RequestID   string       `wire:"request_id"`
	Allow       bool         `wire:"allow"`
	Input       Raw          `wire:"input,opt,omit"`
	Permissions []Suggestion `wire:"permissions,opt,omit"`
	Reason      *string      `wire:"reason,opt,omit"`
}

// InputAck acknowledges all inputs up to a number.
type InputAck struct {
	SessionID UUID  `wire:"session_id"`
	AckSeq    int64 `wire:"ack_seq"`
}

// OutputAck acknowledges all outputs up to a number.
type OutputAck struct {
	SessionID UUID   `wire:"session_id"`
	AckSeq    uint64 `wire:"ack_seq"`
}

// SessionUpdate is where a session works. An absent value clears it.
type SessionUpdate struct {
	SessionID UUID    `wire:"session_id"`
	GitBranch *string `wire:"git_branch,opt,omit"`
	PRURL     *string `wire:"pr_url,opt,omit,g2"`
	RepoURL   *string `wire:"repo_url,opt,omit,g2"`
	OpenPRs   []Raw   `wire:"open_prs,opt,omit,g3"`
}

// SessionStatus is active, inactive, disconnected, or replaced.
type SessionStatus struct {
	Status string `wire:"status"`
}

// Heartbeat shows that a peer is alive.
type Heartbeat struct{}

// SequencedInput is a prompt with its number; it is acknowledged by [InputAck].
type SequencedInput struct {
	SessionID   UUID    `wire:"session_id"`
	Seq         int64   `wire:"seq"`
	Content     Raw     `wire:"content"`
	SendMode    *string `wire:"send_mode,opt,omit,g2"`
	ClientMsgID *UUID   `wire:"client_msg_id,opt,omit,g3"`
}

// ClaudeInput is a prompt: from a page, and without a number to a proxy.
type ClaudeInput struct {
	Content     Raw     `wire:"content"`
	SendMode    *string `wire:"send_mode,opt,omit"`
	ClientMsgID *UUID   `wire:"client_msg_id,opt,omit,g3"`
}

// The values of SendMode.
const (
	SendNormal = "normal"
	SendWiggum = "wiggum" // the prompt is repeated until the agent reports that it is done
)

// ServerShutdown announces that the server ends, and when to reconnect.
type ServerShutdown struct {
	Reason           string `wire:"reason"`
	ReconnectDelayMS uint64 `wire:"reconnect_delay_ms"`
}

// SessionTerminated ends a proxy permanently.
type SessionTerminated struct {
	Reason string `wire:"reason"`
}

// Interrupt interrupts the turn.
type Interrupt struct{}

// StopRepeat ends the repetition of a prompt; the running turn continues. It is our extension, which other servers
// ignore.
type StopRepeat struct{}

// ErrorMessage is an error for people at a page. Its type on the wire is Error.
type ErrorMessage struct {
	Message string `wire:"message"`
}
