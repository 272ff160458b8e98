package session

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"betcode/actors/disk"
	"betcode/actors/journal"
	"betcode/actors/pool"
	"betcode/messages"
)

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
