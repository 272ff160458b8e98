package inbox

import (
	pb "betcode/proto/betcode/v1"
)

// Request is a permission request, or the questions of one request.
type Request struct {
	ID         string
	Permission *pb.PermissionRequest // or
	Questions  []*pb.UserQuestion

	acceptsEdits bool // the plan was approved so that edits are accepted from then on
}

// Key identifies the next item to answer: the request, or the first of its questions.
func (r *Request) Key() string {
	if r.Permission != nil {
		return r.ID
	}
	return r.Questions[0].GetQuestionId()
}

// Plan reports whether the request is the approval of a plan.
func (r *Request) Plan() bool { return r.Permission.GetToolName() == "ExitPlanMode" }

// SubagentOf returns the subagent whose request or question an event forwards; empty if the session's own agent asks.
func SubagentOf(e *pb.AgentEvent) (id, name string) {
	if p := e.GetPermissionRequest(); p != nil {
		return p.GetSubagentId(), p.GetSubagentName()
	}
	return e.GetUserQuestion().GetSubagentId(), e.GetUserQuestion().GetSubagentName()
}

// Decide returns an answer to a permission request.
func Decide(request string, decision pb.PermissionDecision, message string) *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{
		RequestId: request, Decision: decision, Message: message,
	}}}
}

// Decline returns the answer of a person who answers no question of a request.
func Decline(request string) *pb.AgentRequest {
	return Decide(request, pb.PermissionDecision_DENY, "The user declined to answer.")
}

// Always returns the answers that allow a request and write the rules that the agent suggests.
func (r *Request) Always() *pb.AgentRequest {
	answer := Decide(r.ID, pb.PermissionDecision_ALLOW_ONCE, "")
	answer.GetPermission().ApplySuggestions = ReadAlways(r.Permission.GetSuggestions()).Indices
	return answer
}

// acceptEdits is the permission mode in which the agent changes files of its directory without asking.
const acceptEdits = "acceptEdits"

// AcceptEdits returns the answer that approves a plan and lets its edits happen without further requests: by the agent's own
// suggestion if it makes one. Otherwise [Queue.Due] returns a change of the mode when the agent has left its plan mode, because
// leaving it sets the mode as well.
func (r *Request) AcceptEdits() *pb.AgentRequest {
	answer := Decide(r.ID, pb.PermissionDecision_ALLOW_ONCE, "")
	if i, suggested := suggestedMode(r.Permission.GetSuggestions(), acceptEdits); suggested {
		answer.GetPermission().ApplySuggestions = []uint32{i}
		return answer
	}
	r.acceptsEdits = true
	return answer
}
