package pool

import (
	"maps"
	"slices"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/health"
	"betcode/actors/internal/act"
	"betcode/actors/settings"
	"betcode/messages"
)

// State is which sessions have a slot and which wait for one. Only the pool, and tests of a session, use it.
type State struct {
	settings *settings.Settings

	used    map[messages.SessionID]bool
	waiting []request                   // first come, first served
	resting []messages.SessionID        // whose agents have nothing to do or yield, longest first
	asking  map[messages.SessionID]bool // whose agents wait for a person
	parking map[messages.SessionID]bool // asked to be parked

	stopped  bool                        // the fleet is stopped: nothing is granted
	deprived map[messages.SessionID]bool // whose slot was taken by that
}

type request struct {
	session messages.SessionID
	from    *actor.PID
}

// ToSession is an effect: send a message to a session.
type ToSession struct {
	Session messages.SessionID
	Message any
}

// Effect implements [act.Effect].
func (ToSession) Effect() {}

// report is an effect: send health the number of agents and waiting sessions, and publish which
// sessions wait.
type report struct {
	pool  health.Pool
	queue messages.SlotQueue
}

func (report) Effect() {}

// New returns an empty pool, of a fleet that is stopped or not.
func New(now *settings.Settings, stopped bool) State {
	return State{
		settings: now, stopped: stopped, deprived: map[messages.SessionID]bool{}, used: map[messages.SessionID]bool{}, parking: map[messages.SessionID]bool{}, asking: map[messages.SessionID]bool{},
	}
}

// Uses reports whether a session has a slot.
func (s State) Uses(session messages.SessionID) bool { return s.used[session] }

// Step takes one message and returns the next state and what to do. It changes the maps of the given state.
func (s State) Step(from *actor.PID, m any) (State, []act.Effect) {
	var effects []act.Effect
	switch m := m.(type) {
	case Want:
		place := s.place(m.Session)
		switch place {
		case Admitted:
			s.used[m.Session] = true
		case Queued:
			s.waiting = append(s.waiting, request{m.Session, from})
		case Full:
		}
		answer := Answer{Place: place, Stopped: s.stopped}
		if place == Queued {
			answer.Asking = s.askers()
		}
		effects = append(effects, act.Reply{To: from, With: answer})
	case Taken:
		s.used[m.Session] = true
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
	case Release:
		delete(s.used, m.Session)
		delete(s.parking, m.Session)
		delete(s.asking, m.Session)
		s.waiting = slices.DeleteFunc(s.waiting, func(r request) bool { return r.session == m.Session })
		s.resting = without(s.resting, m.Session)
	case Resting:
		s.resting = without(s.resting, m.Session)
		if m.Resting {
			s.resting = append(s.resting, m.Session)
		} else {
			delete(s.parking, m.Session)
		}
	case Asking:
		delete(s.asking, m.Session)
		if m.Asking {
			s.asking[m.Session] = true
		}
		return s, []act.Effect{s.report()}
	case settings.Changed:
		s.settings = m.Now
	default:
		return s, nil
	}
	s, more := s.serve()
	effects = append(effects, more...)
	return s, append(effects, s.report())
}

// deprive takes the slot of a session. The session gives it back when its agent has ended.
func (s State) deprive(session messages.SessionID) act.Effect {
	s.deprived[session] = true
	return ToSession{session, Stopped{}}
}

func (s State) report() report {
	queue := messages.SlotQueue{Asking: slices.Sorted(maps.Keys(s.asking))}
	for _, r := range s.waiting {
		queue.Waiting = append(queue.Waiting, r.session)
	}
	return report{health.Pool{Used: len(s.used), Limit: s.settings.MaxAgents, Waiting: len(s.waiting), Queue: s.settings.MaxWaiting, Stopped: s.stopped}, queue}
}

// place decides about a request for a slot. A session asks once; one that has a slot keeps it.
func (s State) place(session messages.SessionID) Place {
	switch {
	case s.used[session]:
		return Admitted
	case s.deprived[session]:
		return Queued
	case s.stopped && len(s.waiting) < s.settings.MaxWaiting:
		return Queued
	case s.stopped:
		return Full
	case len(s.used) < s.settings.MaxAgents && len(s.waiting) == 0:
		return Admitted
	case len(s.waiting) < s.settings.MaxWaiting:
		return Queued
	}
	return Full
}

// serve grants the free slots, and asks as many sessions to park a resting agent as there are sessions that still wait.
func (s State) serve() (State, []act.Effect) {
	if s.stopped {
		return s, nil
	}
	var effects []act.Effect
	for len(s.waiting) > 0 && len(s.used) < s.settings.MaxAgents {
		next := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.used[next.session] = true
		effects = append(effects, act.Reply{To: next.from, With: Granted{}})
	}
	for _, session := range s.resting {
		if len(s.parking) >= len(s.waiting) {
			break
		}
		if !s.parking[session] {
			s.parking[session] = true
			effects = append(effects, ToSession{session, Park{}})
		}
	}
	return s, effects
}

func without(list []messages.SessionID, gone messages.SessionID) []messages.SessionID {
	return slices.DeleteFunc(list, func(id messages.SessionID) bool { return id == gone })
}

// maxNamed bounds how many sessions an answer of the pool names.
const maxNamed = 5

// askers names some of the sessions whose agents wait for a person.
func (s State) askers() string {
	var names []string
	for _, id := range slices.Sorted(maps.Keys(s.asking)) {
		names = append(names, string(id))
	}
	return strings.Join(names[:min(len(names), maxNamed)], ", ")
}
