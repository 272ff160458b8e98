package session

import (
	"slices"
	"testing"

	"betcode/actors/run"
	"betcode/messages"
)

// A long line is written between durable marks, in a moment without a turn.
func TestLongInput(t *testing.T) {
	t.Run("when idle", func(t *testing.T) {
		b := remembering(t)
		b.tell(input("ann", "k2"))
		b.quiet()
		b.on(run.InputTooLong{Run: 1, Key: "k2"}, "run 1: write long k2")
		if in := b.journal.Inputs["k2"]; in.State != messages.InputWriting || in.Run != 1 {
			t.Errorf("%+v", in)
		}
		b.on(messages.InputWrittenTo{Run: 1, Key: "k2"})
		if in := b.journal.Inputs["k2"]; in.State != messages.InputWritten {
			t.Errorf("%+v", in)
		}
	})
	t.Run("in a turn", func(t *testing.T) {
		b := turning(t)
		b.tell(input("ann", "k2"))
		b.tell(input("ann", "k3"))
		b.quiet()
		b.on(run.InputTooLong{Run: 1, Key: "k2"})
		b.on(run.InputTooLong{Run: 1, Key: "k3"})
		b.on(b.out(finished("k1")), "all: 8 THINKING", "run 1: write long k2", "run 1: write long k3")
		b.on(run.InputTooLong{Run: 1, Key: "gone"})
	})
	t.Run("in a turn that is not continued", func(t *testing.T) {
		b := turning(t)
		b.tell(input("ann", "k2"))
		b.tell(b.exit(137))
		b.tell(inTranscript(1, "k1"))
		b.tell(restartDue{1})
		b.tell(b.up())
		b.tell(run.InputTooLong{Run: 2, Key: "k2"})
		b.quiet()
		prompt := "00000005-0000-4000-8000-000000000000"
		b.on(continuationDue{2}, "all: 10 notice TURN_NOT_CONTINUED, 11 input "+prompt, "run 2: write "+prompt)
		b.tell(b.out(took(prompt)...))
		b.quiet()
		b.on(b.out(finished(prompt)), "all: 12 THINKING", "run 2: write long k2")
	})
	t.Run("the run ends before", func(t *testing.T) {
		b := turning(t)
		b.tell(input("ann", "k2"))
		b.tell(run.InputTooLong{Run: 1, Key: "k2"})
		b.tell(b.exit(137))
		b.tell(inTranscript(1))
		b.tell(restartDue{1})
		b.tell(b.up())
		if !slices.Contains(b.quiet(), "run 2: write k2") {
			t.Error("it is not given to the next run")
		}
		b.on(run.InputTooLong{Run: 2, Key: "k2"}, "run 2: write long k2")
	})
	t.Run("it is dropped before", func(t *testing.T) {
		b := turning(t)
		b.tell(input("ann", "k2"))
		b.tell(run.InputTooLong{Run: 1, Key: "k2"})
		b.tell(messages.StopSession{Session: sessionA})
		b.tell(b.out(finished("k1", "k2")))
		if slices.Contains(b.quiet(), "run 1: write long k2") {
			t.Error("a message that is settled is written")
		}
	})
}

// Only an agent that a inputTorn line may wait for is restarted, and that is no crash.
func TestTornInput(t *testing.T) {
	b := remembering(t)
	b.tell(input("ann", "k2"))
	b.tell(run.InputTooLong{Run: 1, Key: "k2"})
	b.crash()
	b.quiet()
	b.on(b.adopted(), "all: 8 run 1 adopted, 9 notice INPUT_TORN", "run 1: stop resumably")
	b.on(input("ann", "k3"), "all: 10 input k3", `all: lock "ann"`, "to ann: input k3 is 10")
	b.on(b.exit(143), "all: 11 run 1 exited", "drop run 1", "run 2: start with --resume")
	b.on(b.up(), "all: 12 run 2 started", "run 2: write k2", "run 2: write k3")
	b.on(run.InputTooLong{Run: 2, Key: "k2"}, "run 2: write long k2")
	b.on(b.exit(143), "all: 13 run 2 exited", "drop run 2", "all: 14 error SUBPROCESS_CRASHED", "in 500ms session.restartDue")
}
