package inbox

import (
	"slices"
	"strings"

	pb "betcode/proto/betcode/v1"
)

// Queue holds the requests that wait for a person, the oldest first.
type Queue struct {
	waiting []*Request
	decided map[string]bool // requests and questions that were answered here, or resolved
	leaving map[string]bool // calls that leave plan mode, after which edits are accepted
}

// Event takes an event. It reports whether it was about a request.
func (q *Queue) Event(e *pb.AgentEvent) bool {
	switch event := e.GetEvent().(type) {
	case *pb.AgentEvent_PermissionRequest:
		id := event.PermissionRequest.GetRequestId()
		if r := q.request(id); r != nil {
			r.Permission = event.PermissionRequest
		}
	case *pb.AgentEvent_UserQuestion:
		id := RequestOf(event.UserQuestion.GetQuestionId())
		if q.decided[event.UserQuestion.GetQuestionId()] {
			return true
		}
		r := q.request(id)
		if r == nil {
			return true
		}
		same := func(o *pb.UserQuestion) bool { return o.GetQuestionId() == event.UserQuestion.GetQuestionId() }
		if i := slices.IndexFunc(r.Questions, same); i >= 0 {
			r.Questions[i] = event.UserQuestion
		} else {
			r.Questions = append(r.Questions, event.UserQuestion)
		}
	case *pb.AgentEvent_PermissionResolved:
		q.Done(event.PermissionResolved.GetRequestId())
	default:
		return false
	}
	return true
}

// request returns the request with an id, which it adds; nil if it was decided.
func (q *Queue) request(id string) *Request {
	if q.decided[id] {
		return nil
	}
	if i := slices.IndexFunc(q.waiting, func(r *Request) bool { return r.ID == id }); i >= 0 {
		return q.waiting[i]
	}
	r := &Request{ID: id}
	q.waiting = append(q.waiting, r)
	return r
}

// RequestOf returns the id of the request that a question belongs to: several questions share one.
func RequestOf(question string) string {
	request, _, _ := strings.Cut(question, "/")
	return request
}

// Done removes a request with its questions.
func (q *Queue) Done(id string) {
	q.note(id)
	q.waiting = slices.DeleteFunc(q.waiting, func(r *Request) bool {
		if r.ID == id && r.acceptsEdits {
			if q.leaving == nil {
				q.leaving = map[string]bool{}
			}
			q.leaving[r.Permission.GetToolUseId()] = true
		}
		return r.ID == id
	})
}

func (q *Queue) note(id string) {
	if q.decided == nil {
		q.decided = map[string]bool{}
	}
	q.decided[id] = true
}

// Due returns what an earlier answer wants sent now that an event has come; nil if that is nothing.
func (q *Queue) Due(e *pb.AgentEvent) *pb.AgentRequest {
	r := e.GetToolCallResult()
	if r == nil || !q.leaving[r.GetToolId()] {
		return nil
	}
	delete(q.leaving, r.GetToolId())
	if r.GetIsError() {
		return nil
	}
	return &pb.AgentRequest{Request: &pb.AgentRequest_Settings{Settings: &pb.SessionSettingsChange{PermissionMode: acceptEdits}}}
}

// Key is the key of the head; empty if nothing waits.
func (q *Queue) Key() string {
	if len(q.waiting) == 0 {
		return ""
	}
	return q.waiting[0].Key()
}

// Forget drops everything, because the history begins anew.
func (q *Queue) Forget() { *q = Queue{} }

// Head returns the request to answer next; nil if there is none.
func (q *Queue) Head() *Request {
	if len(q.waiting) == 0 {
		return nil
	}
	return q.waiting[0]
}

// Len returns how many requests wait.
func (q *Queue) Len() int { return len(q.waiting) }
