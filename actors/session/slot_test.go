package session

import (
	"testing"
	"time"

	"betcode/actors/disk"
	"betcode/actors/pool"
	"betcode/actors/session/slot"
	"betcode/messages"
)

// atThePool is a session whose first message waits for the pool's answer.
func atThePool(t tester) *bench {
	b := newBench(t)
	b.tell(start("ann"))
	b.manual = true
	b.tell(input("ann", "k1"))
	b.manual = false
	b.knocked = false
	b.quiet()
	return b
}

// told returns what the pool was told since somebody looked, and forgets it.
func (b *bench) toldPool() []any {
	var told []any
	for _, e := range b.effects {
		switch e := e.(type) {
		case sendToPool:
			told = append(told, e.message)
		case askPool:
			told = append(told, e.message)
		}
	}
	b.quiet()
	return told
}

func TestSlotIsAskedForBeforeAMessageIsAccepted(t *testing.T) {
	b := newBench(t)
	b.tell(start("ann"))
	b.manual = true
	b.tell(input("ann", "k1"))
	b.tell(input("ann", "k2"))
	if told := b.toldPool(); len(told) != 1 || told[0] != any(pool.Want{Session: sessionA}) {
		t.Errorf("the pool was told %v", told)
	}
	if len(b.waiting) != 0 || len(b.state.inputs) != 0 {
		t.Error("a message is accepted without a slot")
	}
	b.manual, b.knocked = false, false
	b.on(pool.Answer{Place: pool.Admitted}, "all: 2 input k1", "to ann: input k1 is 2", "run 1: start with --session-id",
		"all: 3 input k2", "to ann: input k2 is 3")
	for key, want := range map[string]messages.Seq{"k1": 2, "k2": 3} {
		if got := b.journal.Keys[key]; got != want {
			t.Errorf("the key of %s is remembered at %d", key, got)
		}
	}
}

func TestSlotThatHasToBeWaitedFor(t *testing.T) {
	b := atThePool(t)
	b.on(pool.Answer{Place: pool.Queued, Waits: pool.Waits{Reason: messages.SlotBusy}}, "all: 2 notice WAITING_FOR_SLOT", "all: 3 input k1", "to ann: input k1 is 3")
	b.on(input("ann", "k2"), "all: 4 input k2", "to ann: input k2 is 4")
	if b.state.idle() {
		t.Error("it would go although it waits")
	}
	b.on(pool.Granted{}, "run 1: start with --session-id")
	b.on(b.up(), "all: 5 run 1 started", "run 1: write k1", "run 1: write k2")
}

func TestNoPlaceInTheQueue(t *testing.T) {
	b := atThePool(t)
	b.tell(input("ann", "k2"))
	b.knocked = false
	b.on(pool.Answer{Place: pool.Full}, "to ann: exhausted POOL_EXHAUSTED", "to ann: exhausted POOL_EXHAUSTED", "retire")
	if b.state.slot.State() != slot.None || len(b.state.inputs) != 0 {
		t.Errorf("slot %d, inputs %v", b.state.slot.State(), b.state.inputs)
	}
	b.on(input("ann", "k1"), "all: 2 input k1", "to ann: input k1 is 2", "run 1: start with --session-id")
}

// Work from before a restart is never refused: it asks again.
func TestOldWorkRequestsASlotAgain(t *testing.T) {
	b := running(t)
	b.tell(b.exit(137))
	b.manual = true
	b.crash()
	b.quiet()
	b.manual, b.knocked = false, false
	b.on(pool.Answer{Place: pool.Full}, "in 30s session.restartDue")
	b.on(restartDue{1}, "run 2: start with --resume")
}

// Every way out gives the slot back.
func TestSlotIsGivenBack(t *testing.T) {
	freed := any(pool.Release{Session: sessionA})
	for _, c := range []struct {
		name  string
		state func(tester) *bench
		leave func(b *bench)
	}{
		{"the agent ends", remembering, func(b *bench) { b.tell(b.exit(0)) }},
		{"the agent is given time to come back", running, func(b *bench) { b.tell(b.exit(137)) }},
		{"the session is deleted", remembering, func(b *bench) {
			b.tell(messages.DeleteSession{Session: sessionA})
			b.tell(b.exit(0))
		}},
		{"the message is cancelled in the queue", atThePool, func(b *bench) {
			b.tell(pool.Answer{Place: pool.Queued})
			b.tell(cancel("ann"))
		}},
		{"the session is stopped in the queue", atThePool, func(b *bench) {
			b.tell(pool.Answer{Place: pool.Queued})
			b.tell(messages.StopSession{Session: sessionA})
		}},
		{"the session is deleted in the queue", atThePool, func(b *bench) {
			b.tell(pool.Answer{Place: pool.Queued})
			b.tell(messages.DeleteSession{Session: sessionA})
		}},
		{"the session is deleted before the answer", atThePool, func(b *bench) {
			b.tell(messages.DeleteSession{Session: sessionA})
			b.tell(pool.Answer{Place: pool.Admitted})
		}},
		{"the answer comes twice", atThePool, func(b *bench) {
			b.tell(pool.Answer{Place: pool.Full})
			b.tell(pool.Answer{Place: pool.Admitted})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := c.state(t)
			c.leave(b)
			told := b.toldPool()
			if len(told) == 0 || told[len(told)-1] != freed || b.state.slot.State() != slot.None {
				t.Errorf("the pool was told %v, the session says %d", told, b.state.slot.State())
			}
		})
	}
}

