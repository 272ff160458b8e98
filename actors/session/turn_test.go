package session

import (
	"slices"
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/run"
	"betcode/messages"
)

// cut lets the agent die in the turn that it has in its transcript, and says what
// follows.
func (b *bench) cut() []string {
	b.t.Helper()
	b.quiet()
	b.tell(b.exit(137))
	b.tell(inTranscript(b.state.record.Run))
	return b.quiet()
}

// turningUnder is a bench like turning, of a session with a policy of its own.
func turningUnder(t *testing.T, policy messages.ResumePolicy) *bench {
	b := newBench(t)
	m := start("ann")
	m.Resume = policy
	b.tell(m)
	b.tell(input("ann", "k1"))
	b.tell(b.up())
	b.tell(messages.InputWrittenTo{Run: 1, Key: "k1"})
	b.tell(b.out(took("k1")...))
	b.quiet()
	return b
}

// goesOn lets the agent come back after its backoff, and go on with the turn.
func (b *bench) goesOn() {
	b.t.Helper()
	b.now = b.now.Add(time.Minute)
	b.tell(restartDue{b.state.record.Run})
	b.tell(b.up())
	b.tell(b.out(heard("another", claude.Started), begun()))
	b.quiet()
}

// standing is a bench whose turn was cut off for the third time.
func standing(t *testing.T) *bench {
	b := turning(t)
	b.tell(b.exit(137))
	b.tell(inTranscript(1, "k1"))
	b.goesOn()
	b.cut()
	b.goesOn()
	if said := b.cut(); !slices.Contains(said, "notify TURN_WAITS") {
		t.Fatalf("the third time: %v", said)
	}
	return b
}

// A turn is continued twice by itself. The third time it waits; neither time nor a
// restart of ours changes that.
func TestTurnIsContinuedTwice(t *testing.T) {
	b := standing(t)
	if r := b.state.record; r.Phase != messages.PhaseWaiting || r.Waiting != messages.WaitsTooOften || !r.Turn || r.Interruptions != 3 {
		t.Errorf("%+v", r)
	}
	b.on(restartDue{3})
	b.crash()
	b.expect("a restart of ours")
	b.on(restartDue{3})
	if b.state.active() || b.state.progress() != messages.Awaiting {
		t.Error("it does not wait for a person")
	}
}

// What a person can do about a turn that waits.
func TestTurnThatWaits(t *testing.T) {
	const again = "run 4: start with --resume in a turn"
	for name, c := range map[string]struct {
		m    any
		want []string
		left messages.Phase
	}{
		"resume":  {messages.ContinueSession{Session: sessionA}, []string{"to op: continued, was waiting true", again}, messages.PhaseActive},
		"restart": {messages.RestartSession{Session: sessionA}, []string{again}, messages.PhaseActive},
		"message": {input("ann", "k9"), []string{`all: lock "ann"`, "all: 16 input k9", "to ann: input k9 is 16", again}, messages.PhaseActive},
		"cancel":  {cancel("ann"), []string{`all: lock "ann"`, "all: 16 turn cancelled, 17 IDLE", "to ann: canceling, active true"}, messages.PhaseIdle},
		"stop":    {messages.StopSession{Session: sessionA}, []string{"all: 16 turn cancelled, 17 IDLE", "to op: stopped, was running false", "retire"}, messages.PhaseIdle},
	} {
		for _, crash := range []bool{false, true} {
			b := standing(t)
			if crash {
				b.crash()
				b.quiet()
			}
			b.tell(c.m)
			want := slices.DeleteFunc(slices.Clone(c.want), func(s string) bool { return s == `all: lock "ann"` })
			got := slices.DeleteFunc(b.quiet(), func(s string) bool { return s == `all: lock "ann"` })
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s, after a crash %v: %v", name, crash, got)
			}
			if r := b.state.record; r.Phase != c.left || r.Waiting != "" || r.Interruptions != 0 {
				t.Errorf("%s, after a crash %v: %+v", name, crash, r)
			}
		}
	}
	b := remembering(t)
	b.on(messages.ContinueSession{Session: sessionA}, "to op: continued, was waiting false")
}

