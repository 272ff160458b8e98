package session

import (
	"strings"
	"testing"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/journal"
	"betcode/actors/run"
	"betcode/messages"
)

// barrierAnswer is the agent's answer to the newest barrier.
func barrierAnswer(b *bench) claude.ControlAnswered {
	return claude.ControlAnswered{Request: b.state.agent.barrier, OK: true}
}

// A new daemon finds the agent alive: it reads on, and gives it again only what
// the agent has not acknowledged when everything in the pipe has been read.
func TestAdoption(t *testing.T) {
	b := turning(t)
	b.tell(input("ann", "k2"))
	b.tell(messages.InputWrittenTo{Run: 1, Key: "k2"})
	b.tell(input("ann", "k3")) // handed to the run, never confirmed
	b.quiet()
	b.crash()
	b.expect("the crash", "run 1: look for it at 30")
	b.on(b.adopted(), "all: 8 run 1 adopted", "run 1: barrier")
	b.on(input("ann", "k4"), "all: 9 input k4", `all: lock "ann"`, "to ann: input k4 is 9") // not past the barrier
	b.on(b.out(heard("k2", claude.Queued)))
	b.on(b.out(barrierAnswer(b)), "run 1: write k3", "run 1: write k4")
	b.on(b.out(heard("k3", claude.Queued), heard("k4", claude.Queued), finished("k1")), "all: 10 THINKING")
	b.on(b.out(heard("k2", claude.Started), heard("k3", claude.Started), heard("k4", claude.Started), begun()))
	b.on(b.out(finished("k2", "k3", "k4")), "all: 11 IDLE")
}

// Only the answer to the newest barrier counts, also one that says no.
func TestBarrier(t *testing.T) {
	b := running(t)
	b.crash()
	b.tell(b.adopted())
	old := barrierAnswer(b)
	b.crash()
	b.tell(b.adopted())
	b.quiet()
	b.on(b.out(old))
	refused := barrierAnswer(b)
	refused.OK, refused.Error = false, "unsupported"
	b.on(b.out(refused), "run 1: write k1")
	b.on(b.out(refused), "run 1: hold for alarm", "all: 6 notice FORGED_REQUEST, 7 ERROR", "notify FORGED_REQUEST")
}

// A message that the agent had acknowledged before the crash is not given again.
func TestAdoptionGivesNothingTwice(t *testing.T) {
	for _, c := range []struct {
		name  string
		heard []claude.Item
		want  []string
	}{
		{"written", nil, []string{"run 1: write k1"}},
		{"queued", []claude.Item{heard("k1", claude.Queued)}, nil},
		{"started", took("k1"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := running(t)
			b.tell(b.out(c.heard...))
			b.crash()
			b.tell(b.adopted())
			b.quiet()
			b.on(b.out(barrierAnswer(b)), c.want...)
		})
	}
}

// What the run of an earlier incarnation still has to tell is not heard: the new
// one reads the same lines again.
func TestMessagesForAnEarlierIncarnation(t *testing.T) {
	b := turning(t)
	first, next := b.out(text("one")), b.out(text("two"))
	stale := []any{first, next, messages.InputWrittenTo{Run: 1, Key: "k1"}, b.exit(0), messages.AnswerWritten{Run: 1, Request: "p"}, b.up()}
	fresh := state{id: sessionA, options: benchOptions.ownSettings()}
	for _, m := range append(stale, any(input("ann", "k2"))) {
		var effects []act.Effect
		if fresh, effects = fresh.step(b.env(), asker(m), m); len(effects) > 0 {
			t.Fatalf("%T before loading: %v", m, effects)
		}
	}
	b.state, b.handed, b.read = fresh, 0, b.journal.Cursor.Offset
	b.on(b.journal.Loaded(), "run 1: look for it at 30", "all: 6 input k2", `all: lock "ann"`, "to ann: input k2 is 6")
	b.tell(b.adopted())
	b.quiet()
	b.on(b.out(text("one"), text("two")), "all: 8 text one, 9 text two")
}