// A caller that waits for a session that is deleted meanwhile is told.
func TestRequestsToADeletedSession(t *testing.T) {
	b := atThePool(t)
	b.on(messages.DeleteSession{Session: sessionA}, "all: error SESSION_CLOSED", "to op: done", "forget /runs/"+string(sessionA), "retire",
		"to ann: not found SESSION_CLOSED")
	if b.state.idle() {
		t.Error("it would go before the pool has answered")
	}
	b.on(pool.Answer{Place: pool.Admitted}, "retire")
	if !b.state.idle() {
		t.Error("it has something to do")
	}
}

// What an incarnation that crashed had of the pool is given back or kept.
func TestSlotAfterACrash(t *testing.T) {
	b := remembering(t)
	b.crash()
	if told := b.toldPool(); len(told) == 0 || told[0] != any(pool.Taken{Session: sessionA}) {
		t.Errorf("with an agent the pool was told %v", told)
	}
	b.tell(b.adopted())
	b.tell(b.exit(0))
	b.quiet()
	b.crash()
	if told := b.toldPool(); len(told) != 1 || told[0] != any(pool.Release{Session: sessionA}) {
		t.Errorf("without an agent the pool was told %v", told)
	}
}

func TestPoolRestarts(t *testing.T) {
	b := remembering(t)
	b.tell(pool.Restarted{})
	if told := b.toldPool(); len(told) != 2 || told[0] != any(pool.Taken{Session: sessionA}) || told[1] != any(pool.Resting{Session: sessionA, Resting: true, Idle: true}) {
		t.Errorf("with an agent that rests: %v", told)
	}
	b = atThePool(t)
	b.manual = true
	b.tell(pool.Restarted{})
	if told := b.toldPool(); len(told) != 1 || told[0] != any(pool.Want{Session: sessionA}) {
		t.Errorf("while asking: %v", told)
	}
}

// An answer for an earlier incarnation may come first; the slot is not lost.
func TestAnswerOfThePoolForAnEarlierIncarnation(t *testing.T) {
	b := running(t)
	b.tell(b.exit(137))
	b.manual = true
	b.crash()
	b.manual, b.knocked = false, false
	b.quiet()
	b.on(pool.Answer{Place: pool.Queued, Waits: pool.Waits{Reason: messages.SlotBusy}}, "all: 6 notice WAITING_FOR_SLOT")
	b.on(pool.Answer{Place: pool.Admitted}, "run 2: start with --resume")
}

// An agent that has nothing to do is ended when its place is wanted, or after a
// while; that is no crash, and the next message resumes it.
func TestParking(t *testing.T) {
	b := turning(t)
	b.tell(b.out(finished("k1")))
	if told := b.toldPool(); len(told) != 1 || told[0] != any(pool.Resting{Session: sessionA, Resting: true, Idle: true}) {
		t.Errorf("the pool was told %v", told)
	}
	b.on(pool.Park{}, "run 1: stop in order")
	b.on(input("ann", "k2"), "all: 7 input k2", "to ann: input k2 is 7")
	b.on(b.exit(0), "all: 8 run 1 exited", "drop run 1", "run 2: start with --resume")

	b = turning(t)
	b.on(pool.Park{}) // it has something to do
	b.tell(b.out(finished("k1")))
	b.quiet()
	b.now = b.now.Add(10 * time.Minute)
	b.on(parkDue{1}, "run 1: stop in order")
	b.on(b.exit(0), "all: 7 run 1 exited", "drop run 1", "retire")
}

// A slot that was asked for by a message and by a restart is the restart's when the
// message is refused after all.
func TestSlotForOlderWork(t *testing.T) {
	b := atThePool(t)
	b.manual = true
	b.tell(messages.RestartSession{Session: sessionA})
	b.manual, b.full = false, true
	b.tell(disk.Changed{Full: true})
	b.quiet()
	b.on(pool.Answer{Place: pool.Admitted}, "to ann: exhausted DISK_FULL")
	b.full = false
	b.tell(disk.Changed{Full: false})
	b.on(pool.Answer{Place: pool.Admitted}, "run 1: start with --session-id")
	b.on(b.up(), "all: 2 run 1 started", "to op: restarted, was running false")
}

// A session that waits for an agent that is being parked says nothing; it says each reason that the pool tells it.
func TestReasonsForWaiting(t *testing.T) {
	b := atThePool(t)
	b.on(pool.Answer{Place: pool.Queued}, "all: 2 input k1", "to ann: input k1 is 2")
	b.on(pool.Waits{Reason: messages.SlotBusy}, "all: 3 notice WAITING_FOR_SLOT")
	b.on(pool.Waits{Reason: messages.SlotRateLimited, Until: b.now.Add(time.Hour)}, "all: 4 notice WAITING_FOR_SLOT")
	b.on(pool.Granted{}, "run 1: start with --session-id")
	b.on(pool.Waits{Reason: messages.SlotBusy}) // late
}

// The pool is told which sessions are subagents: they come after those of people.
func TestSubagentAsksForASlot(t *testing.T) {
	b := newBench(t)
	b.tell(start("ann"))
	child := &messages.SubagentRecord{}
	b.state.record.Subagent, b.journal.Record.Subagent = child, child
	b.manual = true
	b.tell(input("ann", "k1"))
	if told := b.toldPool(); len(told) != 1 || told[0] != any(pool.Want{Session: sessionA, Subagent: true}) {
		t.Errorf("the pool was told %v", told)
	}
}
