package pool

import (
	"time"

	"betcode/messages"
)

// An agent is started only if it fits into the available memory. An agent takes a while to reach its size, so agents that were
// started lately count with the estimate.
const (
	// memoryGrows is how long after its start an agent counts with the estimate.
	memoryGrows = 10 * time.Second
	// memoryPoll is how often the memory is measured while a session waits for it.
	memoryPoll = 2 * time.Second
)

// Measures reports whether the step for a message needs to know how much memory is available.
func (s State) Measures(m any) bool {
	_, wants := m.(Want)
	return s.settings.MinFreeMemory > 0 && (wants || len(s.waiting) > 0)
}

// needed returns how much memory must be available for one more agent to start.
func (s State) needed(now Env) int64 {
	growing := int64(1)
	for _, h := range s.used {
		if now.At.Sub(h.granted) < memoryGrows {
			growing++
		}
	}
	return s.settings.MinFreeMemory + growing*s.settings.AgentMemory
}

// lacksMemory reports whether there is too little memory for one more agent.
func (s State) lacksMemory(now Env) bool {
	return s.settings.MinFreeMemory > 0 && now.Free > 0 && now.Free < s.needed(now)
}

// memoryDue returns when the memory is to be measured again; the zero time if no session waits for memory alone.
func (s State) memoryDue(now Env) time.Time {
	if s.stopped || !s.free() || !s.lacksMemory(now) || !s.before(now, true) {
		return time.Time{}
	}
	return now.At.Add(memoryPoll)
}

// noteMemory adds the missing memory to the queue, while sessions wait for it.
func (s State) noteMemory(now Env, q *messages.SlotQueue) bool {
	if s.memoryDue(now).IsZero() {
		return false
	}
	q.FreeMemory, q.NeededMemory = now.Free, s.needed(now)
	return true
}
