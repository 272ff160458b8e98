package claude

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"betcode/messages"
	betcodev1 "betcode/proto/betcode/v1"
)

const toolAskUserQuestion = "AskUserQuestion"

// controlRequest translates a request of the agent.
func (t *translation) controlRequest() {
	r := &t.l.Request
	t.expectEcho(t.l.RequestID)
	switch {
	case t.l.RequestID == "": // cannot be answered
		t.keepRaw(reasonNoID)
	case r.Subtype == "can_use_tool":
		t.add(t.asked(t.l.RequestID, r))
	default:
		t.l.Subtype = r.Subtype
		t.keepRaw(reasonSubtype)
		t.add(ControlAsked{Request: t.l.RequestID, Subtype: r.Subtype, Name: short(cmp.Or(r.Callback, r.Server))})
	}
}

// asked turns a can_use_tool request into a signal, with everything needed to
// decide it and to show it.
func (t *translation) asked(id string, r *controlRequest) PermissionAsked {
	p := PermissionAsked{
		Request:     id,
		Tool:        r.Tool,
		ToolUse:     r.ToolUse,
		Agent:       r.AgentID,
		Input:       present(r.Input),
		Suggestions: present(r.Suggestions),
		NeedsPerson: r.NeedsPerson,
		Insists:     r.insists(),
		At:          t.at,
		Why:         r.why(),
	}
	args := decodeInput(p.Input)
	p.Description = describe(r.Tool, args, r.Description)
	p.Question = r.Tool == toolAskUserQuestion && len(questions(args)) > 0
	if r.AgentID != "" {
		for _, k := range t.s.d.Tasks {
			if k.ID == key(r.AgentID) {
				p.Why.ParentToolUse = short(k.ToolUse)
			}
		}
	}
	return p
}

// present returns raw JSON, or nil if it is empty or null.
func present(raw []byte) []byte {
	if bytes.Equal(raw, []byte("null")) || len(raw) == 0 {
		return nil
	}
	return raw
}

// controlResponse translates an answer to a request of ours. The answer to initialize lists
// again the requests that waited for a decision when the agent made it. Each has had a line
// of its own, and may be decided by now.
func (t *translation) controlResponse() {
	r := &t.l.Response
	if slices.Contains(t.s.d.Echoes, key(r.RequestID)) {
		return
	}
	t.expectEcho(r.RequestID)
	t.add(ControlAnswered{
		Request: r.RequestID, OK: r.Subtype == "success",
		Error: string(r.Error), ErrorCode: r.ErrorCode, Response: present(r.Response),
	})
}

// expectEcho records the id of an answer that contains nothing new, if it comes. Together
// with messages, old versions echo our answers to their requests, and they answer some
// requests of ours twice.
func (t *translation) expectEcho(id string) {
	if t.s.d.Partial && id != "" && !slices.Contains(t.s.d.Echoes, key(id)) {
		t.s.d.Echoes = with(t.s.d.Echoes, key(id), maxEchoes)
	}
}

// lifecycle translates the state of a message.
func (t *translation) lifecycle() {
	s := InputState{Key: t.l.Command}
	switch t.l.State {
	case "queued":
		s.State = Queued
	case "started":
		s.State = Started
		t.s.d.Begun = true
		t.taken(s.Key)
	case "completed":
		s.State = Completed
	case "cancelled":
		s.State = Canceled
	case "discarded", "refused": // in no transcript yet; they never ran
		s.State, s.Reason = Canceled, t.l.State
	default:
		t.keepRaw(reasonState)
		return
	}
	t.add(s)
}

// conversationReset translates /clear: the agent has dropped its context, and its counts
// start from zero.
func (t *translation) conversationReset() {
	t.notice("CONVERSATION_RESET", "The agent started a new conversation.", "trigger", t.l.Trigger)
	if len(t.s.d.Todos) > 0 {
		t.s.d.Todos = nil
		t.draft(&betcodev1.AgentEvent{Event: &betcodev1.AgentEvent_TodoUpdate{TodoUpdate: &betcodev1.TodoUpdate{}}})
	}
	t.s.d.Cost, t.s.d.Tokens, t.s.d.Context = 0, 0, 0
	t.add(MemoryReset{Trigger: t.l.Trigger})
}

// UnhandledLine answers a request of the agent that the daemon does not handle, as the
// official SDK does for a program that has registered nothing. It is nil where the
// SDK gives no answer: a dialog of a kind that was never declared belongs to another
// client, and an answer would end it.
func UnhandledLine(m ControlAsked) []byte {
	switch m.Subtype {
	case "elicitation":
		return answer(m.Request, struct {
			Action string `json:"action"`
		}{"decline"})
	case "request_user_dialog":
		return nil
	case "hook_callback":
		return RefuseLine(m.Request, "No hook callback found for ID: "+m.Name)
	case "mcp_message":
		return RefuseLine(m.Request, "SDK MCP server not found: "+m.Name)
	}
	return RefuseLine(m.Request, "Unsupported control request subtype: "+m.Subtype)
}

// why returns the agent's explanation of a request, each text on one line.
func (r *controlRequest) why() messages.AskReason {
	return messages.AskReason{
		DisplayName: oneLine(r.DisplayName, maxID), Title: oneLine(string(r.Title), maxID), BlockedPath: oneLine(r.BlockedPath, maxID),
		Reason: oneLine(string(r.DecisionReason), maxID), ReasonType: oneLine(string(r.ReasonType), maxID),
		MatchedRule: oneLine(r.askRule(), maxID), NoSessionGrant: r.NoSessionGrant, DefaultToNo: r.DefaultToNo,
	}
}

// askRule returns the user's own rule that made the agent ask, in the notation of settings.
func (r *controlRequest) askRule() string {
	var rule struct {
		Tool string `json:"tool_name"`
		Rule string `json:"rule_content"`
	}
	if json.Unmarshal(r.AskRule, &rule) != nil || rule.Rule == "" {
		return rule.Tool
	}
	return rule.Tool + "(" + rule.Rule + ")"
}
