package requests

import (
	"cmp"
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"betcode/gateway/portal/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// questionTool is the tool with which agents ask questions; pages get the questions as a permission request.
const questionTool = "AskUserQuestion"

// Queue has the requests of one session that wait for an answer, oldest first.
type Queue struct {
	waiting []*request
	asks    *structpb.Struct // input of the newest call of questionTool
	asking  []any            // questions of one request, until all have arrived
	shown   string           // id of the request that the reader has
	decided Decided
}

// request is a permission or a question that waits.
type request struct {
	message  wire.PermissionRequest
	question bool
	input    *structpb.Struct
}

// Resolved is how a request was decided.
type Resolved struct {
	Tool  string // empty if the request is not known
	Shown bool   // to the reader of this queue
	*pb.PermissionResolved
}

// Event applies an event. It returns a value if the event decides a request.
func (q *Queue) Event(e *pb.AgentEvent) *Resolved {
	if q.decided.Late(e) {
		return nil
	}
	switch v := e.GetEvent().(type) {
	case *pb.AgentEvent_ToolCallStart:
		if v.ToolCallStart.GetToolName() == questionTool {
			q.asks, q.asking = v.ToolCallStart.GetInput(), nil
		}
	case *pb.AgentEvent_PermissionRequest:
		q.permission(v.PermissionRequest)
	case *pb.AgentEvent_UserQuestion:
		q.questions(v.UserQuestion)
	case *pb.AgentEvent_PermissionResolved:
		return q.resolved(v.PermissionResolved)
	}
	return nil
}

// find returns the request with an id; nil if none waits under it.
func (q *Queue) find(id string) *request {
	for _, r := range q.waiting {
		if r.message.RequestID == id {
			return r
		}
	}
	return nil
}

func (q *Queue) permission(p *pb.PermissionRequest) {
	if q.find(p.GetRequestId()) != nil {
		return // repeated for clients that may have missed it
	}
	m := wire.PermissionRequest{RequestID: p.GetRequestId(), ToolName: p.GetToolName(), Input: inputOf(p.GetInput())}
	m.Suggestions = suggestionsOf(p.GetSuggestions())
	q.waiting = append(q.waiting, &request{message: m, input: p.GetInput()})
}

// questions collects the questions of one request, since pages answer them together.
func (q *Queue) questions(question *pb.UserQuestion) {
	id := question.GetQuestionId()
	if at := strings.LastIndexByte(id, '/'); at > 0 {
		id = id[:at]
	}
	if q.find(id) != nil {
		return
	}
	options := []any{}
	for _, o := range question.GetOptions() {
		options = append(options, map[string]any{"label": o.GetLabel(), "description": o.GetDescription()})
	}
	q.asking = append(q.asking, map[string]any{"question": question.GetQuestion(), "header": "", "options": options, "multiSelect": question.GetMultiSelect()})
	list := q.asks.GetFields()["questions"].GetListValue().GetValues()
	if len(q.asking) < len(list) {
		return
	}
	input := q.asks
	if len(list) == 0 { // the call is not known
		input, _ = structpb.NewStruct(map[string]any{"questions": q.asking})
	}
	q.asks, q.asking = nil, nil
	q.waiting = append(q.waiting, &request{
		message: wire.PermissionRequest{RequestID: id, ToolName: questionTool, Input: inputOf(input)}, question: true, input: input,
	})
}

func (q *Queue) resolved(p *pb.PermissionResolved) *Resolved {
	out := &Resolved{PermissionResolved: p}
	q.decided.Add(p.GetRequestId())
	for i, r := range q.waiting {
		if r.message.RequestID != p.GetRequestId() {
			continue
		}
		q.waiting = append(q.waiting[:i:i], q.waiting[i+1:]...)
		out.Tool, out.Shown = r.message.ToolName, q.shown == p.GetRequestId()
		if out.Shown {
			q.shown = ""
		}
		break
	}
	return out
}

// Verdict returns how and by whom a request was decided, in Markdown.
func (r *Resolved) Verdict() string {
	how := "denied"
	switch r.GetDecision() {
	case pb.PermissionDecision_ALLOW_ONCE, pb.PermissionDecision_ALLOW_SESSION, pb.PermissionDecision_ALLOW_WITH_EDIT:
		how = "allowed"
	case pb.PermissionDecision_PERMISSION_DECISION_UNSPECIFIED:
		how = "withdrawn"
	case pb.PermissionDecision_DENY, pb.PermissionDecision_DENY_NO_INTERRUPT, pb.PermissionDecision_DENY_WITH_INTERRUPT:
	}
	return fmt.Sprintf("**%s** was %s by %s", cmp.Or(r.Tool, "A request"), how, messages.ClientID(r.GetResolvedBy()).Shown())
}

// Next returns the request to show; nil if the reader has one, or none waits.
func (q *Queue) Next() *wire.PermissionRequest {
	if q.shown != "" && q.find(q.shown) != nil || len(q.waiting) == 0 {
		return nil
	}
	q.shown = q.waiting[0].message.RequestID
	return &q.waiting[0].message
}

// Has reports whether a request waits.
func (q *Queue) Has(id string) bool { return q.find(id) != nil }

// Waiting returns how many requests wait.
func (q *Queue) Waiting() int { return len(q.waiting) }

// Again forgets which request the reader has, so that Next returns the oldest one again.
func (q *Queue) Again() { q.shown = "" }
