package session

import (
	"slices"
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/process"
	"betcode/actors/run"
	"betcode/messages"
)

const (
	crashedEvent = "error SUBPROCESS_CRASHED"
	resumedRun   = "start with --resume"
)

// Before the first result the agent may not have saved anything.
func TestCrashBeforeTheAgentHadSavedAnything(t *testing.T) {
	gone := claude.TurnEnded{MemoryGone: true, IsError: true, Subtype: "error_during_execution"}
	b := running(t)
	b.tell(b.exit(137))
	b.tell(restartDue{1})
	b.tell(b.up())
	b.quiet()
	b.on(b.out(gone))
	b.on(b.exit(1), "all: 7 run 2 exited", "drop run 2", "all: 8 notice FIRST_ATTEMPT_LOST", "run 3: start with --session-id")
	b.on(b.up(), "all: 9 run 3 started", "run 3: write k1")
	b.tell(b.out(took("k1")...))
	b.tell(b.out(finished("k1")))
	if b.state.record.AgentSession != string(sessionA) || len(b.state.inputs) != 0 {
		t.Errorf("%+v, inputs %v", b.state.record, b.state.inputs)
	}
}

// After a result that was remembered a conversation that is gone stays gone.
func TestAgentMemoryGone(t *testing.T) {
	gone := claude.TurnEnded{MemoryGone: true, IsError: true}
	b := remembering(t)
	b.tell(b.exit(0))
	b.quiet()
	b.on(input("ann", "k2"), "all: 8 input k2", "to ann: input k2 is 8", "run 2: "+resumedRun)
	b.tell(b.up())
	b.tell(b.out(gone))
	b.quiet()
	b.on(b.exit(1), "all: 10 run 2 exited", "drop run 2", "all: 11 error AGENT_MEMORY_GONE, 12 ERROR", "notify AGENT_CANNOT_RUN")
	if r := b.state.record; r.Phase != messages.PhaseCrashed || r.Turn {
		t.Errorf("%+v", r)
	}
}

func TestGivingUpAfterFiveCrashes(t *testing.T) {
	b := running(t)
	for i, want := range []string{"500ms", "1s", "2s", "4s"} {
		b.quiet()
		b.tell(b.exit(1))
		if got := b.said[len(b.said)-1]; got != "in "+want+" session.restartDue" {
			t.Fatalf("crash %d: %v", i+1, b.said)
		}
		b.now = b.now.Add(5 * time.Second)
		b.tell(restartDue{messages.RunNumber(i + 1)})
		b.tell(b.up())
	}
	b.quiet()
	b.on(b.exit(1), "all: 16 run 5 exited", "drop run 5", "all: 17 error SUBPROCESS_CRASHED, 18 notice AGENT_GAVE_UP, 19 ERROR", "notify AGENT_GAVE_UP")
	if r := b.state.record; r.Phase != messages.PhaseCrashed || r.Turn || len(b.state.inputs) != 1 {
		t.Errorf("%+v, inputs %v", r, b.state.inputs)
	}
	b.on(restartDue{5})
}

// Giving up is aloud and final until somebody says something: neither time nor a
// restart of ours tries again.
func TestNextMessageStartsACrashedSessionAgain(t *testing.T) {
	b := running(t)
	for n := range messages.RunNumber(5) {
		b.tell(b.exit(1))
		if n < 4 {
			b.tell(restartDue{n + 1})
			b.tell(b.up())
		}
	}
	b.quiet()
	b.crash()
	b.expect("a restart of ours")
	b.on(input("ann", "k2"), `all: lock "ann"`, "all: 20 input k2", "to ann: input k2 is 20", "run 6: "+resumedRun)
	if b.state.record.Phase != messages.PhaseActive {
		t.Errorf("%+v", b.state.record)
	}
	b.on(b.up(), "all: 21 run 6 started", "run 6: write k1", "run 6: write k2")
	b.quiet()
	b.tell(b.exit(1))
	if got := b.said[len(b.said)-1]; got != "in 500ms session.restartDue" {
		t.Errorf("the first crash after the message: %v", b.said)
	}
}

