package proxytest

import (
	"encoding/json"
	"slices"
)

// shape has the fields that readers of a generation require.
type shape struct {
	from     int // generation
	required []string
}

// shapes lists the types that a proxy may send to the reference, with their required fields.
var shapes = map[string]shape{
	"Register":             {1, []string{"session_id", "session_name", "auth_token", "working_directory", "resuming", "git_branch"}},
	"SequencedOutput":      {1, []string{"seq", "content"}},
	"ClaudeOutput":         {1, []string{"content"}},
	"PermissionRequest":    {1, []string{"request_id", "tool_name", "input"}},
	"InputAck":             {1, []string{"session_id", "ack_seq"}},
	"SessionUpdate":        {1, []string{"session_id"}},
	"Heartbeat":            {2, nil},
	"InputProgressAck":     {3, []string{"session_id", "client_msg_id", "stage"}},
	"FileUploadResult":     {3, []string{"upload_id", "success"}},
	"FileDownloadResponse": {3, []string{"request_id", "success"}},
	"ForwardStatus":        {3, []string{"port", "listening"}},
	"TunnelRefused":        {3, []string{"stream_id", "reason"}},
}

// columns has the widths of columns of the reference.
var columns = map[string]int{"session_name": 255, "git_branch": 255, "request_id": 255, "tool_name": 255, "client_version": 32}

// check records violations that a strict reader would refuse.
func (d *Database) check(f Frame, raw []byte) {
	kind := text(f, "type")
	s, ok := shapes[kind]
	if !ok || d.Generation < s.from {
		d.complain("G%d knows no %q: %.200s", d.Generation, kind, raw)
		return
	}
	for _, key := range s.required {
		if _, there := f[key]; !there {
			d.complain("%s has no %s: %.200s", kind, key, raw)
		}
	}
	for key, width := range columns {
		if len(text(f, key)) > width {
			d.complain("%s of %s has %d bytes", key, kind, len(text(f, key)))
		}
	}
	switch kind {
	case "Register":
		_, second := f["agent_type"]
		_, third := f["capabilities"]
		if second != (d.Generation > 1) || third != (d.Generation > 2) {
			d.complain("not a Register of G%d: %.300s", d.Generation, raw)
		}
	case "SequencedOutput", "ClaudeOutput":
		d.checkLine(content(raw))
	case "PermissionRequest":
		suggestions, _ := f["permission_suggestions"].([]any)
		for _, each := range suggestions {
			m, _ := each.(map[string]any)
			if text(m, "type") == "" || text(m, "destination") == "" {
				d.complain("a suggestion without type and destination: %.300s", raw)
			}
		}
	}
}

// kinds are the types of lines that all generations read.
var kinds = []string{"system", "user", "assistant", "result", "error", "portal"}

func (d *Database) checkLine(raw json.RawMessage) {
	var line struct {
		Type  string `json:"type"`
		Usage *struct {
			Tier *string `json:"service_tier"`
			Tool *struct {
				Fetches *int `json:"web_fetch_requests"`
			} `json:"server_tool_use"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(raw, &line); err != nil || !slices.Contains(kinds, line.Type) {
		d.complain("a line of type %q: %.200s", line.Type, raw)
		return
	}
	if line.Type == "result" && (line.Usage == nil || line.Usage.Tier == nil || line.Usage.Tool == nil || line.Usage.Tool.Fetches == nil) {
		d.complain("a result that G1 cannot read: %.300s", raw)
	}
}
