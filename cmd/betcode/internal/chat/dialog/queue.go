package dialog

import (
	"slices"
	"strings"

	pb "betcode/proto/betcode/v1"
)

// Request is a permission request, or the questions of one request.
type Request struct {
	ID         string
	Permission *pb.PermissionRequest // or
	Questions  []*pb.UserQuestion
}

// Queue holds the requests that wait for a person, the oldest first.
type Queue struct {
	waiting []*Request
	decided map[string]bool // answered here, or resolved
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
		id, _, _ := strings.Cut(event.UserQuestion.GetQuestionId(), "/") // several questions share a request
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

// Done removes a request.
func (q *Queue) Done(id string) {
	if q.decided == nil {
		q.decided = map[string]bool{}
	}
	q.decided[id] = true
	q.waiting = slices.DeleteFunc(q.waiting, func(r *Request) bool { return r.ID == id })
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
