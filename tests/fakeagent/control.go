package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
)

// controlRequest is a stdin line of type control_request.
type controlRequest struct {
	RequestID string `json:"request_id"`
	Request   *struct {
		Subtype      string
		Mode         string
		Model        string
		Title        string
		CancelQueued bool   `json:"cancel_queued"`
		MessageUUID  string `json:"message_uuid"`
		TaskID       string `json:"task_id"`
	}
}

// takeRequest answers a control request at once, in the order of stdin.
func (a *agent) takeRequest(line []byte) error {
	var c controlRequest
	_ = json.Unmarshal(line, &c)
	if c.Request == nil {
		return complain("Error: Missing request on control_request")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	r := c.Request
	switch r.Subtype {
	case "initialize":
		a.initialize(c.RequestID)
	case "interrupt":
		a.interrupt(c.RequestID, r.CancelQueued)
	case "end_session":
		a.respond(c.RequestID, nil)
		a.ending = true
		if a.turn == nil {
			a.exit(a.exitCode())
		} else {
			a.withdraw()
			a.turn.stop(errInterrupted)
		}
	case "set_permission_mode":
		a.requestMode(c.RequestID, r.Mode)
	case "set_model":
		model := r.Model
		if model == "" {
			model = a.options.model
		}
		a.model.set(model)
		a.respond(c.RequestID, obj{"model": model})
	case "cancel_async_message":
		a.respond(c.RequestID, obj{"cancelled": a.unqueue(r.MessageUUID), "message_uuid": r.MessageUUID})
	case "stop_task":
		a.stopTask(r.TaskID)
		a.respond(c.RequestID, obj{})
	case "rename_session":
		a.system("session_title_changed", obj{"title": r.Title})
		a.respond(c.RequestID, nil)
	case "set_max_thinking_tokens", "apply_flag_settings", "reload_plugins", "reload_skills":
		a.respond(c.RequestID, nil)
	case "mcp_status":
		a.respond(c.RequestID, obj{"mcpServers": []any{}})
	case "get_binary_version":
		a.respond(c.RequestID, obj{"version": version})
	case "background_tasks", "get_context_usage", "get_session_cost", "get_usage", "get_settings", "list_models":
		a.respond(c.RequestID, obj{})
	default:
		a.refuse(c.RequestID, "Unsupported control request subtype: "+r.Subtype, "unsupported_request")
	}
	return nil
}

// respond answers with success; a nil response is left out.
func (a *agent) respond(id string, response any, beside ...obj) {
	r := obj{"subtype": "success"}
	if id != "" {
		r["request_id"] = id
	}
	if response != any(nil) {
		r["response"] = response
	}
	for _, members := range beside {
		for k, v := range members {
			r[k] = v
		}
	}
	a.out.line(obj{"type": "control_response", "response": r})
}

// refuse answers with an error.
func (a *agent) refuse(id, text, code string) {
	a.out.line(obj{"type": "control_response", "response": obj{
		"subtype": "error", "request_id": id,
		"error": text, "error_code": code,
	}})
}

// initialize may be repeated; it lists what still waits for the host.
func (a *agent) initialize(id string) {
	pending := []obj{}
	for _, q := range a.asks {
		pending = append(pending, q.line)
	}
	state := "idle"
	if a.turn != nil {
		state = "running"
	}
	if len(a.asks) > 0 {
		state = "requires_action"
	}
	a.respond(id, obj{
		"commands": []obj{
			{"name": "clear", "description": "Start a new session with empty context", "argumentHint": "[name]", "builtin": true},
			{"name": "compact", "description": "Free up context by summarizing the conversation so far", "argumentHint": "", "builtin": true},
			{"name": "cost", "description": "Show session cost", "argumentHint": "", "builtin": true},
		},
		"agents": []obj{{"name": "general-purpose", "description": "For anything"}}, "output_style": "default", "pid": os.Getpid(),
		"models":              []obj{{"value": "default", "resolvedModel": a.options.model, "displayName": "Default (recommended)"}, {"value": "fake-large"}},
		"account":             obj{"tokenSource": "none", "apiKeySource": "ANTHROPIC_API_KEY", "apiProvider": "firstParty"},
		"claude_code_version": version, "current_permission_mode": a.mode.get(), "session_state": state,
		"capabilities": capabilities,
	},
		obj{"pending_permission_requests": pending, "pending_user_dialog_requests": []any{}})
	if a.greeted {
		a.tasksChanged()
	}
	a.greeted = true
}

// interrupt ends the running turn; queued messages stay unless cancelQueued is set. When idle it
// ends background agents.
func (a *agent) interrupt(id string, cancelQueued bool) {
	if a.turn != nil {
		a.withdraw()
	}
	still, cancelled := []string{}, []string{}
	for _, m := range a.queue {
		if cancelQueued {
			cancelled = append(cancelled, m.uuid)
			a.lifecycle(m.uuid, "cancelled")
		} else {
			still = append(still, m.uuid)
		}
	}
	response := obj{"still_queued": still}
	if cancelQueued {
		a.queue = nil
		response["cancelled"] = cancelled
	}
	a.respond(id, response)
	if a.turn != nil {
		a.turn.stop(errInterrupted)
		return
	}
	for id := range a.tasks {
		a.stopTask(id)
	}
}

// requestMode is set_permission_mode.
func (a *agent) requestMode(id, mode string) {
	known := slices.Concat(modes, []string{"default"})
	slices.Sort(known)
	known = slices.DeleteFunc(known, func(m string) bool { return m == "manual" })
	switch {
	case !slices.Contains(known, mode):
		a.refuse(id, "Cannot set permission mode: must be one of "+strings.Join(known, ", "), "invalid_mode")
	case mode == "bypassPermissions" && !a.bypass && !a.mayBypass:
		a.refuse(id, "Cannot set permission mode to bypassPermissions because the session was not launched with"+
			" --dangerously-skip-permissions", "bypass_not_launched")
	default:
		a.respond(id, obj{"mode": mode})
		a.setMode(mode)
	}
}

// setMode changes the permission mode and prints the change.
func (a *agent) setMode(mode string) {
	a.mode.set(mode)
	a.system("status", obj{"status": nil, "permissionMode": mode})
}

// unqueue drops a queued message.
func (a *agent) unqueue(uuid string) bool {
	for i, m := range a.queue {
		if m.uuid == uuid {
			a.queue = slices.Delete(a.queue, i, i+1)
			a.lifecycle(uuid, "cancelled")
			return true
		}
	}
	return false
}
