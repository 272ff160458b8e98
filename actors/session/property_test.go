package session

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"betcode/actors/disk"
	"betcode/actors/internal/claude"
	"betcode/actors/journal"
	"betcode/actors/pool"
	"betcode/actors/session/ending"
	"betcode/actors/session/slot"
	"betcode/messages"
)

// someItem draws what an agent may say, in no sensible order.
func (w *world) someItem() claude.Item {
	t := w.t
	key := rapid.SampledFrom([]string{"k1", "k2", "k3", "k4", "internal"}).Draw(t, "key")
	id := rapid.SampledFrom([]string{"p1", "p2", "p3"}).Draw(t, "request")
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"k1", "k2", "k3", "k4"}), 0, 3, rapid.ID).Draw(t, "keys")
	switch rapid.IntRange(0, 19).Draw(t, "item") {
	case 0, 1, 2:
		return claude.InputState{Key: key, State: claude.Lifecycle(rapid.IntRange(0, 3).Draw(t, "lifecycle"))}
	case 3, 4:
		return claude.TurnStarted{AgentSession: string(sessionA), Model: rapid.SampledFrom([]string{"opus", "haiku", ""}).Draw(t, "model")}
	case 5, 6:
		return claude.TurnEnded{Inputs: keys, Text: rapid.SampledFrom([]string{"more", "DONE"}).Draw(t, "answer"), IsError: rapid.Bool().Draw(t, "failed"), MemoryGone: rapid.IntRange(0, 6).Draw(t, "gone") == 0}
	case 7:
		return asks(id, rapid.SampledFrom([]string{"Bash", "Write"}).Draw(t, "tool"))
	case 8:
		return questions("q", "Why?", "Who?")
	case 9:
		return claude.PermissionWithdrawn{Request: id}
	case 10:
		return claude.StatusHint{Status: 2}
	case 11:
		return claude.BackgroundTasks{IDs: rapid.SliceOfN(rapid.SampledFrom([]string{"t1", "t2"}), 0, 2).Draw(t, "tasks")}
	case 12:
		return claude.SessionStateChanged{State: rapid.SampledFrom([]string{"running", "requires_action", "idle"}).Draw(t, "state")}
	case 13:
		return claude.ModeChanged{Mode: rapid.SampledFrom([]string{"plan", "default", "-x"}).Draw(t, "mode")}
	case 14:
		return claude.AgentSessionChanged{ID: rapid.SampledFrom([]string{string(sessionA), "x", ""}).Draw(t, "session")}
	case 15:
		return claude.ControlAsked{Request: id, Subtype: "hook_callback"}
	case 16:
		return claude.Compacted{Trigger: "manual", TokensBefore: 1800, TokensAfter: 260}
	case 17:
		return claude.CompactionFailed{Error: "no"}
	case 18:
		return claude.RateLimited{Until: w.b.now.Add(time.Duration(rapid.IntRange(-1, 600).Draw(t, "limit")) * time.Minute)}
	}
	return text("hello")
}

// someRequest draws what clients may ask for.
func (w *world) someRequest() any {
	t := w.t
	client := rapid.SampledFrom([]messages.ClientID{"ann", "bob"}).Draw(t, "client")
	id := rapid.SampledFrom([]messages.RequestID{"p1", "p2", "p3", "q", "q/0", "q/1"}).Draw(t, "request")
	switch rapid.IntRange(0, 26).Draw(t, "request kind") {
	case 0, 1, 2, 3, 4, 5:
		m := input(client, fmt.Sprintf("k%d", rapid.IntRange(1, 4).Draw(t, "key")))
		if rapid.IntRange(0, 3).Draw(t, "repeats") == 0 {
			m.Repeat = &messages.Repeat{Max: rapid.Uint32Range(1, 3).Draw(t, "times")}
		}
		return m
	case 26:
		return messages.StopRepeat{Session: sessionA, Client: client}
	case 6, 7, 8:
		a := answer(client, id, messages.Decision(rapid.IntRange(0, 6).Draw(t, "decision")))
		if id[0] == 'q' && a.Decision == messages.AllowOnce {
			a.Answers = map[string]string{rapid.SampledFrom([]string{"Why?", "Who?"}).Draw(t, "question"): "x"}
		}
		return a
	case 9:
		c := cancel(client)
		c.Force = rapid.Bool().Draw(t, "force")
		return c
	case 10:
		return take(client)
	case 11:
		return release(client)
	case 12:
		return attach(client, rapid.SampledFrom([]string{"s1", "s2"}).Draw(t, "stream"))
	case 13:
		return messages.Detach{Session: sessionA, Stream: rapid.SampledFrom([]string{"s1", "s2"}).Draw(t, "stream")}
	case 14:
		return messages.ChangeSettings{Session: sessionA, Client: client, Model: "haiku", PermissionMode: "plan"}
	case 15:
		return messages.SetGrant{Session: sessionA, Tool: "Bash", Granted: rapid.Bool().Draw(t, "granted")}
	case 16:
		return messages.ClearGrants{Session: sessionA}
	case 17:
		return messages.StopSession{Session: sessionA}
	case 18:
		return messages.GetSession{Session: sessionA}
	case 25:
		limit := rapid.SampledFrom([]uint64{0, 1, 1_000_000}).Draw(t, "budget")
		return messages.SetBudget{Session: sessionA, Client: client, Micros: &limit}
	case 24:
		return messages.RefuseLock{Session: sessionA, Client: client}
	case 21:
		return messages.ContinueSession{Session: sessionA}
	case 22:
		return messages.RestartSession{Session: sessionA}
	case 19, 20:
		return compact(rapid.SampledFrom([]string{"c1", "c2"}).Draw(t, "compaction"))
	}
	return start(client)
}

