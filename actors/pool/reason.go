package pool

import (
	"maps"
	"slices"
	"time"

	"betcode/actors/health"
	"betcode/actors/internal/act"
	"betcode/messages"
)

// parkPatience is how long a session gets no reason while an agent is being parked for it.
const parkPatience = 5 * time.Second

// reason returns why the request at place i waits, nothing while an agent is being parked for it.
func (s State) reason(now Env, i int) Waits {
	r := s.waiting[i]
	switch {
	case s.stopped:
		return Waits{Reason: messages.SlotFleetStopped}
	case s.breaker.blocks(now, r.account):
		return Waits{Reason: messages.SlotRateLimited, Until: s.breaker.until(r.account)}
	case i < s.beingParked(now):
		return Waits{}
	case s.free() && s.lacksMemory(now):
		return Waits{Reason: messages.SlotMemory, Free: now.Free, Needed: s.needed(now)}
	}
	return Waits{Reason: messages.SlotBusy, Asking: s.askers()}
}

// beingParked counts the agents that are about to release their slots.
func (s State) beingParked(now Env) (n int) {
	for _, at := range s.parking {
		if now.At.Before(at.Add(parkPatience)) {
			n++
		}
	}
	return n
}

// explain reports to each waiting session why it waits, each reason once. The asker gets it with its answer, effects[answered].
func (s *State) explain(now Env, effects []act.Effect, answered int, asker messages.SessionID) []act.Effect {
	var more []act.Effect
	for i := range s.waiting {
		r := &s.waiting[i]
		why := s.reason(now, i)
		bit := uint8(1) << slices.Index(reasons, why.Reason)
		if why.Reason == messages.SlotSoon || r.reported&bit != 0 {
			continue
		}
		r.reported |= bit
		if answered >= 0 && r.session == asker {
			effects[answered] = act.Reply{To: r.from, With: Answer{Place: Queued, Waits: why}}
			continue
		}
		more = append(more, ToSession{r.session, why})
	}
	return more
}

// reasons lists every reason; the index of a reason is its bit in [request].
var reasons = []messages.SlotReason{messages.SlotSoon, messages.SlotBusy, messages.SlotFleetStopped, messages.SlotRateLimited, messages.SlotMemory}

func (s State) report(now Env) report {
	queue := messages.SlotQueue{Asking: slices.Sorted(maps.Keys(s.asking)), Limits: s.breaker.list(), Used: len(s.used), Limit: s.settings.MaxAgents}
	for i, r := range s.waiting {
		why := s.reason(now, i)
		queue.Waiting = append(queue.Waiting, messages.SlotWaiter{Session: r.session, Reason: why.Reason, Until: why.Until})
	}
	low := s.noteMemory(now, &queue)
	return report{health.Pool{
		Used: len(s.used), Limit: s.settings.MaxAgents, Waiting: len(s.waiting), Queue: s.settings.MaxWaiting, Stopped: s.stopped,
		LimitedUntil: s.breaker.last(), LowMemory: low,
	}, queue}
}
