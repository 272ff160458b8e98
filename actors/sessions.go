package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/daybudget"
	"betcode/actors/disk"
	"betcode/actors/internal/act"
	"betcode/actors/journal"
	"betcode/actors/pool"
	"betcode/actors/session"
	"betcode/actors/settings"
	"betcode/messages"
	"betcode/messages/failpoint"
)

// sessions finds the actor of a session, starts it when a request needs it and
// stops it when it is idle: a session without streams and without a running agent
// is only a record in the journal.
//
// What survives a restart: nothing of its own. Its children stop with it; those
// with work left are started again from the journal.
type sessions struct {
	deps    *System
	session *session.Deps // for all sessions
	live    map[messages.SessionID]*actor.PID
	leaving map[messages.SessionID][]routed // actors that are being stopped, with the requests that arrived meanwhile
	ending  []*actor.PID                    // callers that wait for the end of all agents
	left    map[messages.SessionID]bool     // sessions whose agents have not ended yet
	begun   map[messages.SessionID]bool     // sessions whose actors have started once
	closed  bool
}

// routed is a request that waits for its session's actor.
type routed struct {
	from    *actor.PID
	message any
}

// addressed is a message for one session, if its actor lives.
type addressed struct {
	session messages.SessionID
	message any
}

// unfinished lists the sessions with work left, as found in the journal.
type unfinished struct {
	ids []messages.SessionID
	err error
}

func sessionsProps(s *System) *actor.Props {
	return s.tree.Props("sessions", s.policy, func() actor.Actor {
		return &sessions{
			deps: s, session: s.sessionDeps(), live: map[messages.SessionID]*actor.PID{}, leaving: map[messages.SessionID][]routed{},
			begun: map[messages.SessionID]bool{},
		}
	})
}

// Receive implements actor.Actor.
func (s *sessions) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		root, self, store := ctx.ActorSystem().Root, ctx.Self(), s.deps.options.Store
		s.deps.background.Do(func() any {
			ids, err := store.Unfinished()
			root.Send(self, unfinished{ids, err})
			return nil
		})
	case unfinished:
		if m.err != nil {
			panic("find unfinished sessions: " + m.err.Error())
		}
		failpoint.Hit(failpoint.Recovered)
		for _, id := range m.ids {
			s.find(ctx, id)
		}
		s.deps.recovered(len(m.ids))
	case messages.SessionRequest:
		s.route(ctx, m.Target(), routed{ctx.Sender(), m})
	case messages.Detach:
		s.detach(ctx, m)
	case session.Rebuild:
		s.replace(ctx, m.Session)
	case journal.Restarted, journal.Recovered, pool.Restarted, disk.Changed, settings.Changed, daybudget.Changed, daybudget.Again:
		for _, pid := range s.live {
			ctx.Send(pid, m)
		}
	case session.Toward:
		if m.Start {
			s.route(ctx, m.Session, routed{nil, m.Message})
		} else {
			s.sendTo(ctx, m.Session, m.Message)
		}
	case addressed:
		s.sendTo(ctx, m.session, m.message)
	case session.Idle:
		s.offerLeave(ctx, m.Session)
	case session.LeaveAnswer:
		s.leave(ctx, m)
	case *actor.Terminated:
		s.gone(ctx, m.Who)
	case session.EndAgent:
		s.endAll(ctx)
	case session.Started:
		if pid := s.live[m.Session]; pid != nil && s.left[m.Session] {
			ctx.Request(pid, session.EndAgent{})
		}
		s.restarted(ctx, m.Session)
	case session.AgentEnded:
		s.ended(ctx, m.Session)
	}
}

// route sends a request to its session, with the caller as sender.
func (s *sessions) route(ctx actor.Context, id messages.SessionID, r routed) {
	if s.closed {
		act.Send(ctx, r.from, messages.Errorf("find session", messages.Unavailable, "the daemon is shutting down").
			WithHint("connect again in a moment"))
		return
	}
	if waiting, leaving := s.leaving[id]; leaving {
		s.leaving[id] = append(waiting, r)
		return
	}
	ctx.RequestWithCustomSender(s.find(ctx, id), r.message, r.from)
}

func (s *sessions) sendTo(ctx actor.Context, id messages.SessionID, message any) {
	if pid := s.live[id]; pid != nil {
		ctx.Send(pid, message)
	}
}

// detach reports to a session that a stream has ended, behind the requests that are queued for it: one may attach that stream.
func (s *sessions) detach(ctx actor.Context, m messages.Detach) {
	if waiting := s.leaving[m.Session]; len(waiting) > 0 {
		s.leaving[m.Session] = append(waiting, routed{nil, m})
		return
	}
	s.sendTo(ctx, m.Session, m)
}

func (s *sessions) find(ctx actor.Context, id messages.SessionID) *actor.PID {
	if pid := s.live[id]; pid != nil {
		return pid
	}
	pid, err := ctx.SpawnNamed(session.Props(s.session, id), act.ChildName("session", id))
	if err != nil {
		panic("start session actor: " + err.Error())
	}
	s.live[id] = pid
	return pid
}

// restarted has the sessions below a restarted one forward their requests to it again. Each finds in its own record whether it is
// below.
func (s *sessions) restarted(ctx actor.Context, id messages.SessionID) {
	if !s.begun[id] {
		s.begun[id] = true
		return
	}
	for _, pid := range s.live {
		ctx.Send(pid, session.ForwardAgain{To: id})
	}
}

// replace stops a session's actor and starts it again, so that it is rebuilt from the
// journal.
func (s *sessions) replace(ctx actor.Context, id messages.SessionID) {
	if pid := s.live[id]; pid != nil {
		delete(s.live, id)
		s.leaving[id] = append(s.leaving[id], routed{})
		ctx.Poison(pid)
		s.deps.crashes.crashed(pid.Id) // callers send their requests again, to its replacement
	}
}
