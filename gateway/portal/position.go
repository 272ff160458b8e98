package portal

import (
	"cmp"
	"slices"

	"betcode/gateway/portal/lines"
	"betcode/gateway/portal/requests"
	pb "betcode/proto/betcode/v1"
)

// maxAsked bounds the waiting requests of a position; agents have only a few at a time.
const maxAsked = 500

// position is a position in a session, with the state that is needed to continue from there. It is pure.
type position struct {
	at      uint64 // number of the newest event
	writer  *lines.Writer
	asked   []*pb.AgentEvent // waiting requests
	decided requests.Decided
}

// next advances by an event and returns its item for pages.
func (p *position) next(e *pb.AgentEvent) *item {
	p.at = max(p.at, e.GetSequence())
	p.note(e)
	return newItem(e, p.writer.Lines(e))
}

// clone returns an independent copy.
func (p *position) clone() position {
	return position{p.at, p.writer.Clone(), slices.Clone(p.asked), p.decided.Clone()}
}

// note stores requests until they are decided.
func (p *position) note(e *pb.AgentEvent) {
	if p.decided.Late(e) {
		return
	}
	switch v := e.GetEvent().(type) {
	case *pb.AgentEvent_PermissionRequest, *pb.AgentEvent_UserQuestion:
		if id := requestOf(e); len(p.asked) < maxAsked && !slices.ContainsFunc(p.asked, func(asked *pb.AgentEvent) bool { return requestOf(asked) == id }) {
			p.asked = append(p.asked, e)
		}
	case *pb.AgentEvent_PermissionResolved:
		id := v.PermissionResolved.GetRequestId()
		p.asked = slices.DeleteFunc(p.asked, func(asked *pb.AgentEvent) bool { return requests.IDOf(asked) == id })
		p.decided.Add(id)
	}
}

// requestOf returns the id of the request in an event.
func requestOf(e *pb.AgentEvent) string {
	return cmp.Or(e.GetPermissionRequest().GetRequestId(), e.GetUserQuestion().GetQuestionId())
}
