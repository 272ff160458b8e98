package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/session"
	"betcode/messages"
)

func (s *sessions) offerLeave(ctx actor.Context, id messages.SessionID) {
	_, leaving := s.leaving[id]
	if pid := s.live[id]; pid != nil && !leaving && !s.closed {
		s.leaving[id] = []routed{}
		ctx.Send(pid, session.MayLeave{})
	}
}

// leave stops an idle session's actor, or sends it the requests that were queued for it.
func (s *sessions) leave(ctx actor.Context, m session.LeaveAnswer) {
	pid := s.live[m.Session]
	if pid == nil {
		return // its supervisor stopped it meanwhile
	}
	if m.Leaves {
		delete(s.begun, m.Session)
		delete(s.live, m.Session)
		ctx.Poison(pid)
		return
	}
	waiting := s.leaving[m.Session]
	delete(s.leaving, m.Session)
	for _, r := range waiting {
		s.route(ctx, m.Session, r)
	}
}

// gone handles the end of a session's actor: it starts the actor again if requests are queued for it.
func (s *sessions) gone(ctx actor.Context, who *actor.PID) {
	for id, waiting := range s.leaving {
		if who.Id != ctx.Self().Id+"/"+act.ChildName("session", id) {
			continue
		}
		delete(s.leaving, id)
		delete(s.live, id) // if its supervisor stopped it
		for _, r := range waiting {
			if r.message == nil { // from replace
				ctx.Send(s.find(ctx, id), session.Rebuilt{})
				continue
			}
			s.route(ctx, id, r)
		}
		if s.live[id] == nil {
			s.ended(ctx, id)
		}
		return
	}
	for id, pid := range s.live {
		if pid.Id == who.Id { // its supervisor stopped it
			delete(s.live, id)
			s.ended(ctx, id)
			return
		}
	}
}

// endAll ends every agent for the end of the daemon.
func (s *sessions) endAll(ctx actor.Context) {
	s.closed = true
	s.ending = append(s.ending, ctx.Sender())
	s.left = map[messages.SessionID]bool{}
	for id, pid := range s.live {
		s.left[id] = true
		ctx.Request(pid, session.EndAgent{})
	}
	s.reportEnd(ctx)
}

// ended records that a session has no agent left to end.
func (s *sessions) ended(ctx actor.Context, id messages.SessionID) {
	if s.left[id] {
		delete(s.left, id)
		s.reportEnd(ctx)
	}
}

func (s *sessions) reportEnd(ctx actor.Context) {
	if len(s.left) > 0 {
		return
	}
	for _, from := range s.ending {
		act.Send(ctx, from, session.AgentEnded{})
	}
	s.ending = nil
}
