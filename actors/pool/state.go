package pool

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/health"
	"betcode/actors/internal/act"
	"betcode/actors/settings"
	"betcode/messages"
)

// State is which sessions have a slot and which wait for one. It is exported for tests of a session.
type State struct {
	settings *settings.Settings

	used    map[messages.SessionID]holder
	waiting []request                        // in the order in which slots are granted
	resting []messages.SessionID             // whose agents may be parked, longest first
	asking  map[messages.SessionID]bool      // whose agents wait for a person
	parking map[messages.SessionID]time.Time // asked to park, and when

	stopped  bool                        // the fleet is stopped: nothing is granted
	deprived map[messages.SessionID]bool // whose slot the stop took

	breaker breaker
	wake    time.Time // when the timer is due; zero: none is set
}

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

// Env is the input of a step from outside.
type Env struct {
	At     time.Time
	Chance float64 // from [0,1)
	Free   int64   // available bytes of memory; 0 = not known, see [State.Measures]
}

// ToSession is an effect: send a message to a session.
type ToSession struct {
	Session messages.SessionID
	Message any
}

// Effect implements [act.Effect].
func (ToSession) Effect() {}

// report is an effect: send health the number of agents and waiting sessions, and publish the
// queue.
type report struct {
	pool  health.Pool
	queue messages.SlotQueue
}

func (report) Effect() {}

// wakeUp is the message of the timer.
type wakeUp struct{}

// New returns an empty pool with the stored limits of accounts. stopped means that the fleet is stopped.
func New(now *settings.Settings, stopped bool, limits []messages.FleetLimit) State {
	return State{
		settings: now, stopped: stopped, breaker: newBreaker(limits),
		used: map[messages.SessionID]holder{}, asking: map[messages.SessionID]bool{},
		parking: map[messages.SessionID]time.Time{}, deprived: map[messages.SessionID]bool{},
	}
}

// Uses reports whether a session has a slot.
func (s State) Uses(session messages.SessionID) bool {
	_, uses := s.used[session]
	return uses
}

// Step takes one message and returns the next state and what to do. It modifies the maps of the given state.
func (s State) Step(now Env, from *actor.PID, m any) (State, []act.Effect) {
	var effects []act.Effect
	answered := -1 // index of the effect that answers m
	var asker messages.SessionID
	if ended := s.breaker.expire(now, s.waitingFor); ended {
		effects = append(effects, keepLimits{s.breaker.list()})
	}
	switch m := m.(type) {
	case Want:
		place := s.place(now, m)
		switch place {
		case Admitted:
			if !s.Uses(m.Session) {
				s.used[m.Session] = holder{account: m.Account, granted: now.At}
			}
		case Queued:
			s.enqueue(request{session: m.Session, from: from, account: m.Account, subagent: m.Subagent})
		case Full:
		}
		answered, asker = len(effects), m.Session
		effects = append(effects, act.Reply{To: from, With: Answer{Place: place}})
	case Taken:
		s.used[m.Session] = holder{account: m.Account}
		if s.stopped {
			effects = append(effects, s.deprive(m.Session))
		}
	case Stop:
		s.stopped = true
		for _, session := range slices.Sorted(maps.Keys(s.used)) {
			effects = append(effects, s.deprive(session))
		}
	case Resume:
		s.stopped = false
		clear(s.deprived)
		if s.breaker.reset(now, s.waitingFor) {
			effects = append(effects, keepLimits{s.breaker.list()})
		}
	case Limited:
		if s.breaker.limit(now, m) {
			effects = append(effects, keepLimits{s.breaker.list()})
		}
	case Release:
		delete(s.used, m.Session)
		delete(s.parking, m.Session)
		delete(s.asking, m.Session)
		s.waiting = slices.DeleteFunc(s.waiting, func(r request) bool { return r.session == m.Session })
		s.resting = without(s.resting, m.Session)
	case Resting:
		s.rest(m)
	case Asking:
		delete(s.asking, m.Session)
		if m.Asking {
			s.asking[m.Session] = true
		}
		return s, append(effects, s.report(now))
	case settings.Changed:
		s.settings = m.Now
	case wakeUp:
		s.wake = time.Time{}
	default:
		return s, effects
	}
	effects = append(effects, s.serve(now)...)
	effects = append(effects, s.explain(now, effects, answered, asker)...)
	effects = append(effects, s.setTimer(now)...)
	return s, append(effects, s.report(now))
}

// rest records whether the agent of a session may be parked.
func (s *State) rest(m Resting) {
	s.resting = without(s.resting, m.Session)
	h, uses := s.used[m.Session]
	if h.idle = m.Resting && m.Idle; uses {
		s.used[m.Session] = h
	}
	if m.Resting {
		s.resting = append(s.resting, m.Session)
	} else {
		delete(s.parking, m.Session)
	}
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

// setTimer sets the timer for the next time at which something is due.
func (s *State) setTimer(now Env) []act.Effect {
	next := s.due(now)
	if next.IsZero() || !s.wake.IsZero() && !next.Before(s.wake) {
		return nil
	}
	s.wake = next
	return []act.Effect{act.After{Delay: max(next.Sub(now.At), 0), Message: wakeUp{}}}
}

// due returns when something changes without a message; the zero time if nothing does.
func (s State) due(now Env) time.Time {
	next := earliest(s.breaker.due(now), s.memoryDue(now))
	for _, r := range s.waiting {
		if r.reported == 0 && !s.stopped {
			for _, at := range s.parking {
				next = earliest(next, at.Add(parkPatience))
			}
			break
		}
	}
	return next
}

func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func without(list []messages.SessionID, gone messages.SessionID) []messages.SessionID {
	return slices.DeleteFunc(list, func(id messages.SessionID) bool { return id == gone })
}

// maxNamed bounds how many sessions an answer of the pool lists.
const maxNamed = 5

// askers lists some of the sessions whose agents wait for a person.
func (s State) askers() string {
	var names []string
	for _, id := range slices.Sorted(maps.Keys(s.asking)) {
		names = append(names, string(id))
	}
	return strings.Join(names[:min(len(names), maxNamed)], ", ")
}
