package foreignproxy

import (
	"encoding/json"
	"fmt"
)

// required are the types that proxies of a generation know, with the fields that must be there.
var required = [4]map[string][]string{
	1: {
		"RegisterAck": {"success", "session_id"}, "SequencedInput": {"session_id", "seq", "content"}, "ClaudeInput": {"content"},
		"PermissionResponse": {"request_id", "allow"}, "OutputAck": {"session_id", "ack_seq"}, "Heartbeat": {},
		"ServerShutdown": {"reason", "reconnect_delay_ms"},
	},
	2: {
		"RegisterAck": {"success", "session_id", "max_image_mb"}, "SequencedInput": {"session_id", "seq", "content"}, "ClaudeInput": {"content"},
		"PermissionResponse": {"request_id", "allow"}, "OutputAck": {"session_id", "ack_seq"}, "Heartbeat": {},
		"ServerShutdown": {"reason", "reconnect_delay_ms"}, "SessionTerminated": {"reason"}, "Interrupt": {},
		"FileUploadStart": {"upload_id", "filename", "content_type", "total_chunks", "total_size"}, "FileUploadChunk": {"upload_id", "chunk_index", "data"},
	},
	3: {
		"RegisterAck": {"success", "session_id", "max_image_mb"}, "SequencedInput": {"session_id", "seq", "content"}, "ClaudeInput": {"content"},
		"PermissionResponse": {"request_id", "allow"}, "OutputAck": {"session_id", "ack_seq"}, "Heartbeat": {},
		"ServerShutdown": {"reason", "reconnect_delay_ms"}, "SessionTerminated": {"reason"}, "Interrupt": {},
		"FileUploadStart": {"upload_id", "filename", "content_type", "total_chunks", "total_size"}, "FileUploadChunk": {"upload_id", "chunk_index", "data"},
		"FileDownloadRequest": {"request_id", "path", "max_bytes"}, "ForwardOpen": {"port"}, "ForwardClose": {"port"},
		"TunnelOpen": {"stream_id", "port"}, "TunnelData": {"stream_id", "data_base64"}, "TunnelWindow": {"stream_id", "add_bytes"}, "TunnelClose": {"stream_id"},
	},
}

// frame is a frame of a server. Its fields are those that a proxy acts on.
type frame struct {
	Type        string          `json:"type"`
	Success     bool            `json:"success"`
	Error       *string         `json:"error"`
	Retryable   bool            `json:"retryable"`
	SessionID   string          `json:"session_id"`
	Seq         int64           `json:"seq"`
	AckSeq      uint64          `json:"ack_seq"`
	Content     json.RawMessage `json:"content"`
	ClientMsgID *string         `json:"client_msg_id"`
	RequestID   string          `json:"request_id"`
	Allow       bool            `json:"allow"`
	Input       json.RawMessage `json:"input"`
	Permissions json.RawMessage `json:"permissions"`
	Reason      *string         `json:"reason"`
	DelayMS     uint64          `json:"reconnect_delay_ms"`
	UploadID    string          `json:"upload_id"`
	Filename    string          `json:"filename"`
	TotalChunks int             `json:"total_chunks"`
	Data        []byte          `json:"data"`
}

// read reads a frame as a generation does. An error ends the connection of G2 and G3. Of G1 ok is
// false where it ignores the frame.
func read(generation int, text bool, raw []byte) (f frame, ok bool, err error) {
	if err = strict(generation, text, raw, &f); err == nil {
		return f, true, nil
	}
	if generation == 1 {
		return f, false, nil
	}
	return f, false, err
}

func strict(generation int, text bool, raw []byte, f *frame) error {
	if !text {
		return fmt.Errorf("a binary frame of %d bytes", len(raw))
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return fmt.Errorf("frame %.200q: %w", raw, err)
	}
	if err := json.Unmarshal(raw, f); err != nil {
		return fmt.Errorf("frame %.200q: %w", raw, err)
	}
	fields, known := required[generation][f.Type]
	if !known {
		return fmt.Errorf("frame %.200q: the type is not known", raw)
	}
	for _, name := range fields {
		if _, ok := keys[name]; !ok {
			return fmt.Errorf("frame %.200q: %s is missing", raw, name)
		}
	}
	return nil
}

// promptOf returns the text of a prompt: a string, or the JSON of anything else.
func promptOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	return string(content)
}