// How a process ended, and whether that is a crash (wire notes, section 15).
func TestWhichExitsAreCrashes(t *testing.T) {
	known := func(code int) messages.Exit { return messages.Exit{Known: true, Code: code, Reason: "exited"} }
	for _, c := range []struct {
		name  string
		state func(tester) *bench
		exit  messages.Exit
		want  []string
	}{
		{"0 when idle", remembering, known(0), []string{"all: 7 run 1 exited", "drop run 1", "retire"}},
		{"1 when idle", remembering, known(1), []string{"all: 7 run 1 exited, 8 " + crashedEvent, "drop run 1"}},
		{"143 when idle", remembering, known(143), []string{"all: 7 run 1 exited, 8 " + crashedEvent, "drop run 1"}},
		{"unseen when idle", remembering, messages.Exit{Reason: "lost"}, []string{"all: 7 run 1 lost, 8 " + crashedEvent, "drop run 1"}},
		{"0 with work to do", running, known(0), []string{"all: 4 run 1 exited", "drop run 1", "in 500ms session.restartDue"}},
		{"1 with work to do", running, known(1), []string{"all: 4 run 1 exited", "drop run 1", "all: 5 " + crashedEvent, "in 500ms session.restartDue"}},
		{"by a signal", running, messages.Exit{Known: true, Signal: "killed", Code: 137}, []string{"all: 4 run 1 exited", "drop run 1", "all: 5 " + crashedEvent, "in 500ms session.restartDue"}},
		{"unseen", running, messages.Exit{Reason: "the machine was restarted"}, []string{"all: 4 run 1 lost", "drop run 1", "all: 5 " + crashedEvent, "in 500ms session.restartDue"}},
		{"never started", running, messages.Exit{Reason: run.NeverStarted}, []string{"all: 4 run 1 lost", "drop run 1", "run 2: start with --resume"}},
		{"without a daemon for a day", remembering, messages.Exit{Known: true, Code: 143, Reason: process.LeaseEnded}, []string{"all: 7 run 1 exited", "drop run 1", "retire"}},
		{"could not be started", running, run.CannotStart(errNoProgram), []string{"all: 4 run 1 exited", "drop run 1", "all: 5 " + crashedEvent, "in 500ms session.restartDue"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := c.state(t)
			b.on(messages.RunEnded{Run: 1, Exit: c.exit}, c.want...)
		})
	}
}

var errNoProgram = messages.Errorf("start agent", messages.NotFound, "there is no such program")

// An agent that exits again and again without output is given up like one that
// crashes.
func TestAgentThatAlwaysExits(t *testing.T) {
	b := running(t)
	for n := range messages.RunNumber(5) {
		b.quiet()
		b.tell(b.exit(0))
		if n < 4 {
			b.tell(restartDue{n + 1})
			b.tell(b.up())
		}
	}
	b.expect("the fifth exit", "all: 12 run 5 exited", "drop run 5", "all: 13 notice AGENT_GAVE_UP, 14 ERROR", "notify AGENT_GAVE_UP")
}

// Exit code 1 says that the last turn failed, an interrupted one included.
func TestExitCode1AfterAFailedTurnIsNoCrash(t *testing.T) {
	b := turning(t)
	b.tell(cancel("ann"))
	b.tell(b.out(aborted("k1")))
	b.quiet()
	b.on(b.exit(1), "all: 7 run 1 exited", "drop run 1", "retire")
	b.on(input("ann", "k2"), "all: 8 input k2", "to ann: input k2 is 8", "run 2: start with --resume")
	b.tell(b.up())
	b.quiet()
	b.tell(b.exit(1)) // the failure was another process's
	if !slices.Contains(b.said, "all: 11 "+crashedEvent) {
		t.Errorf("%v", b.said)
	}
}

// An agent that does not go on by itself is told to, once.
func TestTurnThatIsNotContinued(t *testing.T) {
	b := turning(t)
	b.tell(b.exit(137))
	b.tell(inTranscript(1, "k1"))
	b.tell(restartDue{1})
	b.tell(b.up())
	b.quiet()
	b.on(continuationDue{1})
	prompt := "00000005-0000-4000-8000-000000000000"
	b.on(continuationDue{2}, "all: 9 notice TURN_NOT_CONTINUED, 10 input "+prompt, "run 2: write "+prompt)
	b.on(continuationDue{2})
	b.tell(b.out(heard(prompt, claude.Started), claude.TurnStarted{Inputs: []string{prompt}, Version: "2.1.0"}))
	b.expect("a version that has to be told", "note that 2.1.0 does not continue")
	b.on(b.out(finished(prompt)), "all: 11 IDLE")
	if r := b.state.record; r.Turn || r.Phase != messages.PhaseIdle || len(b.state.inputs) > 0 {
		t.Errorf("%+v", r)
	}
}