// The count is of one turn.
func TestCountOfATurn(t *testing.T) {
	b := standing(t)
	b.tell(messages.ContinueSession{Session: sessionA})
	b.tell(b.up())
	b.tell(b.out(begun()))
	b.tell(b.out(finished("k1")))
	if n := b.state.record.Interruptions; n != 0 {
		t.Errorf("%d after its end", n)
	}
	b = turning(t)
	b.cut()
	b.tell(input("ann", "k2"))
	if n := b.state.record.Interruptions; n != 0 {
		t.Errorf("%d after a message", n)
	}
	b = turning(t) // an end that we ordered is not the turn's fault
	b.tell(EndAgent{})
	b.tell(b.exit(143))
	b.crash()
	if n := b.state.record.Interruptions; n != 0 {
		t.Errorf("%d after an end of the daemon", n)
	}
}

// Where the policy is to ask, a turn that was cut off waits at once: also after an
// end of the daemon, and for the message that the agent does not remember.
func TestPolicyAsk(t *testing.T) {
	for _, remembered := range []bool{true, false} {
		b := turningUnder(t, messages.ResumeAsk)
		b.tell(b.exit(137))
		b.quiet()
		known := []string{}
		if remembered {
			known = append(known, "k1")
		}
		b.on(inTranscript(1, known...), "all: 7 "+crashedEvent+", 8 notice TURN_WAITS, 9 WAITING_FOR_USER", "notify TURN_WAITS")
		want := "run 2: start with --resume"
		if remembered {
			want += " in a turn"
		}
		b.on(messages.ContinueSession{Session: sessionA}, "to op: continued, was waiting true", want)
	}

	b := turningUnder(t, messages.ResumeAsk)
	b.tell(EndAgent{})
	b.tell(b.exit(143))
	b.crash()
	b.quiet()
	b.on(inTranscript(1, "k1"), "all: 7 notice TURN_WAITS, 8 WAITING_FOR_USER", "notify TURN_WAITS")
	if r := b.state.record; r.Waiting != messages.WaitsByPolicy || r.Interruptions != 0 {
		t.Errorf("%+v", r)
	}
}

// Where turns are never continued, one that was cut off is over, and what else
// waits goes on.
func TestPolicyNever(t *testing.T) {
	b := turningUnder(t, messages.ResumeNever)
	b.tell(b.exit(137))
	b.quiet()
	b.on(inTranscript(1, "k1"), "all: 7 "+crashedEvent+", 8 notice TURN_NOT_CONTINUED, 9 turn interrupted, 10 IDLE")

	b = turningUnder(t, messages.ResumeNever)
	b.tell(input("ann", "k2"))
	b.tell(b.exit(137))
	b.quiet()
	b.on(inTranscript(1), "all: 8 "+crashedEvent+", 9 notice INPUT_DROPPED, 10 notice TURN_NOT_CONTINUED, 11 turn interrupted, 12 THINKING",
		"in 500ms session.restartDue")
	b.on(restartDue{1}, "run 2: start with --resume")
	b.on(b.up(), "all: 13 run 2 started", "run 2: write k2")
}

// Nobody who watches needs a program to be told.
func TestNotificationsAreForUnwatchedSessions(t *testing.T) {
	b := turningUnder(t, messages.ResumeAsk)
	b.tell(attach("ann", "s1"))
	if said := b.cut(); slices.Contains(said, "notify TURN_WAITS") {
		t.Errorf("%v", said)
	}
}

func TestRestartOfAnAgent(t *testing.T) {
	restart := messages.RestartSession{Session: sessionA}
	b := turning(t)
	b.on(restart, "run 1: stop resumably")
	b.tell(b.exit(143))
	b.quiet()
	b.on(inTranscript(1, "k1"), "run 2: start with --resume in a turn")
	b.on(b.up(), "all: 7 run 2 started", "to op: restarted, was running true", "in 1m0s session.continuationDue")
	if n := b.state.record.Interruptions; n != 0 {
		t.Errorf("it was cut off %d times", n)
	}

	b = remembering(t) // with nothing to do
	b.on(restart, "run 1: stop resumably")
	b.on(b.exit(143), "all: 7 run 1 exited", "drop run 1", "run 2: start with --resume")
	b.on(restart, "run 2: stop resumably")
	b.on(b.up(), "all: 8 run 2 started", "run 2: stop resumably")
	b.on(b.exit(143), "all: 9 run 2 exited", "drop run 2", "run 3: start with --resume")
	b.on(b.up(), "all: 10 run 3 started", "to op: restarted, was running true", "to op: restarted, was running true")

	b = remembering(t) // and it cannot be started
	b.tell(b.exit(0))
	b.quiet()
	b.on(restart, "run 2: start with --resume")
	b.on(messages.RunEnded{Run: 2, Exit: run.CannotStart(errNoProgram)}, "all: 8 run 2 exited, 9 "+crashedEvent, "to op: unavailable", "drop run 2")
}
