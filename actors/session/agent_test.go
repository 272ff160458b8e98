package session

import (
	"slices"
	"strings"
	"testing"

	"betcode/actors/internal/claude"
	"betcode/actors/session/answers"
	"betcode/actors/session/recall"
	"betcode/messages"
)

// What a run wrote to standard error explains the end of that run. A failure of the next run, or
// of its start, has nothing to do with it.
func TestStandardErrorBelongsToItsRun(t *testing.T) {
	failed := func(b *bench) auditing {
		b.t.Helper()
		for _, e := range b.effects {
			if e, ok := e.(auditing); ok && e.entry.Type == messages.AuditSessionError {
				return e
			}
		}
		b.t.Fatalf("nothing failed: %v", b.said)
		return auditing{}
	}
	crashed := func(t *testing.T) *bench {
		b := running(t)
		end := b.exit(1)
		end.Complaint = "out of memory"
		b.tell(end)
		if e := failed(b); e.stderr != "out of memory" {
			t.Fatalf("the crash is explained by %q", e.stderr)
		}
		return b
	}
	t.Run("a turn of the next run fails", func(t *testing.T) {
		b := crashed(t)
		b.tell(restartDue{1})
		b.tell(b.up())
		b.tell(b.out(took("k1")...))
		b.quiet()
		b.tell(b.out(claude.TurnEnded{Inputs: []string{"k1"}, IsError: true, Failure: "AUTHENTICATION_FAILED", Error: "401"}))
		if e := failed(b); e.stderr != "" {
			t.Errorf("run 2 is blamed for %q", e.stderr)
		}
	})
	t.Run("the next run cannot be started", func(t *testing.T) {
		b := crashed(t)
		b.tell(messages.ChangeSettings{Session: sessionA, Client: "ann", Model: " -x"})
		b.quiet()
		b.tell(restartDue{1})
		if e := failed(b); e.stderr != "" {
			t.Errorf("the refused command line is blamed for %q", e.stderr)
		}
	})
}

// of is the start of a run whose program says a version.
func (b *bench) of(version string) messages.ProcessStarted {
	up := b.up()
	up.Version = version
	return up
}

// starting is a bench whose session has had its first message; run 1 is started, but
// not up.
func starting(t *testing.T) *bench {
	b := newBench(t)
	b.tell(start("ann"))
	b.tell(input("ann", "k1"))
	b.quiet()
	return b
}

// An agent without command_lifecycle settles what its turn began with, and what its
// result names.
func TestInputsOfAnOldAgent(t *testing.T) {
	b := starting(t)
	b.tell(b.of("2.0.77"))
	b.tell(messages.InputWrittenTo{Run: 1, Key: "k1"})
	b.tell(b.out(claude.TurnStarted{Version: "2.0.77"}))
	if got := b.state.inputs[0].State; got != messages.InputStarted {
		t.Errorf("after the beginning of its turn: state %d", got)
	}
	b.tell(input("ann", "k2"))
	b.tell(messages.InputWrittenTo{Run: 1, Key: "k2"})
	b.tell(b.out(claude.TurnEnded{}))
	if len(b.state.inputs) != 1 || b.state.inputs[0].Key != "k2" {
		t.Fatalf("after its turn: %+v", b.state.inputs)
	}
	b.tell(b.out(claude.TurnEnded{LocalCommand: true})) // without a beginning
	if len(b.state.inputs) != 0 || b.state.record.Phase != messages.PhaseIdle {
		t.Errorf("after a command: %+v, %v", b.state.inputs, b.state.record.Phase)
	}
}

// A turn about a task of the background answers no message.
func TestTaskOfAnOldAgentAnswersNothing(t *testing.T) {
	b := starting(t)
	b.tell(b.of("2.1.119"))
	b.tell(messages.InputWrittenTo{Run: 1, Key: "k1"})
	b.tell(b.out(claude.TurnStarted{Version: "2.1.119", Origin: "task-notification"}, claude.TurnEnded{Origin: "task-notification"}))
	if len(b.state.inputs) != 1 || b.state.inputs[0].State != messages.InputWritten {
		t.Errorf("%+v", b.state.inputs)
	}
}

// An answer repeats the input where the agent wants that.
func TestAllowRepeatsTheInputWhereNeeded(t *testing.T) {
	for version, repeats := range map[string]bool{"2.0.77": true, "2.1.206": true, "2.1.207": false, "": false} {
		b := starting(t)
		b.tell(b.of(version))
		p := messages.PermissionRecord{Request: "r", Decision: messages.AllowOnce, Input: []byte(`{"command":"ls"}`)}
		line, err := answers.Line(p, b.state.can())
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(line), `"updatedInput":{"command":"ls"}`); got != repeats {
			t.Errorf("%q: %s", version, line)
		}
	}
}

// A first turn that was lost takes a new id where its own is not free, whatever the
// version says, and the old one else.
func TestFirstTurnThatWasLostTakesANewID(t *testing.T) {
	missing := "No conversation found with session ID: " + string(sessionA)
	taken := "Error: Session ID " + string(sessionA) + " is already in use."
	for name, c := range map[string]struct {
		version, complaint string
		resumed, fresh     bool
	}{
		"on standard error only": {"2.0.77", missing, true, true},
		"id not reusable":        {"2.1.20", missing, true, true},
		"id reusable":            {"2.1.119", missing, true, false},
		"taken":                  {"2.1.330", taken, false, true},
	} {
		b := starting(t)
		b.tell(b.of(c.version))
		if c.resumed {
			b.tell(b.exit(137))
			b.tell(recall.Answer{Run: 1, Known: map[string]bool{}})
			b.tell(restartDue{1})
			b.tell(b.of(c.version))
		}
		end := b.exit(1)
		end.Complaint = c.complaint
		b.tell(end)
		b.tell(recall.Answer{Run: b.state.record.Run, Known: map[string]bool{}})
		if !b.state.active() {
			t.Errorf("%s: it is not started again: %v", name, b.said)
			continue
		}
		argv := b.state.run.Argv
		at := slices.Index(argv, "--session-id")
		if at < 0 || (argv[at+1] != string(sessionA)) != c.fresh || b.state.record.AgentSession != argv[at+1] {
			t.Errorf("%s: %v", name, argv)
		}
		if len(b.state.inputs) != 1 {
			t.Errorf("%s: the message is gone", name)
		}
	}
}

// A start that fails with an error of the agent's own is tried once; one that a busy
// machine may have caused is tried again.
func TestStartRefused(t *testing.T) {
	for complaint, want := range map[string]messages.Condition{
		"error: unknown option '--include-partial-messages'": messages.StartRefused,
		"Error: Settings file not found: x":                  messages.StartRefused,
		"Error: ENOSPC: no space left on device, write":      "",
		"TypeError: x is not a function":                     "",
	} {
		b := starting(t)
		b.tell(b.up())
		end := b.exit(1)
		end.Complaint = complaint
		b.tell(end)
		if b.state.agent.readingTranscript {
			b.tell(recall.Answer{Run: 1, Known: map[string]bool{}})
		}
		if got := b.state.record.Condition; got != want {
			t.Errorf("%q: condition %q, want %q", complaint, got, want)
		}
	}
}