// Whatever clients ask for, whatever the agent says and does, and whenever the
// journal answers or fails, the disk is full, an actor crashes or time passes: numbers are dense, nothing is
// told before it is durable, a rebuilt session is the same session, and no
// message that was accepted is lost silently. Left in peace with an
// agent that behaves, every session comes to rest.
func TestSessionProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.tell(start("ann"))
		t.Repeat(map[string]func(*rapid.T){
			"":       func(*rapid.T) { w.check() },
			"client": func(*rapid.T) { w.asks(w.someRequest()) },
			"commit": func(t *rapid.T) {
				if len(w.b.waiting) == 0 {
					t.Skip()
				}
				w.commit()
			},
			"mailbox": func(t *rapid.T) {
				if len(w.mailbox) == 0 {
					t.Skip()
				}
				w.deliver()
			},
			"run opens": func(t *rapid.T) {
				if w.run == nil || w.run.opened {
					t.Skip()
				}
				w.open(rapid.IntRange(0, 7).Draw(t, "starts") > 0)
			},
			"run reads": func(t *rapid.T) {
				if !w.canRead() {
					t.Skip()
				}
				w.read(rapid.IntRange(1, 5).Draw(t, "most"))
			},
			"agent speaks": func(t *rapid.T) {
				if !w.agentLives() {
					t.Skip()
				}
				w.says(w.someItem())
			},
			"agent behaves": func(t *rapid.T) {
				if !w.agentLives() {
					t.Skip()
				}
				w.behaves()
			},
			"agent dies": func(t *rapid.T) {
				if !w.agentLives() || rapid.Bool().Draw(t, "not yet") {
					t.Skip()
				}
				w.dies(messages.Exit{Known: rapid.Bool().Draw(t, "seen"), Code: rapid.SampledFrom([]int{0, 1, 143}).Draw(t, "code"), Reason: "exited"})
			},
			"time": func(t *rapid.T) {
				w.b.now = w.b.now.Add(time.Duration(rapid.IntRange(1, 90).Draw(t, "seconds")) * time.Second)
				w.wake()
			},
			"deadline": func(t *rapid.T) {
				id := rapid.SampledFrom([]messages.RequestID{"p1", "p2", "p3", "q"}).Draw(t, "request")
				state, waits := w.asked[id]
				if !waits {
					t.Skip()
				}
				if due := state.Next(); w.b.now.Before(due) {
					w.b.now = due
				}
				next, effects := state.Due(w.b.now)
				w.asked[id] = next
				w.fromPermission(effects)
			},
			"session crashes": func(t *rapid.T) {
				if rapid.Bool().Draw(t, "not yet") {
					t.Skip()
				}
				w.crash()
			},
			"another session": func(t *rapid.T) {
				const other = "another"
				if w.pool.Uses(other) {
					w.sendToPool(other, pool.Release{Session: other})
				} else {
					w.sendToPool(other, pool.Want{Session: other})
				}
			},
			"fleet": func(t *rapid.T) {
				if rapid.IntRange(0, 2).Draw(t, "now") > 0 {
					t.Skip()
				}
				w.stopFleet(!w.fleetStopped)
			},
			"journal fails": func(t *rapid.T) {
				if w.failing || rapid.Bool().Draw(t, "not yet") {
					t.Skip()
				}
				w.failing = true
				w.commit()
			},
			"journal is mended": func(t *rapid.T) {
				if !w.failing {
					t.Skip()
				}
				w.mend()
			},
			"disk": func(*rapid.T) { w.fill(!w.b.full) },
			"pool crashes": func(t *rapid.T) {
				if rapid.Bool().Draw(t, "not yet") {
					t.Skip()
				}
				w.pool = pool.New(w.limits, w.fleetStopped, nil)
				w.mailbox = append(w.mailbox, pool.Restarted{})
			},
			"daemon ends": func(t *rapid.T) {
				if rapid.IntRange(0, 3).Draw(t, "now") > 0 {
					t.Skip()
				}
				w.tell(EndAgent{})
			},
		})
		w.rest()
	})
}

// asks puts a request as the gateway does, which knows the keys in the journal.
func (w *world) asks(m any) {
	if in, ok := m.(messages.SendInput); ok {
		if _, seen := w.b.journal.Keys[in.Key]; seen {
			return
		}
	}
	if c, ok := m.(messages.CompactSession); ok {
		_, c.Repeated = w.b.journal.Keys[c.Key]
		m = c
	}
	w.tell(m)
}

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

func (w *world) commit() {
	if w.failing {
		w.b.refuse()
	} else {
		w.b.commit()
	}
	w.perform()
}

// mend lets the journal be written again.
func (w *world) mend() {
	w.failing = false
	w.tell(journal.Recovered{})
}

// fill lets the disk be full, or have room again.
func (w *world) fill(full bool) {
	w.b.full = full
	w.tell(disk.Changed{Full: full})
}

func (w *world) deliver() {
	m := w.mailbox[0]
	w.mailbox = w.mailbox[1:]
	w.tell(m)
}

// wake lets every timer that runs go off.
func (w *world) wake() {
	due := w.timers
	w.timers = nil
	for _, timer := range due {
		w.tell(timer.Message)
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
