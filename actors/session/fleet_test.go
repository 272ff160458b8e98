package session

import (
	"slices"
	"strings"
	"testing"

	"betcode/actors/internal/claude"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/messages"
)

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
		b.place = pool.Answer{Place: pool.Queued, Stopped: true}
		b.tell(b.exit(143))
		b.tell(transcriptRead{run: 1, inTranscript: map[string]bool{"k1": true}, found: true})
		told := b.toldPool()
		if b.state.active() || !b.state.wanted() || b.state.slot.state != slotQueued || !slices.Contains(told, any(pool.Release{Session: sessionA})) {
			t.Fatalf("%s: active %v, wanted %v, slot %d, the pool hears %v", policy, b.state.active(), b.state.wanted(), b.state.slot.state, told)
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
