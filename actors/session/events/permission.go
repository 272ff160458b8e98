package events

import (
	"encoding/json"
	"time"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
	"betcode/messages"
	"betcode/messages/toolcall"
)

// Prompt returns the events that put a request before a person: one PermissionRequest, or a UserQuestion for each question.
func Prompt(p messages.PermissionRecord) []*pb.AgentEvent {
	return claude.PromptEvents(claude.PermissionAsked{
		Request: string(p.Request), Tool: p.Tool, ToolUse: p.ToolUse, Agent: p.Agent, Description: p.Description,
		Input: p.Input, Suggestions: p.Suggestions, Question: p.Question, Why: p.Why, Insists: p.Reason, At: p.ReceivedAt,
	}, p.ExpiresAt)
}

// Forwarded returns the events that put a request before the clients of a session above the subagent that asks. p has the id under
// which that session shows it.
func Forwarded(p messages.PermissionRecord, subagent messages.SessionID, name string) []*pb.AgentEvent {
	prompts := Prompt(p)
	for _, e := range prompts {
		if q := e.GetUserQuestion(); q != nil {
			q.SubagentId, q.SubagentName = string(subagent), name
		}
		if r := e.GetPermissionRequest(); r != nil {
			r.SubagentId, r.SubagentName = string(subagent), name
			r.Description = "subagent " + name + ": " + r.Description // for clients that do not know the fields
		}
	}
	return prompts
}

// Questions returns how many questions a request has, 0 if it asks for a permission.
func Questions(p messages.PermissionRecord) int {
	if !p.Question {
		return 0
	}
	return len(Prompt(p))
}

// wireDecisions has the wire value of each decision, and its reason where no client decided.
var wireDecisions = map[messages.Decision]struct {
	decision pb.PermissionDecision
	reason   string
}{
	messages.AllowOnce:         {pb.PermissionDecision_ALLOW_ONCE, "client"},
	messages.AllowSession:      {pb.PermissionDecision_ALLOW_SESSION, "client"},
	messages.Deny:              {pb.PermissionDecision_DENY, "client"},
	messages.AllowWithEdit:     {pb.PermissionDecision_ALLOW_WITH_EDIT, "client"},
	messages.DenyNoInterrupt:   {pb.PermissionDecision_DENY_NO_INTERRUPT, "client"},
	messages.DenyWithInterrupt: {pb.PermissionDecision_DENY_WITH_INTERRUPT, "client"},
	messages.DecisionAnswered:  {pb.PermissionDecision_ALLOW_ONCE, "client"},
	messages.DecisionWithdrawn: {pb.PermissionDecision_PERMISSION_DECISION_UNSPECIFIED, "withdrawn"},
	messages.DecisionExpired:   {pb.PermissionDecision_DENY, "expired"},
}

// PermissionSuperseded reports that the agent repeats a request under another id.
func PermissionSuperseded(p messages.PermissionRecord, by messages.RequestID) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_PermissionResolved{PermissionResolved: &pb.PermissionResolved{
		RequestId: string(p.Request), ResolvedBy: "agent", Reason: "superseded", SupersededBy: string(by),
	}}}
}

// PermissionResolved reports how a request was decided, and by whom.
func PermissionResolved(p messages.PermissionRecord) *pb.AgentEvent {
	wire := wireDecisions[p.Decision]
	return &pb.AgentEvent{Event: &pb.AgentEvent_PermissionResolved{PermissionResolved: &pb.PermissionResolved{
		RequestId: string(p.Request), Decision: wire.decision, ResolvedBy: p.DecidedBy, Reason: wire.reason, Formerly: idsOf(p.Formerly),
		Description: edited(p), Answers: answersOf(p),
	}}}
}

// edited describes the input that a person allowed in place of the requested one; empty if the input is the requested one.
func edited(p messages.PermissionRecord) string {
	if p.Decision != messages.AllowWithEdit {
		return ""
	}
	var input map[string]any
	if json.Unmarshal(p.Updated, &input) != nil {
		return ""
	}
	return toolcall.Line(p.Tool, input, toolcall.Words(input))
}

// maxAnswer bounds a question and an answer in an event, in characters.
const maxAnswer = 500

// answersOf returns the answers to the questions of a request, shortened.
func answersOf(p messages.PermissionRecord) map[string]string {
	if p.Decision != messages.DecisionAnswered {
		return nil
	}
	out := make(map[string]string, len(p.Answers))
	for question, answer := range p.Answers {
		out[texts.Shorten(question, maxAnswer)] = texts.Shorten(answer, maxAnswer)
	}
	return out
}

func idsOf(requests []messages.RequestID) []string {
	var ids []string
	for _, id := range requests {
		ids = append(ids, string(id))
	}
	return ids
}

// PermissionExtended announces a later deadline to attached clients. It has no number: a client that attaches later reads the
// deadline in the request.
func PermissionExtended(p messages.PermissionRecord) *pb.AgentEvent {
	return Notice("PERMISSION_EXTENDED", "The request waits longer, because a client is active on the session",
		map[string]string{"request_id": string(p.Request), "expires_at": p.ExpiresAt.UTC().Format(time.RFC3339)})
}
