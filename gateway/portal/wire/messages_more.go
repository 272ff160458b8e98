package wire

// HistoryBatch is the history of a session: Messages to pages of [G2], Entries and the time of
// the last one to pages of [G3].
type HistoryBatch struct {
	Messages      []Raw   `wire:"messages,opt,only2"`
	Entries       []Entry `wire:"entries,opt,g3"`
	LastCreatedAt *string `wire:"last_created_at,opt,omit,g3"`
}

// Entry is a line of a [HistoryBatch].
type Entry struct {
	Content Raw   `wire:"content"`
	Meta    *Meta `wire:"meta,opt,omit"`
}

// UserSpendUpdate has the costs of sessions.
type UserSpendUpdate struct {
	Total    float64       `wire:"total_spend_usd"`
	Sessions []SessionCost `wire:"session_costs"`
}

// SessionCost is the cost of one session.
type SessionCost struct {
	SessionID           UUID    `wire:"session_id"`
	Total               float64 `wire:"total_cost_usd"`
	InputTokens         int64   `wire:"input_tokens,opt,g2"`
	OutputTokens        int64   `wire:"output_tokens,opt,g2"`
	CacheCreationTokens int64   `wire:"cache_creation_tokens,opt,g2"`
	CacheReadTokens     int64   `wire:"cache_read_tokens,opt,g2"`
}

// InputProgress reports the stage of an input to its page.
type InputProgress struct {
	ClientMsgID UUID    `wire:"client_msg_id"`
	Stage       string  `wire:"stage"`
	Message     *string `wire:"message,opt,omit"`
}

// InputProgressAck reports the stage of an input to a backend.
type InputProgressAck struct {
	SessionID   UUID   `wire:"session_id"`
	ClientMsgID UUID   `wire:"client_msg_id"`
	Stage       string `wire:"stage"`
}

// The stages of an input.
const (
	StageServerReceived = "server_received"
	StageProxyReceived  = "proxy_received"
	StageAgentAccepted  = "agent_accepted"
	StageFailed         = "failed"
)

// TurnMetricsReport has a proxy's measurements of a turn. Its fields are passed unchanged.
type TurnMetricsReport struct {
	SessionID UUID `wire:"session_id"`
}

// ToolProgress reports how long a tool has been running. It is not stored.
type ToolProgress struct {
	SessionID       UUID    `wire:"session_id"`
	ToolUseID       string  `wire:"tool_use_id"`
	ParentToolUseID *string `wire:"parent_tool_use_id,opt,omit"`
	ToolName        string  `wire:"tool_name"`
	Elapsed         float64 `wire:"elapsed_time_seconds"`
	SubagentType    *string `wire:"subagent_type,opt,omit"`
	SubagentRetry   Raw     `wire:"subagent_retry,opt,omit"`
}

// Ephemeral is shown and not stored.
type Ephemeral struct {
	SessionID UUID `wire:"session_id"`
	Payload   Raw  `wire:"payload"`
}

// SessionLimitReached reports that a session has reached a limit of the account.
type SessionLimitReached struct {
	SessionID     UUID   `wire:"session_id"`
	ResetAt       string `wire:"reset_at"`
	SourceMessage string `wire:"source_message"`
	Prompt        string `wire:"prompt"`
}

// ScheduleLimitContinuation asks to continue when a limit ends.
type ScheduleLimitContinuation struct {
	ContinuationID UUID `wire:"continuation_id"`
}

// FileUploadStart announces a file.
type FileUploadStart struct {
	UploadID    string `wire:"upload_id"`
	Filename    string `wire:"filename"`
	ContentType string `wire:"content_type"`
	TotalChunks uint32 `wire:"total_chunks"`
	TotalSize   uint64 `wire:"total_size"`
}

// FileUploadChunk is a piece of a file.
type FileUploadChunk struct {
	UploadID string `wire:"upload_id"`
	Index    uint32 `wire:"chunk_index"`
	Data     []byte `wire:"data"`
}

