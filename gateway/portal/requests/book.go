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

// Book has the requests of one session that wait for an answer, oldest first.
type Book struct {
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
	Shown bool   // to the reader of this book
	*pb.PermissionResolved
}

// Event applies an event. It returns a value if the event decides a request.
func (b *Book) Event(e *pb.AgentEvent) *Resolved {
	if b.decided.Late(e) {
		return nil
	}
	switch v := e.GetEvent().(type) {
	case *pb.AgentEvent_ToolCallStart:
		if v.ToolCallStart.GetToolName() == questionTool {
			b.asks, b.asking = v.ToolCallStart.GetInput(), nil
		}
	case *pb.AgentEvent_PermissionRequest:
		b.permission(v.PermissionRequest)
	case *pb.AgentEvent_UserQuestion:
		b.questions(v.UserQuestion)
	case *pb.AgentEvent_PermissionResolved:
		return b.resolved(v.PermissionResolved)
	}
	return nil
}

// find returns the request with an id; nil if none waits under it.
func (b *Book) find(id string) *request {
	for _, r := range b.waiting {
		if r.message.RequestID == id {
			return r
		}
	}
	return nil
}

func (b *Book) permission(p *pb.PermissionRequest) {
	if b.find(p.GetRequestId()) != nil {
		return // repeated for clients that may have missed it
	}
	m := wire.PermissionRequest{RequestID: p.GetRequestId(), ToolName: p.GetToolName(), Input: inputOf(p.GetInput())}
	m.Suggestions = suggestionsOf(p.GetSuggestions())
	b.waiting = append(b.waiting, &request{message: m, input: p.GetInput()})
}

// questions collects the questions of one request, since pages answer them together.
func (b *Book) questions(q *pb.UserQuestion) {
	id := q.GetQuestionId()
	if at := strings.LastIndexByte(id, '/'); at > 0 {
		id = id[:at]
	}
	if b.find(id) != nil {
		return
	}
	options := []any{}
	for _, o := range q.GetOptions() {
		options = append(options, map[string]any{"label": o.GetLabel(), "description": o.GetDescription()})
	}
	b.asking = append(b.asking, map[string]any{"question": q.GetQuestion(), "header": "", "options": options, "multiSelect": q.GetMultiSelect()})
	list := b.asks.GetFields()["questions"].GetListValue().GetValues()
	if len(b.asking) < len(list) {
		return
	}
	input := b.asks
	if len(list) == 0 { // the call is not known
		input, _ = structpb.NewStruct(map[string]any{"questions": b.asking})
	}
	b.asks, b.asking = nil, nil
	b.waiting = append(b.waiting, &request{
		message: wire.PermissionRequest{RequestID: id, ToolName: questionTool, Input: inputOf(input)}, question: true, input: input,
	})
}

func (b *Book) resolved(p *pb.PermissionResolved) *Resolved {
	out := &Resolved{PermissionResolved: p}
	b.decided.Add(p.GetRequestId())
	for i, r := range b.waiting {
		if r.message.RequestID != p.GetRequestId() {
			continue
		}
		b.waiting = append(b.waiting[:i:i], b.waiting[i+1:]...)
		out.Tool, out.Shown = r.message.ToolName, b.shown == p.GetRequestId()
		if out.Shown {
			b.shown = ""
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
func (b *Book) Next() *wire.PermissionRequest {
	if b.shown != "" && b.find(b.shown) != nil || len(b.waiting) == 0 {
		return nil
	}
	b.shown = b.waiting[0].message.RequestID
	return &b.waiting[0].message
}

// Has reports whether a request waits.
func (b *Book) Has(id string) bool { return b.find(id) != nil }

// Waiting returns how many requests wait.
func (b *Book) Waiting() int { return len(b.waiting) }

// Again forgets which request the reader has, so that Next returns the oldest one again.
func (b *Book) Again() { b.shown = "" }
