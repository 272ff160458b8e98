package socket

import (
	"encoding/json"

	pb "betcode/proto/betcode/v1"
)

func (t *translator) permission(r *pb.PermissionRequest) {
	if t.requests.known(r.GetRequestId()) {
		return // repeated for clients that may have missed it
	}
	t.closeMessages()
	t.system()
	line := permissionRequest{
		head: t.head("permission_request"), Request: t.requests.number(r.GetRequestId()), Tool: r.GetToolName(),
		Input: r.GetInput().AsMap(), ToolUse: r.GetToolUseId(),
	}
	if raw := r.GetSuggestions(); json.Valid(raw) {
		line.Suggestions = raw
	}
	t.ask(&prompt{number: line.Request, request: r.GetRequestId(), input: r.GetInput(), line: line})
}

// question collects the questions of one request, since the agent asks them together.
func (t *translator) question(q *pb.UserQuestion) {
	request := requestOf(q.GetQuestionId())
	if t.requests.known(request) {
		return
	}
	one := question{Question: q.GetQuestion(), Options: []option{}, MultiSelect: q.GetMultiSelect()}
	for _, o := range q.GetOptions() {
		one.Options = append(one.Options, option{o.GetLabel(), o.GetDescription()})
	}
	at := len(t.asking)
	if at < len(t.asks) && t.asks[at].Question == one.Question {
		one.Header = t.asks[at].Header
	} else {
		t.asks = nil // the call is another one, or unknown
	}
	if t.asking = append(t.asking, one); len(t.asking) < len(t.asks) {
		return
	}
	t.closeMessages()
	t.system()
	line := questionLine{t.head("question"), t.requests.number(request), t.asking}
	t.asks, t.asking = nil, nil
	t.ask(&prompt{number: line.Request, request: request, question: true, line: line})
}

// ask sends a prompt to the client.
func (t *translator) ask(p *prompt) {
	t.requests.prompts[p.number], p.shown = p, true
	t.put(p.line)
}

func (t *translator) resolved(r *pb.PermissionResolved) {
	p := t.requests.resolve(r.GetRequestId(), r.GetSupersededBy())
	if p == nil || !t.extended {
		return
	}
	behavior := "deny"
	switch r.GetDecision() {
	case pb.PermissionDecision_ALLOW_ONCE, pb.PermissionDecision_ALLOW_SESSION, pb.PermissionDecision_ALLOW_WITH_EDIT:
		behavior = "allow"
	case pb.PermissionDecision_PERMISSION_DECISION_UNSPECIFIED:
		behavior = "withdrawn"
	case pb.PermissionDecision_DENY, pb.PermissionDecision_DENY_NO_INTERRUPT, pb.PermissionDecision_DENY_WITH_INTERRUPT:
	}
	t.put(resolvedLine{t.head("request_resolved"), p.number, behavior, r.GetResolvedBy()})
}

// questionsIn returns the questions of an AskUserQuestion call; nil if they have an unexpected form.
func questionsIn(input map[string]any) []question {
	list, _ := input["questions"].([]any)
	var all []question
	for _, each := range list {
		q, ok := each.(map[string]any)
		if !ok {
			return nil
		}
		text, _ := q["question"].(string)
		header, _ := q["header"].(string)
		all = append(all, question{Question: text, Header: header})
	}
	return all
}
