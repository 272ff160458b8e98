package pool

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// holder is a session with a slot.
type holder struct {
	account string
	granted time.Time // zero: its agent was adopted
	idle    bool      // its agent has nothing to do
}

// request is a session that waits for a slot.
type request struct {
	session  messages.SessionID
	from     *actor.PID
	account  string
	subagent bool
	reported uint8 // reasons that the session has got, a bit each
}

// deprive takes the slot of a session. The session releases it when its agent has ended.
func (s State) deprive(session messages.SessionID) act.Effect {
	s.deprived[session] = true
	return ToSession{session, Stopped{}}
}

// place decides about a request for a slot. A session requests one slot and keeps it.
func (s State) place(now Env, m Want) Place {
	switch {
	case s.Uses(m.Session):
		return Admitted
	case s.deprived[m.Session]:
		return Queued
	case !s.stopped && s.free() && !s.lacksMemory(now) && !s.breaker.blocks(now, m.Account) && !s.before(now, m.Subagent):
		return Admitted
	case len(s.waiting) < s.settings.MaxWaiting:
		return Queued
	}
	return Full
}

// free reports whether a slot may be granted.
func (s State) free() bool { return len(s.used) < s.settings.MaxAgents }

// before reports whether a session that could be granted a slot precedes a new request.
func (s State) before(now Env, subagent bool) bool {
	return slices.ContainsFunc(s.waiting, func(r request) bool {
		return (subagent || !r.subagent) && !s.breaker.blocks(now, r.account)
	})
}

// enqueue puts a request behind those of its kind. Sessions of people come before subagents.
func (s *State) enqueue(r request) {
	at := len(s.waiting)
	if !r.subagent {
		if i := slices.IndexFunc(s.waiting, func(w request) bool { return w.subagent }); i >= 0 {
			at = i
		}
	}
	s.waiting = slices.Insert(slices.Clip(s.waiting), at, r)
}

// waitingFor counts the sessions of an account that wait.
func (s State) waitingFor(account string) (n int) {
	for _, r := range s.waiting {
		if r.account == account {
			n++
		}
	}
	return n
}

// serve grants the free slots. It asks as many sessions to park their agents as there are sessions that wait for a slot
// alone, and all idle sessions of an account with a limit.
func (s *State) serve(now Env) []act.Effect {
	if s.stopped {
		return nil
	}
	var effects []act.Effect
	for s.free() && !s.lacksMemory(now) {
		i := slices.IndexFunc(s.waiting, func(r request) bool { return !s.breaker.blocks(now, r.account) })
		if i < 0 {
			break
		}
		next := s.waiting[i]
		s.waiting = slices.Delete(slices.Clone(s.waiting), i, i+1)
		s.used[next.session] = holder{account: next.account, granted: now.At}
		s.breaker.granted(now, next.account)
		effects = append(effects, act.Reply{To: next.from, With: Granted{}})
	}
	wanted := 0 // requests that a parked agent's slot would serve
	for _, r := range s.waiting {
		if !s.breaker.blocks(now, r.account) {
			wanted++
		}
	}
	for _, session := range s.resting {
		h := s.used[session]
		limited := h.idle && s.breaker.holds(now, h.account)
		if _, asked := s.parking[session]; !asked && (limited || len(s.parking) < wanted) {
			s.parking[session] = now.At
			effects = append(effects, ToSession{session, Park{}})
		}
	}
	return effects
}

func without(list []messages.SessionID, gone messages.SessionID) []messages.SessionID {
	return slices.DeleteFunc(list, func(id messages.SessionID) bool { return id == gone })
}
