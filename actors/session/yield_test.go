package session

import (
	"slices"
	"strings"
	"testing"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/actors/session/recall"
	"betcode/actors/session/slot"
	"betcode/actors/settings"
	"betcode/messages"
)

// holdOver is a session whose agent waits for a person, and whose hold is over.
func holdOver(t tester) *bench {
	b := asking(t)
	b.now = b.now.Add(benchOptions.WaitingHold)
	b.tell(yieldDue{1})
	return b
}

// parkedAsking is one that has yielded its slot, and whose agent has ended.
func parkedAsking(t tester) *bench {
	b := holdOver(t)
	b.tell(pool.Park{})
	b.tell(b.exit(143))
	b.tell(inTranscript(1, "k1"))
	b.quiet()
	return b
}

func TestSlotIsYieldedAfterTheHold(t *testing.T) {
	b := asking(t)
	b.now = b.now.Add(benchOptions.WaitingHold - time.Second)
	b.tell(yieldDue{1})
	if told := b.toldPool(); len(told) != 0 {
		t.Errorf("before the hold is over the pool hears %v", told)
	}
	b.on(pool.Park{}) // and it is not parked
	b.now = b.now.Add(time.Second)
	b.tell(yieldDue{1})
	if told := b.toldPool(); len(told) != 1 || told[0] != any(pool.Resting{Session: sessionA, Resting: true}) {
		t.Errorf("the pool hears %v", told)
	}
}

// A hold that the settings shorten is over earlier for an agent that waits already.
func TestShorterHoldCountsForAWaitingAgent(t *testing.T) {
	b := asking(t)
	now := *b.state.options.Settings
	now.WaitingHold = benchOptions.WaitingHold / 2
	b.tell(settings.Changed{Now: &now})
	if timer := last[act.After](b); timer.Message != any(yieldDue{1}) || timer.Delay != now.WaitingHold {
		t.Errorf("the timer is %v", timer)
	}
	b.now = b.now.Add(now.WaitingHold)
	b.tell(yieldDue{1})
	if told := b.toldPool(); len(told) != 1 || told[0] != any(pool.Resting{Session: sessionA, Resting: true}) {
		t.Errorf("the pool hears %v", told)
	}
}

// An agent that says something while it waits has more to do than that.
func TestSlotIsKeptWhileAnotherToolRuns(t *testing.T) {
	b := asking(t)
	b.now = b.now.Add(benchOptions.WaitingHold - time.Second)
	b.tell(b.out())
	b.now = b.now.Add(2 * time.Second)
	b.tell(yieldDue{1})
	b.toldPool()
	b.on(pool.Park{})
	if resting, _, _ := b.state.slot.Known(); resting {
		t.Error("it yields although its agent works")
	}
}

func TestParkedAgentIsResumedByAnAnswer(t *testing.T) {
	for name, a := range map[string]messages.AnswerPermission{
		"allowed":                 answer("bob", "p1", messages.AllowOnce),
		"allowed for the session": answer("bob", "p1", messages.AllowSession),
		"denied":                  answer("bob", "p1", messages.Deny),
	} {
		t.Run(name, func(t *testing.T) {
			b := parkedAsking(t)
			if s := b.state; s.record.Waiting != messages.WaitsForAnswer || s.active() || s.wanted() || s.slot.State() != slot.None || s.record.Interruptions != 0 {
				t.Fatalf("waiting %q, active %t, wanted %t, slot %d, cut off %d times", s.record.Waiting, s.active(), s.wanted(), s.slot.State(), s.record.Interruptions)
			}
			b.crash() // and the next daemon does not start it either
			if b.state.active() || b.state.wanted() {
				t.Fatal("the next daemon starts it by itself")
			}
			b.tell(a)
			b.tell(won(a))
			if said := strings.Join(b.quiet(), "; "); !strings.Contains(said, "run 2: start with --resume") {
				t.Errorf("the answer has it do %s", said)
			}
		})
	}
}

// A request that nobody answers in time leaves the turn to a person.
func TestParkedAgentWhoseRequestExpires(t *testing.T) {
	b := parkedAsking(t)
	b.now = b.now.Add(30 * 24 * time.Hour)
	b.tell(won(answer("deadline", "p1", messages.DecisionExpired)))
	if said := strings.Join(b.quiet(), "; "); !strings.Contains(said, "TURN_WAITS") || b.state.wanted() {
		t.Errorf("wanted %t: %s", b.state.wanted(), said)
	}
	b.tell(messages.ContinueSession{Session: sessionA})
	if said := strings.Join(b.quiet(), "; "); !strings.Contains(said, "run 2: start with --resume") {
		t.Errorf("session resume has it do %s", said)
	}
}

// A turn whose agent the fleet's stop has ended is continued when the fleet is resumed, and does not count as interrupted.
func TestFleetStopInATurn(t *testing.T) {
	for _, policy := range []messages.ResumePolicy{messages.ResumeAuto, messages.ResumeAsk, messages.ResumeNever} {
		b := turning(t)
		b.state.options.Resume = policy
		b.tell(pool.Stopped{})
		stop := last[sendToRun](b).message
		if said := b.quiet(); !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "FLEET_STOPPED") }) {
			t.Errorf("%s: people see %q", policy, said)
		}
		if stop != any(run.Stop{How: run.StopResumable}) {
			t.Errorf("%s: the agent is not ended: %+v", policy, stop)
		}
		b.tell(pool.Stopped{}) // by a pool that was restarted
		b.place = pool.Answer{Place: pool.Queued, Waits: pool.Waits{Reason: messages.SlotFleetStopped}}
		b.tell(b.exit(143))
		b.tell(recall.Answer{Run: 1, Known: map[string]bool{"k1": true}, Found: true})
		told := b.toldPool()
		if b.state.active() || !b.state.wanted() || b.state.slot.State() != slot.Queued || !slices.Contains(told, any(pool.Release{Session: sessionA})) {
			t.Fatalf("%s: active %v, wanted %v, slot %d, the pool hears %v", policy, b.state.active(), b.state.wanted(), b.state.slot.State(), told)
		}
		b.tell(pool.Granted{})
		if !b.state.active() || !b.state.run.Resumed || b.state.record.Interruptions != 0 {
			t.Errorf("%s: active %v, run %+v, interrupted %d times", policy, b.state.active(), b.state.run, b.state.record.Interruptions)
		}
	}
}

// An agent that is just starting is ended when it is there.
func TestFleetStopWhileAnAgentStarts(t *testing.T) {
	b := running(t)
	b.tell(b.exit(137))
	b.quiet()
	b.tell(restartDue{b.state.record.Run})
	b.quiet()
	if !b.state.active() || b.state.agent.up {
		t.Fatalf("active %v, up %v", b.state.active(), b.state.agent.up)
	}
	b.tell(pool.Stopped{})
	b.tell(b.up())
	if last[sendToRun](b).message != any(run.Stop{How: run.StopResumable}) {
		t.Errorf("it goes on: %+v", last[sendToRun](b).message)
	}
}

// An agent that an alarm has frozen stays for a person to look at.
func TestFleetStopLeavesFrozenAgents(t *testing.T) {
	b := askingFor(t, "call")
	b.tell(b.out(claude.ToolDone{ID: "call", Verdict: claude.VerdictHost}))
	b.quiet()
	if !b.state.frozen() {
		t.Fatal("there is no alarm")
	}
	before := len(b.effects)
	b.tell(pool.Stopped{})
	for _, e := range b.effects[before:] {
		if s, ok := e.(sendToRun); ok {
			t.Errorf("the agent gets %+v", s.message)
		}
	}
}