// A daemon that dies while it waits for that leaves it to the next one; a turn
// that does go on is left alone.
func TestTurnThatIsNotContinuedAcrossACrash(t *testing.T) {
	for _, c := range []struct {
		name  string
		begun bool
		want  []string
	}{
		{"never begun", false, []string{"all: 9 run 2 adopted", "run 2: barrier", "in 1m0s session.continuationDue"}},
		{"begun", true, []string{"all: 9 run 2 adopted", "run 2: barrier"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := turning(t)
			b.tell(b.exit(137))
			b.tell(inTranscript(1, "k1"))
			b.tell(restartDue{1})
			b.tell(b.up())
			if c.begun {
				state, _ := claude.Translate(claude.State{}, []byte(`{"type":"system","subtype":"init","session_id":"s"}`), b.now)
				m := b.out(begun())
				m.Translator = state.Marshal()
				b.tell(m)
			}
			b.quiet()
			b.crash()
			b.quiet()
			b.on(b.adopted(), c.want...)
		})
	}
}

// Words of a run that is over change nothing.
func TestLateMessagesOfAnEarlierRun(t *testing.T) {
	b := turning(t)
	b.tell(b.exit(137))
	b.tell(inTranscript(1, "k1"))
	b.tell(restartDue{1})
	b.tell(b.up())
	b.quiet()
	for _, m := range []any{
		messages.RunEnded{Run: 1},
		messages.InputWrittenTo{Run: 1, Key: "k1"},
		run.Output{Run: 1, From: 70, To: 80},
		run.InputTooLong{Run: 1, Key: "k1"},
		restartDue{1},
		continuationDue{1},
		messages.AnswerWritten{Run: 1, Request: "p"},
		messages.ProcessStarted{Record: messages.RunRecord{Run: 1}},
		inTranscript(1),
	} {
		b.on(m)
	}
	b.tell(b.exit(0))
	b.quiet()
	b.on(messages.RunEnded{Run: 2})
}

// Every batch gives its credit back, and output from elsewhere is a broken
// invariant.
func TestCreditsAndOffsets(t *testing.T) {
	b := turning(t)
	b.tell(b.out(text("a")))
	b.tell(b.out())
	credits := 0
	for _, e := range b.effects {
		if order, ok := e.(sendToRun); ok {
			if m, ok := order.message.(messages.Credit); ok && m.Run == 1 {
				credits += m.Batches
			}
		}
	}
	if credits != 2 {
		t.Errorf("%d credits for two batches", credits)
	}
	defer func() {
		if recover() == nil {
			t.Error("a hole in the output was accepted")
		}
	}()
	b.tell(run.Output{Run: 1, From: 1000, To: 1010})
}

// What an agent says of itself goes on the next command line only if it can.
func TestAgentCannotSpoilItsCommandLine(t *testing.T) {
	b := remembering(t)
	const id = "3f2a0000-0000-4000-8000-00000000000b"
	b.tell(b.out(claude.AgentSessionChanged{ID: id}, claude.ModeChanged{Mode: "plan"}))
	b.tell(b.out(claude.AgentSessionChanged{ID: "--rm"}, claude.ModeChanged{Mode: "--rm"}, claude.ModeChanged{Mode: "a\x00b"},
		claude.TurnStarted{AgentSession: "none"}, finished()))
	if r := b.state.record; r.AgentSession != id || r.PermissionMode != "plan" {
		t.Errorf("%+v", r)
	}
	b.tell(b.exit(0))
	b.quiet()
	b.tell(input("ann", "k2"))
	if run := last[spawnRun](b).record; !run.Resumed || run.AgentSession != id {
		t.Errorf("%+v", run)
	}
}
