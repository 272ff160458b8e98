package portal

import (
	"cmp"
	"slices"

	"betcode/gateway/portal/lines"
	"betcode/gateway/portal/requests"
	pb "betcode/proto/betcode/v1"
)

// maxAsked bounds the requests that a position knows; agents have a few at a time.
const maxAsked = 500

// position is a place in a session, and what has to be known there to read on. It is pure.
type position struct {
	at      uint64 // number of the newest event
	writer  *lines.Writer
	asked   []*pb.AgentEvent // requests that wait
	decided requests.Decided
}

// next goes on by an event and returns what pages get of it.
func (p *position) next(e *pb.AgentEvent) *item {
	p.at = max(p.at, e.GetSequence())
	p.note(e)
	return newItem(e, p.writer.Lines(e))
}

// clone returns a position of its own.
func (p *position) clone() position {
	return position{p.at, p.writer.Clone(), slices.Clone(p.asked), p.decided.Clone()}
}

// note keeps requests until they are decided.
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

// requestOf returns the id of the request that an event makes.
func requestOf(e *pb.AgentEvent) string {
	return cmp.Or(e.GetPermissionRequest().GetRequestId(), e.GetUserQuestion().GetQuestionId())
}
