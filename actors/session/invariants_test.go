package session

import (
	"slices"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/pool"
	"betcode/actors/session/ending"
	"betcode/actors/session/slot"
	"betcode/messages"
)

// check checks that every acknowledged message is pending or settled.
func (w *world) check() {
	if w.b.state.durable.failure != nil {
		return // what it makes of them is not true for good
	}
	for key := range w.accepted {
		if !w.settled[key] && !w.b.state.inputs.Has(key) {
			w.fail("message %s was acknowledged and is gone", key)
		}
	}
	if r := w.b.state.record.Repetition; r.Active() && (r.Sent > r.Max || !w.b.state.busy()) {
		w.fail("the repetition %+v goes on with nothing that answers it", r)
	}
	w.checkLock()
}

// checkLock checks that each waiter waits for a holder, and that a timer is set for it.
func (w *world) checkLock() {
	l := &w.b.state.lock
	if next := l.Next(); !next.IsZero() && (l.wake.IsZero() || l.wake.After(next)) && w.b.state.durable.failure == nil {
		w.fail("the lock is due at %s, and looked at %s", next, l.wake)
	}
	if l.Contested() && (l.Holder() == "" || slices.Contains(l.Waiting(), l.Holder())) {
		w.fail("%q holds the lock while %v wait", l.Holder(), l.Waiting())
	}
}

// behaves lets the agent do what a good agent does next.
func (w *world) behaves() {
	a := w.agent
	var items []claude.Item
	for _, id := range a.barriers {
		items = append(items, claude.ControlAnswered{Request: id, OK: true})
	}
	for _, id := range a.open {
		items = append(items, claude.PermissionWithdrawn{Request: id})
	}
	for _, key := range a.inbox {
		items = append(items, heard(key, claude.Queued), heard(key, claude.Started))
	}
	keys := slices.Concat(a.begun, a.inbox)
	if len(keys) > 0 && !a.turn {
		items = append(items, begun())
	}
	if len(keys) > 0 || a.turn {
		if c := w.b.state.record.Past.Compaction; w.b.state.compacting() && slices.Contains(keys, c.Key) {
			items = append(items, claude.Compacted{TokensBefore: 1800, TokensAfter: 260})
		}
		items = append(items, claude.TurnEnded{Inputs: keys, StopReason: "end_turn", ContextTokens: 1000})
	}
	w.says(items...)
	a.barriers, a.open, a.inbox, a.begun = nil, nil, nil, nil
}

// rest lets a good world go on until nothing happens any more, and checks that
// the session has nothing left to do.
func (w *world) rest() {
	if w.b.state.ending.Shutdown {
		w.crash() // the next daemon
	}
	w.sendToPool("another", pool.Release{Session: "another"})
	w.stopFleet(false)
	if w.failing {
		w.mend()
	}
	w.fill(false)
	for range 30 {
		for len(w.b.waiting) > 0 {
			w.commit()
		}
		for len(w.mailbox) > 0 {
			w.deliver()
		}
		if w.b.state.record.Condition == messages.AgentAlarmed { // someItem forges messages; a person lets the agent go on
			w.asks(messages.ContinueSession{Session: sessionA})
		}
		switch {
		case w.run != nil && !w.run.opened:
			w.open(true)
		case w.agentLives() && w.agent.stopping:
			w.dies(messages.Exit{Known: true, Reason: "exited"})
		case w.agentLives() && w.run != nil:
			w.behaves()
			w.says(claude.BackgroundTasks{}, claude.SessionStateChanged{State: "idle"})
		}
		for w.canRead() {
			before := len(w.mailbox)
			w.read(100)
			if len(w.mailbox) == before {
				break
			}
		}
		w.b.now = w.b.now.Add(2 * time.Minute)
		w.sendToPool(sessionA, pool.Resume{}) // also without a stop: it ends limits of the account
		w.wake()
		w.check()
	}
	s := w.b.state
	if calls := s.lock.pending(); len(calls) > 0 {
		w.fail("%d wait for an answer about the lock", len(calls))
	}
	if s.slot.State() == slot.None && (w.pool.Uses(sessionA) || w.pool.Uses("another")) || s.slot.State() != slot.None && !s.active() {
		w.fail("the pool says %+v; the session says %d, active %v", w.pool, s.slot.State(), s.active())
	}
	if s.compacting() || len(s.compaction.waiting) > 0 {
		w.fail("a compaction does not end: %+v, %d wait", s.record.Past.Compaction, len(s.compaction.waiting))
	}
	if len(w.b.stops) > 0 || s.ending.SavingStop || len(s.ending.Waiters[ending.Stop]) > 0 {
		w.fail("a stop does not end: %v, %v, %d wait", w.b.stops, s.ending.SavingStop, len(s.ending.Waiters[ending.Stop]))
	}
	if s.ending.Restart || len(s.ending.Waiters[ending.Restart]) > 0 {
		w.fail("a restart does not end: %v, %d wait", s.ending.Restart, len(s.ending.Waiters[ending.Restart]))
	}
	if s.busy() && !s.blocked() || s.record.StopWanted || s.record.Phase == messages.PhaseActive {
		w.fail("it does not come to rest: %s, turn %v, inputs %v, active %v", s.record.Phase, s.record.Turn, s.inputs, s.active())
	}
}
