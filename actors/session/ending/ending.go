package ending

import (
	"maps"
	"slices"
)

// Reason is why an agent is being ended, or a session is. A later one in this list wins over an earlier one that is under way.
type Reason uint8

// The reasons.
const (
	None     Reason = iota
	Park            // the agent rests, or waits for a person: its slot is free for others
	Fleet           // the fleet is stopped: the turn is continued when it is resumed
	Replace         // the agent is to be started with other rules or trust, or does not react
	Restart         // a person wants the agent started again, whether it has work or not
	Stop            // for good; durable as [messages.SessionRecord.StopWanted]
	Shutdown        // the daemon ends; the session goes on with the next one
	Delete          // the session is removed
)

// Final reports whether no agent follows in this daemon without a request of a client.
func (r Reason) Final() bool { return r >= Stop }

// Ending is what is to end, and the requests that wait for it. W is a request.
type Ending[W any] struct {
	Shutdown   bool // the daemon ends
	Restart    bool // an agent is to be started, whether there is work or not
	SavingStop bool // the wish to stop is being saved beside the journal
	Waiters    Waiters[W]
}

// Deleting reports whether the session is being removed.
func (e *Ending[W]) Deleting() bool { return len(e.Waiters[Delete]) > 0 }

// Reason returns why the agent is ended, or is to be; None if it may go on. stop is the durable wish to stop, agent the reason for
// which the process that runs is being ended.
func (e *Ending[W]) Reason(stop bool, agent Reason) Reason {
	switch {
	case e.Deleting():
		return Delete
	case e.Shutdown:
		return Shutdown
	case stop:
		return Stop
	case e.Restart:
		return Restart
	}
	return agent
}

// Waiters are requests by what they wait for. A copy is independent of the original.
type Waiters[W any] map[Reason][]W

// Add adds a request that waits for a reason.
func (w *Waiters[W]) Add(reason Reason, one W) {
	next := maps.Clone(*w)
	if next == nil {
		next = Waiters[W]{}
	}
	next[reason] = append(slices.Clone(next[reason]), one)
	*w = next
}

// Take removes the requests that wait for a reason and returns them.
func (w *Waiters[W]) Take(reason Reason) []W {
	taken := (*w)[reason]
	if len(taken) > 0 {
		*w = maps.Clone(*w)
		delete(*w, reason)
	}
	return taken
}
