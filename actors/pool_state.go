package actors

import (
	"maps"
	"slices"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/messages"
)

// What sessions and the pool say to each other. A slot is the right to run an
// agent process.
type (
	// slotWanted asks for a slot. Answered with slotAnswer, and with slotGranted
	// when the answer was that it has to wait.
	slotWanted struct{ session messages.SessionID }
	// slotAnswer names, when the session has to wait, some of those whose agents wait
	// for a person, separated by commas.
	slotAnswer struct {
		place  slotPlace
		asking string
	}
	slotGranted struct{}
	// slotTaken says that an agent of the session runs already: one that was
	// adopted. It may exceed the limit.
	slotTaken struct{ session messages.SessionID }
	// slotFreed gives a slot back, or a place in the queue.
	slotFreed struct{ session messages.SessionID }
	// agentRests says whether the session's agent has nothing to do. When others
	// wait, the agent that has rested longest is asked to be parked.
	agentRests struct {
		session messages.SessionID
		resting bool
	}
	// parkAgent asks a session to end an agent that rests. It will be resumed by
	// the next message.
	parkAgent struct{}
	// poolRestarted asks every session to say again what it has and wants.
	poolRestarted struct{}
	// poolLimits says how many agents may run and how many sessions may wait, from
	// now on. Nobody loses what they have.
	poolLimits struct{ limit, queue int }
	// poolHealth tells health how full the pool is.
	poolHealth struct{ used, limit, waiting, queue int }
)

// slotPlace is where a request for a slot stands.
type slotPlace uint8

const (
	slotYes     slotPlace = iota // granted at once
	slotWaiting                  // in the queue
	slotNo                       // the queue is full
)

// poolState is who runs an agent and who waits to.
type poolState struct {
	limit, queue int
	used         map[messages.SessionID]bool
	waiting      []slotRequest               // first come, first served
	resting      []messages.SessionID        // whose agents have nothing to do or yield, longest first
	asking       map[messages.SessionID]bool // whose agents wait for a person
	parking      map[messages.SessionID]bool // asked to be parked
}

type slotRequest struct {
	session messages.SessionID
	from    *actor.PID
}

// The effects of a pool: tell a session something, tell health.
type (
	tellOne struct {
		session messages.SessionID
		message any
	}
	tellHealth struct{ message any }
)

func (tellOne) effect()    {}
func (tellHealth) effect() {}

// step takes one message and returns the next state and what to do. The maps of
// the given state are changed: nobody else has them.
func (s poolState) step(from *actor.PID, m any) (poolState, []effect) {
	var effects []effect
	switch m := m.(type) {
	case slotWanted:
		place := s.place(m.session)
		switch place {
		case slotYes:
			s.used[m.session] = true
		case slotWaiting:
			s.waiting = append(s.waiting, slotRequest{m.session, from})
		case slotNo:
		}
		answer := slotAnswer{place: place}
		if place == slotWaiting {
			answer.asking = s.whoAsks()
		}
		effects = append(effects, reply{from, answer})
	case slotTaken:
		s.used[m.session] = true
	case slotFreed:
		delete(s.used, m.session)
		delete(s.parking, m.session)
		delete(s.asking, m.session)
		s.waiting = slices.DeleteFunc(s.waiting, func(r slotRequest) bool { return r.session == m.session })
		s.resting = without(s.resting, m.session)
	case agentRests:
		s.resting = without(s.resting, m.session)
		if m.resting {
			s.resting = append(s.resting, m.session)
		} else {
			delete(s.parking, m.session)
		}
	case agentAsks:
		delete(s.asking, m.session)
		if m.asking {
			s.asking[m.session] = true
		}
		return s, nil
	case poolLimits:
		s.limit, s.queue = m.limit, m.queue
	default:
		return s, nil
	}
	s, more := s.serve()
	effects = append(effects, more...)
	return s, append(effects, tellHealth{poolHealth{len(s.used), s.limit, len(s.waiting), s.queue}})
}

// place decides about a request for a slot. A session asks once; whoever has a
// slot keeps it.
func (s poolState) place(session messages.SessionID) slotPlace {
	switch {
	case s.used[session]:
		return slotYes
	case len(s.used) < s.limit && len(s.waiting) == 0:
		return slotYes
	case len(s.waiting) < s.queue:
		return slotWaiting
	}
	return slotNo
}

// serve grants what is free, and asks for the parking of as many resting agents
// as there are sessions that still wait.
func (s poolState) serve() (poolState, []effect) {
	var effects []effect
	for len(s.waiting) > 0 && len(s.used) < s.limit {
		next := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.used[next.session] = true
		effects = append(effects, reply{next.from, slotGranted{}})
	}
	for _, session := range s.resting {
		if len(s.parking) >= len(s.waiting) {
			break
		}
		if !s.parking[session] {
			s.parking[session] = true
			effects = append(effects, tellOne{session, parkAgent{}})
		}
	}
	return s, effects
}

func without(list []messages.SessionID, gone messages.SessionID) []messages.SessionID {
	return slices.DeleteFunc(list, func(id messages.SessionID) bool { return id == gone })
}

// maxNamed bounds how many sessions an answer of the pool names.
const maxNamed = 5

// whoAsks names some of the sessions whose agents wait for a person.
func (s poolState) whoAsks() string {
	var names []string
	for _, id := range slices.Sorted(maps.Keys(s.asking)) {
		names = append(names, string(id))
	}
	return strings.Join(names[:min(len(names), maxNamed)], ", ")
}