// The journal's answers to an earlier incarnation release nothing of this one.
func TestAnswersForAnEarlierIncarnation(t *testing.T) {
	b := running(t)
	b.manual = true
	b.tell(input("ann", "k2"))
	b.tell(input("ann", "k3"))
	b.crash() // the journal's two answers come before what it knows
	b.manual = false
	b.quiet()
	b.manual = true
	b.on(input("ann", "k4"))
	b.commit()
	b.expect("the commit", "all: 6 input k4", `all: lock "ann"`, "to ann: input k4 is 6")
}

// When the journal was restarted nobody may wait for what it has forgotten.
func TestJournalRestarts(t *testing.T) {
	t.Run("with nothing under way", func(t *testing.T) {
		b := running(t)
		b.on(journal.Restarted{})
	})
	t.Run("with an append under way", func(t *testing.T) {
		b := running(t)
		b.manual = true
		b.tell(input("ann", "k2"))
		mustPanic(t, "journal was restarted", func() { b.tell(journal.Restarted{}) })
	})
	t.Run("while loading", func(t *testing.T) {
		b := running(t)
		b.state = state{id: sessionA, options: benchOptions.ownSettings()}
		b.on(journal.Restarted{}, "load again")
		b.handed = 0
		b.on(b.journal.Loaded(), "run 1: look for it")
		b.tell(b.adopted())
		b.quiet()
		b.on(b.journal.Loaded()) // the answer to the second request
		b.on(input("ann", "k2"), "all: 5 input k2", `all: lock "ann"`, "to ann: input k2 is 5")
	})
	t.Run("losing an append before one that it keeps", func(t *testing.T) {
		b := running(t)
		b.manual = true
		b.tell(messages.RenameSession{Session: sessionA, Name: "a"})
		b.tell(messages.RenameSession{Session: sessionA, Name: "b"})
		mustPanic(t, "the one before is", func() {
			b.deliver(nil, messages.Committed{Session: sessionA, Commit: b.waiting[1].Commit})
		})
	})
	t.Run("refusing an append", func(t *testing.T) {
		b := running(t)
		mustPanic(t, "refused", func() {
			b.deliver(nil, messages.AppendRefused{Session: sessionA, Commit: 1, Err: messages.Errorf("append", messages.Aborted, "stale")})
		})
	})
	t.Run("unable to load", func(t *testing.T) {
		b := running(t)
		mustPanic(t, "could not load", func() { b.deliver(nil, messages.Errorf("load session", messages.DataLoss, "bits have flipped")) })
	})
}

func mustPanic(t *testing.T, part string, do func()) {
	t.Helper()
	defer func() {
		t.Helper()
		reason, _ := recover().(string)
		if !strings.Contains(reason, part) {
			t.Errorf("panicked with %q, want %q", reason, part)
		}
	}()
	do()
}

// A run that was intended and never seen gets its end, and is followed by one
// that is tried at once.
func TestRunThatWasIntended(t *testing.T) {
	b := newBench(t)
	b.tell(start("ann"))
	b.tell(input("ann", "k1"))
	b.quiet()
	b.crash()
	b.expect("the crash", "run 1: look for it")
	b.on(messages.RunEnded{Run: 1, Exit: messages.Exit{Reason: run.NeverStarted}}, "all: 3 run 1 lost", "drop run 1", "run 2: start with --resume")
}

// A session with nothing to do is loaded without a sound.
func TestLoadingAnIdleSession(t *testing.T) {
	b := remembering(t)
	b.tell(b.exit(0))
	b.quiet()
	b.crash()
	b.expect("loading")
	b.on(messages.GetSession{Session: sessionA}, "to op: view idle")
}

// Work that was left is taken up: a message, or a turn that was cut off.
func TestLoadingASessionWithWorkLeft(t *testing.T) {
	t.Run("a message", func(t *testing.T) {
		b := running(t)
		b.tell(b.exit(137))
		b.quiet()
		b.crash()
		b.expect("loading", "run 2: start with --resume")
	})
	t.Run("a turn", func(t *testing.T) {
		b := remembering(t)
		b.tell(b.out(begun()))
		b.tell(b.exit(137))
		b.quiet()
		b.crash()
		b.expect("loading", "run 2: start with --resume in a turn")
	})
}
