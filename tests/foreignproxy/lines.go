package foreignproxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// modelled returns a line as the proxy forwards it: read into its own types and written anew, with
// sorted keys and without nulls. An error ends the session of G1.
func modelled(generation int, raw json.RawMessage) (json.RawMessage, error) {
	var line map[string]any
	if err := json.Unmarshal(raw, &line); err != nil {
		if generation == 1 {
			return nil, fmt.Errorf("agent line %.200q: %w", raw, err)
		}
		return wrapped(raw)
	}
	kind, _ := line["type"].(string)
	known := []string{"system", "user", "assistant", "result", "control_request", "error", "portal"}
	if generation >= 2 {
		known = append(known, "rate_limit_event")
	}
	if generation == 3 {
		known = append(known, "stream_event")
	}
	if !slices.Contains(known, kind) {
		if generation == 1 {
			return nil, fmt.Errorf("agent line of type %q", kind)
		}
		return wrapped(raw)
	}
	if generation == 1 && kind == "result" {
		usage, _ := line["usage"].(map[string]any)
		tools, _ := usage["server_tool_use"].(map[string]any)
		if usage["service_tier"] == nil || tools["web_fetch_requests"] == nil {
			return nil, errors.New("a result without usage.service_tier or server_tool_use.web_fetch_requests")
		}
	}
	trim(line)
	switch {
	case generation == 1 && kind == "user":
		line = pick(line, "type", "message", "session_id")
	case generation == 1 && kind == "result":
		delete(line, "modelUsage")
	}
	return json.Marshal(line)
}

// wrapped is a note with a line that the proxy cannot read.
func wrapped(raw json.RawMessage) (json.RawMessage, error) {
	return json.Marshal(map[string]any{"type": "portal", "content": []any{map[string]any{"type": "text", "text": string(raw)}}})
}

// trim drops nulls.
func trim(value any) {
	switch value := value.(type) {
	case map[string]any:
		for k, v := range value {
			if v == nil {
				delete(value, k)
			}
			trim(v)
		}
	case []any:
		for _, v := range value {
			trim(v)
		}
	}
}

func pick(line map[string]any, keys ...string) map[string]any {
	out := map[string]any{}
	for _, k := range keys {
		if v, ok := line[k]; ok {
			out[k] = v
		}
	}
	return out
}

// UserLine is the echo of a prompt.
func UserLine(prompt string) any {
	return map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": prompt}}}}
}

// AssistantLine is a text of the agent.
func AssistantLine(text string) any {
	return map[string]any{"type": "assistant", "message": map[string]any{
		"id": "msg", "type": "message", "role": "assistant", "model": "model", "stop_reason": nil,
		"content": []any{map[string]any{"type": "text", "text": text}},
		"usage":   map[string]any{"input_tokens": 1, "output_tokens": 1},
	}}
}

// ResultLine ends a turn.
func ResultLine(text string) any {
	return map[string]any{
		"type": "result", "subtype": "success", "is_error": false, "duration_ms": 5, "duration_api_ms": 4, "num_turns": 1, "result": text,
		"total_cost_usd": 0.01, "permission_denials": []any{},
		"usage": map[string]any{
			"input_tokens": 3, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "service_tier": "standard",
			"server_tool_use": map[string]any{"web_search_requests": 0, "web_fetch_requests": 0},
		},
	}
}
