package talk

import (
	"fmt"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/inbox"
	pb "betcode/proto/betcode/v1"
)

// Policy is who decides about permissions in a run. It is made by [ParsePolicy].
type Policy string

const (
	askPerson Policy = "ask"
	allowAll  Policy = "allow"
	denyAll   Policy = "deny"
)

// noPersonDecides is the message to the agent when a tool is denied because no person can be asked.
const noPersonDecides = "No person is there to decide: this is an unattended run. Find a way without it, or say what you would need."

// ParsePolicy reads the flag --permissions. Without it a person decides at a terminal. promptFromStdin means that standard input
// is the prompt: then no person can answer.
func ParsePolicy(c *console.Console, flag string, promptFromStdin bool) (Policy, error) {
	switch policy := Policy(flag); policy {
	case askPerson, allowAll, denyAll:
		return policy, nil
	case "":
		if c.Terminal.In && c.Terminal.Err && !promptFromStdin {
			return askPerson, nil
		}
		return denyAll, nil
	default:
		return "", exit.Usage(fmt.Errorf("--permissions %s: it is ask, allow or deny", flag))
	}
}

// budgetTool is the tool of the daemon's own request to raise a budget.
const budgetTool = "Budget"

// denial is a tool that did not run because no person could be asked.
type denial struct {
	Request string `json:"request_id"`
	Tool    string `json:"tool_name"`
}

// asks reports whether an event is a permission request or a question that the session asks after the message was accepted. One that
// is forwarded from a subagent is not: another client may have spawned the subagent.
func (t *turn) asks(e *pb.AgentEvent) bool {
	return t.accepted && e.GetSequence() > 0 && (e.GetPermissionRequest() != nil || e.GetUserQuestion() != nil)
}

// decides returns the request that the policy decides about an event if it is of this run's turn; empty if it decides nothing.
func (t *turn) decides(e *pb.AgentEvent) string {
	request := requestOf(e)
	if e.GetVolatile() || !t.asks(e) || t.policy == askPerson || e.GetPermissionRequest().GetToolName() == budgetTool || t.decided[request] {
		return ""
	}
	return request
}

// requestOf returns the id of a permission request or of the request that has a question.
func requestOf(e *pb.AgentEvent) string {
	if q := e.GetUserQuestion(); q != nil {
		return inbox.RequestOf(q.GetQuestionId())
	}
	return e.GetPermissionRequest().GetRequestId()
}

// forPerson reports whether a person at this run is to answer an event: one of the session since the message was accepted, or of a
// subagent.
func (t *turn) forPerson(e *pb.AgentEvent) bool {
	id, _ := inbox.SubagentOf(e)
	return id != "" || t.asks(e)
}

// behind returns the request of an earlier turn that an event shows to be undecided; empty for other events. The message
// waits for the end of that turn.
func (t *turn) behind(e *pb.AgentEvent) string {
	if id, _ := inbox.SubagentOf(e); id != "" || t.accepted || e.GetSequence() > 0 || e.GetVolatile() {
		return ""
	}
	return requestOf(e)
}

// permission decides by policy. A question has no answer that a policy could give.
func (t *turn) permission(e *pb.AgentEvent, request, tool string, question bool) []*pb.AgentRequest {
	if tool == budgetTool && t.asks(e) && t.policy != askPerson { // no policy spends more than the budget; the request stays for a person
		t.done, t.overBudget = true, true
	}
	if t.decides(e) == "" {
		return nil
	}
	if t.decided == nil {
		t.decided = map[string]bool{}
	}
	t.decided[request] = true
	if t.policy == allowAll && !question {
		return []*pb.AgentRequest{inbox.Decide(request, pb.PermissionDecision_ALLOW_ONCE, "")}
	}
	t.denied = append(t.denied, denial{Request: request, Tool: tool})
	return []*pb.AgentRequest{inbox.Decide(request, pb.PermissionDecision_DENY, noPersonDecides)}
}