// FileUploadResult is the result of an upload.
type FileUploadResult struct {
	UploadID string  `wire:"upload_id"`
	Success  bool    `wire:"success"`
	Error    *string `wire:"error,opt,omit"`
	Path     *string `wire:"path,opt,omit"` // of the file
}

// FileDownloadRequest asks for a file of the session.
type FileDownloadRequest struct {
	RequestID string `wire:"request_id"`
	Path      string `wire:"path"`
	MaxBytes  uint64 `wire:"max_bytes"`
}

// FileDownloadResponse is a file of the session, or why there is none.
type FileDownloadResponse struct {
	RequestID string  `wire:"request_id"`
	Success   bool    `wire:"success"`
	Filename  *string `wire:"filename,opt,omit"`
	MediaType *string `wire:"media_type,opt,omit"`
	Size      *uint64 `wire:"size,opt,omit"`
	Data      []byte  `wire:"data_base64,opt,omit"`
	Error     *string `wire:"error,opt,omit"`
}

type (
	// ForwardOpen asks a proxy to forward a port.
	ForwardOpen struct {
		Port uint16 `wire:"port"`
	}
	// ForwardClose ends the forwarding of a port.
	ForwardClose struct {
		Port uint16 `wire:"port"`
	}
	// ForwardStatus reports whether a process listens on a forwarded port.
	ForwardStatus struct {
		Port      uint16  `wire:"port"`
		Listening bool    `wire:"listening"`
		Error     *string `wire:"error,opt,omit"`
		Process   Raw     `wire:"process,opt,omit"`
	}
)

type (
	// TunnelOpen opens a connection to a forwarded port.
	TunnelOpen struct {
		StreamID Raw    `wire:"stream_id"`
		Port     uint16 `wire:"port"`
	}
	// TunnelOpened reports that a connection is open.
	TunnelOpened struct {
		StreamID Raw `wire:"stream_id"`
	}
	// TunnelRefused reports why a connection is not open.
	TunnelRefused struct {
		StreamID Raw    `wire:"stream_id"`
		Reason   string `wire:"reason"`
	}
	// TunnelData is a piece of a connection's data.
	TunnelData struct {
		StreamID Raw    `wire:"stream_id"`
		Data     []byte `wire:"data_base64"`
	}
	// TunnelWindow allows the other end to send more.
	TunnelWindow struct {
		StreamID Raw    `wire:"stream_id"`
		AddBytes uint32 `wire:"add_bytes"`
	}
	// TunnelClose ends a connection.
	TunnelClose struct {
		StreamID Raw     `wire:"stream_id"`
		Reason   *string `wire:"reason,opt,omit"`
	}
)

type (
	// SessionExited reports to a page that the agent of a session has ended.
	SessionExited struct {
		SessionID UUID   `wire:"session_id"`
		ExitCode  *int64 `wire:"exit_code,opt"`
	}
	// LaunchersChanged asks a page to read the launchers again.
	LaunchersChanged struct{}
	// ForwardsChanged asks a page to read the forwarded ports again.
	ForwardsChanged struct {
		SessionID UUID `wire:"session_id"`
	}
)

type (
	// StartVoice begins a recording; binary frames follow.
	StartVoice struct {
		SessionID    UUID   `wire:"session_id"`
		LanguageCode string `wire:"language_code,opt"`
	}
	// StopVoice ends a recording.
	StopVoice struct {
		SessionID UUID `wire:"session_id"`
	}
	// Transcription is recognised text.
	Transcription struct {
		SessionID  UUID    `wire:"session_id"`
		Transcript string  `wire:"transcript"`
		IsFinal    bool    `wire:"is_final"`
		Confidence float64 `wire:"confidence"`
	}
	// VoiceEnded reports that the recogniser has ended.
	VoiceEnded struct {
		SessionID UUID `wire:"session_id"`
	}
	// VoiceError reports why there is no transcription.
	VoiceError struct {
		SessionID UUID   `wire:"session_id"`
		Message   string `wire:"message"`
	}
)
