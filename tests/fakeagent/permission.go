package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// call is one tool call.
type call struct {
	id, name string
	input    map[string]any
	task     *task // of a subagent, or nil
}

func newCall(name string, input map[string]any) call {
	return call{id: newID("toolu_"), name: name, input: input}
}

// interactive tools always ask: their answer is the point of them.
func (c call) interactive() bool { return c.name == "AskUserQuestion" || c.name == "ExitPlanMode" }

// ask is a permission request the host has not answered.
type ask struct {
	id       string
	call     call
	line     obj // as it was printed
	question bool
	answer   chan answer // one, at most
}

// answer is what became of a request.
type answer struct {
	closed   bool            // stdin ended first
	failed   string          // the host answered with an error
	response json.RawMessage // or with this
}

// verdict is an answer, understood.
type verdict struct {
	allowed   bool
	input     map[string]any // to run with
	told      string         // to the model, when refused
	interrupt bool           // end the turn
	rules     []string       // tools allowed from now on
	mode      string         // the permission mode from now on
	meta      obj            // members of tool_result_meta besides the id
}

var (
	accepted = obj{"permission_decision": obj{"decision": "accept", "source": "user_temporary"}}
	denied   = obj{
		"non_execution_kind":  "permission-rule",
		"permission_decision": obj{"decision": "reject", "source": "user_reject"},
	}
)

const (
	rejection = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit," +
		" the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
	invalidAnswer = "The canUseTool callback returned an invalid permission result. Expected behavior allow or deny with a message."
	closedStream  = "Tool permission request failed: AbortError: Tool permission stream closed before response received"
)

// decide decides a call by flags, rules and mode; ask reports that the host has to decide.
func (a *agent) decide(c call) (v verdict, ask bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	mode := a.mode.get()
	switch {
	case matches(a.disallowedTools, c):
		return verdict{told: fmt.Sprintf("<tool_use_error>Error: No such tool available: %s</tool_use_error>", c.name), meta: denied}, false
	case mode == "bypassPermissions" && !c.interactive(),
		mode == "acceptEdits" && (c.name == "Edit" || c.name == "Write"),
		matches(a.rules, c) && !c.interactive():
		return verdict{allowed: true, input: c.input}, false
	case a.promptTool != "stdio" || mode == "dontAsk":
		told := fmt.Sprintf("Permission to use %s has been denied.", c.name)
		a.system("permission_denied", obj{
			"tool_name": c.name, "tool_use_id": c.id,
			"decision_reason_type": "mode", "message": told,
		})
		return verdict{told: told, meta: denied}, false
	}
	return verdict{}, true
}

// matches reports whether a rule such as "Bash" or "Bash(touch *)" covers a call.
func matches(rules []string, c call) bool {
	return slices.ContainsFunc(rules, func(rule string) bool {
		name, content, limited := strings.Cut(rule, "(")
		if !limited {
			return name == c.name
		}
		prefix, isPrefix := strings.CutSuffix(strings.TrimSuffix(content, ")"), "*")
		command, _ := c.input["command"].(string)
		prefix = strings.TrimSuffix(prefix, ":")
		return name == c.name && (isPrefix && strings.HasPrefix(command, prefix) || !isPrefix && command == prefix)
	})
}

// request asks the host about a call. The caller waits with await.
func (a *agent) request(c call) *ask {
	q := &ask{id: newUUID(), call: c, question: c.name == "AskUserQuestion", answer: make(chan answer, 1)}
	r := obj{"subtype": "can_use_tool", "tool_name": c.name, "display_name": c.name, "input": c.input, "tool_use_id": c.id}
	if c.interactive() {
		r["requires_user_interaction"] = true
	} else {
		r["permission_suggestions"] = []obj{{
			"type": "addRules", "rules": []obj{{"toolName": c.name}},
			"behavior": "allow", "destination": "localSettings",
		}}
	}
	if description, ok := c.input["description"]; ok {
		r["description"] = description
	}
	if c.task != nil {
		r["agent_id"] = c.task.id
	}
	q.line = obj{"type": "control_request", "request_id": q.id, "request": r}

	a.mu.Lock()
	defer a.mu.Unlock()
	a.state("requires_action")
	if a.eof {
		q.answer <- answer{closed: true}
		return q
	}
	a.asks[q.id] = q
	a.out.line(q.line)
	return q
}

// await waits for the host's answer, without limit.
func (a *agent) await(ctx context.Context, q *ask) (verdict, error) {
	select {
	case <-ctx.Done():
		return verdict{}, context.Cause(ctx)
	case given := <-q.answer:
		v := judge(q.call, given)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.state("running")
		a.rules = append(a.rules, v.rules...)
		if v.mode != "" {
			a.setMode(v.mode)
		}
		return v, nil
	}
}

// withdraw takes back every request of the running turn. The caller holds mu.
func (a *agent) withdraw() {
	for id, q := range a.asks {
		if q.call.task == nil || !q.call.task.background {
			delete(a.asks, id)
			a.out.line(obj{"type": "control_cancel_request", "request_id": id})
		}
	}
}

// takeAnswer passes a control_response to its waiter. Unknown and already answered requests are
// ignored.
func (a *agent) takeAnswer(line []byte) {
	var l struct {
		Response *struct {
			Subtype   string
			RequestID string `json:"request_id"`
			Error     string
			Response  json.RawMessage
		}
	}
	if json.Unmarshal(line, &l) != nil || l.Response == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	q, waiting := a.asks[l.Response.RequestID]
	if !waiting {
		return
	}
	delete(a.asks, q.id)
	given := answer{response: l.Response.Response}
	if l.Response.Subtype == "error" {
		given.failed = "Error: " + l.Response.Error
	}
	q.answer <- given
}
