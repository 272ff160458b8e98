package session

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/process"
	"betcode/actors/run"
	"betcode/actors/session/recall"
	"betcode/messages"
)

// stageError is how a process says that it could not be started.
func stageError(stage string, cause error) error {
	e := &process.StartError{Stage: process.StageExecute, Path: "/x", Err: cause}
	if stage == "directory" {
		e.Stage = process.StageDirectory
	}
	return e
}

// What ends a run, and what of it is terminal.
func TestConditionsAtTheEndOfARun(t *testing.T) {
	for name, c := range map[string]struct {
		end  messages.RunEnded
		want messages.Condition
	}{
		"no directory":          {messages.RunEnded{Exit: run.CannotStart(stageError("directory", syscall.ENOENT))}, messages.DirectoryGone},
		"a file in its place":   {messages.RunEnded{Exit: run.CannotStart(stageError("directory", syscall.ENOTDIR))}, messages.DirectoryGone},
		"its own word":          {messages.RunEnded{Exit: messages.Exit{Known: true, Code: 1}, Complaint: "The current directory no longer exists: x"}, messages.DirectoryGone},
		"no program":            {messages.RunEnded{Exit: run.CannotStart(stageError("execute", syscall.ENOENT))}, messages.AgentMissing},
		"not for us":            {messages.RunEnded{Exit: run.CannotStart(stageError("execute", os.ErrPermission))}, messages.AgentMissing},
		"too many processes":    {messages.RunEnded{Exit: run.CannotStart(stageError("execute", syscall.EAGAIN))}, ""},
		"too many open files":   {messages.RunEnded{Exit: run.CannotStart(stageError("directory", syscall.EMFILE))}, ""},
		"an ordinary accident":  {messages.RunEnded{Exit: messages.Exit{Known: true, Code: 137, Signal: "SIGKILL"}}, ""},
		"a bad end of its own":  {messages.RunEnded{Exit: messages.Exit{Known: true, Code: 1}, Complaint: "TypeError"}, ""},
		"nobody saw it":         {messages.RunEnded{Exit: messages.Exit{Reason: "lost"}}, ""},
		"the end of the launch": {messages.RunEnded{Exit: messages.Exit{Reason: run.NeverStarted}}, ""},
	} {
		b := running(t)
		c.end.Run = 1
		b.tell(c.end)
		if got := b.state.record.Condition; got != c.want {
			t.Errorf("%s: %q", name, got)
		}
		if looped := slices.ContainsFunc(b.quiet(), func(s string) bool { return strings.Contains(s, "restartDue") }); looped && c.want != "" {
			t.Errorf("%s: it is tried again by itself", name)
		}
	}
}

// A condition keeps the work and the turn, is told once, survives a restart of
// ours, and is released by a person.
func TestConditionIsReleased(t *testing.T) {
	gone := messages.RunEnded{Run: 1, Exit: run.CannotStart(stageError("directory", syscall.ENOENT))}
	for name, m := range map[string]any{
		"message": input("ann", "k2"), "resume": messages.ContinueSession{Session: sessionA}, "restart": messages.RestartSession{Session: sessionA},
	} {
		b := running(t)
		b.on(gone, "all: 4 run 1 exited", "drop run 1", "all: 5 error WORKING_DIRECTORY_GONE, 6 ERROR", "notify AGENT_CANNOT_RUN")
		b.on(restartDue{1})
		b.crash()
		b.expect("a restart of ours")
		if r := b.state.record; r.Phase != messages.PhaseCrashed || len(b.state.inputs) != 1 || b.state.active() {
			t.Fatalf("%+v", r)
		}
		b.tell(m)
		if r := b.state.record; r.Condition != "" || r.Phase != messages.PhaseActive || !b.state.active() {
			t.Errorf("%s: %+v", name, r)
		}
		if said := b.quiet(); !slices.Contains(said, "run 2: start with --resume") {
			t.Errorf("%s: %v", name, said)
		}
		b.tell(b.up())
		b.tell(b.out(took("k1")...))
		b.tell(b.out(finished("k1")))
	}
}

// An agent whose key is refused says so in a turn that failed. Its process is
// ended: the next one looks for another key. Messages wait.
func TestConditionsInATurn(t *testing.T) {
	failed := func(code, text string) claude.TurnEnded {
		return claude.TurnEnded{Inputs: []string{"k1"}, IsError: true, Subtype: "success", Failure: code, Error: text}
	}
	for name, c := range map[string]struct {
		turn claude.TurnEnded
		want messages.Condition
	}{
		"refused":     {failed("AUTHENTICATION_FAILED", "Failed to authenticate. API Error: 401 invalid x-api-key"), messages.KeyRefused},
		"nobody":      {failed("AUTHENTICATION_FAILED", "Not logged in · Please run /login"), messages.NotLoggedIn},
		"overloaded":  {failed("OVERLOADED", "API Error: 529"), ""},
		"interrupted": {aborted("k1").(claude.TurnEnded), ""},
	} {
		b := turning(t)
		b.tell(b.out(c.turn))
		if got := b.state.record.Condition; got != c.want {
			t.Errorf("%s: %q", name, got)
		}
		said := b.quiet()
		if stopped := slices.Contains(said, "run 1: stop in order"); stopped != (c.want != "") {
			t.Errorf("%s: %v", name, said)
		}
		if c.want == "" {
			continue
		}
		b.on(b.exit(1), "all: 8 run 1 exited", "drop run 1", "retire")
		if r := b.state.record; r.Phase != messages.PhaseCrashed || r.Turn {
			t.Errorf("%s: %+v", name, r)
		}
		b.on(input("ann", "k2"), "all: 9 input k2", "to ann: input k2 is 9", "run 2: start with --resume")
	}
}

// A message that comes while the process that lacks a key is being ended is for
// the next one.
func TestMessageWhileAConditionEnds(t *testing.T) {
	b := turning(t)
	b.tell(b.out(claude.TurnEnded{Inputs: []string{"k1"}, IsError: true, Failure: "AUTHENTICATION_FAILED", Error: "401"}))
	b.quiet()
	b.on(input("ann", "k2"), "all: 8 input k2", "to ann: input k2 is 8")
	b.on(b.exit(1), "all: 9 run 1 exited", "drop run 1", "run 2: start with --resume")
}

// A transcript that is not there was deleted; one that is there and says nothing
// is the agent's loss.
func TestConversationThatWasDeleted(t *testing.T) {
	b := remembering(t)
	b.tell(b.exit(0))
	b.tell(input("ann", "k2"))
	b.tell(b.up())
	b.tell(messages.InputWrittenTo{Run: 2, Key: "k2"})
	b.tell(b.out(claude.TurnEnded{MemoryGone: true, IsError: true}))
	b.manual = true
	b.deliver(nil, b.exit(1))
	for len(b.waiting) > 0 {
		b.commit()
	}
	b.manual = false
	b.tell(recall.Answer{Run: 2, Known: map[string]bool{}})
	if got := b.state.record.Condition; got != messages.ConversationDeleted {
		t.Errorf("%q", got)
	}
}
