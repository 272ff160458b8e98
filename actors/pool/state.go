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
