package session

import (
	"slices"
	"testing"

	"betcode/actors/internal/claude"
	"betcode/actors/pool"
	"betcode/messages"
)

// Stop is final: what was not given is dropped aloud, and nothing is restarted.
func TestStop(t *testing.T) {
	stop := messages.StopSession{Session: sessionA}
	t.Run("in a turn", func(t *testing.T) {
		b := turning(t)
		b.tell(input("ann", "k2"))
		b.quiet()
		b.on(stop, "run 1: stop in order")
		b.on(b.out(aborted("k1")), "all: 7 THINKING")
		b.on(b.exit(1), "all: 8 run 1 exited, 9 notice INPUT_DROPPED, 10 IDLE",
			"drop run 1", "to op: stopped, was running true", "retire")
		if r := b.state.record; r.StopWanted || r.Turn || r.Phase != messages.PhaseIdle {
			t.Errorf("%+v", r)
		}
		b.on(restartDue{1})
		b.on(input("ann", "k3"), "all: 11 input k3", "to ann: input k3 is 11", "run 2: start with --resume")
	})
	t.Run("killed in a turn", func(t *testing.T) {
		b := turning(t)
		b.tell(stop)
		b.quiet()
		b.on(b.exit(137), "all: 6 run 1 exited, 7 notice INPUT_DROPPED, 8 turn cancelled, 9 IDLE",
			"drop run 1", "to op: stopped, was running true", "retire")
	})
	t.Run("twice", func(t *testing.T) {
		b := remembering(t)
		b.on(stop, "run 1: stop in order")
		b.on(stop, "run 1: stop in order")
		b.on(b.exit(0), "all: 7 run 1 exited", "drop run 1", "to op: stopped, was running true", "to op: stopped, was running true", "retire")
	})
	t.Run("before the agent is there", func(t *testing.T) {
		b := newBench(t)
		b.tell(start("ann"))
		b.tell(input("ann", "k1"))
		b.quiet()
		b.on(stop, "run 1: stop in order")
		b.on(b.up(), "all: 3 run 1 started", "run 1: stop in order")
	})
	t.Run("without an agent", func(t *testing.T) {
		b := running(t)
		b.tell(b.exit(137))
		b.quiet()
		b.on(stop, "all: 6 notice INPUT_DROPPED, 7 IDLE", "to op: stopped, was running false", "retire")
		b.on(restartDue{1})
	})
	t.Run("of a new session", func(t *testing.T) {
		b := newBench(t)
		b.tell(start("ann"))
		b.quiet()
		b.tell(stop)
		if got := b.said[len(b.said)-2]; got != "to op: stopped, was running false" {
			t.Errorf("%v", b.said)
		}
	})
	t.Run("a message meanwhile", func(t *testing.T) {
		b := turning(t)
		b.tell(stop)
		b.quiet()
		b.on(input("ann", "k2"), "to ann: unavailable")
		b.on(input("ann", "k1"), "to ann: input k1 is 2")
	})
}

// The wish survives a crash of ours, between its acceptance and the end.
func TestStopSurvivesACrash(t *testing.T) {
	b := turning(t)
	b.tell(messages.StopSession{Session: sessionA})
	b.crash()
	b.quiet()
	b.on(b.adopted(), "all: 6 run 1 adopted", "run 1: stop in order")
	b.on(b.exit(0), "all: 7 run 1 exited, 8 notice INPUT_DROPPED, 9 turn cancelled, 10 IDLE", "drop run 1", "retire")
}

// The daemon ends: the agent is ended so that its turn can be continued.
func TestDaemonEnds(t *testing.T) {
	t.Run("in a turn", func(t *testing.T) {
		b := turning(t)
		b.on(EndAgent{}, "run 1: stop resumably")
		b.on(b.exit(143), "all: 6 run 1 exited", "drop run 1", "to daemon: ended")
		if r := b.state.record; !r.Turn || len(b.state.inputs) != 1 {
			t.Errorf("%+v, inputs %v", r, b.state.inputs)
		}
		b.crash() // the next daemon
		b.expect("the next daemon", "look for k1 in the transcript")
		b.on(inTranscript(1, "k1"), "run 2: start with --resume in a turn")
	})
	t.Run("when idle", func(t *testing.T) {
		b := remembering(t)
		b.on(EndAgent{}, "run 1: stop resumably")
		b.on(b.exit(143), "all: 7 run 1 exited", "drop run 1", "to daemon: ended")
		b.crash()
		b.expect("the next daemon")
	})
	t.Run("with nothing but a background task", func(t *testing.T) {
		b := turning(t)
		b.tell(b.out(claude.BackgroundTasks{IDs: []string{"task"}}, finished("k1")))
		b.tell(EndAgent{})
		b.quiet()
		b.on(b.exit(143), "all: 7 run 1 exited, 8 IDLE", "drop run 1", "to daemon: ended")
	})
	t.Run("before the agent is there", func(t *testing.T) {
		b := newBench(t)
		b.tell(start("ann"))
		b.tell(input("ann", "k1"))
		b.quiet()
		b.on(EndAgent{}, "run 1: stop resumably")
		b.on(b.up(), "all: 3 run 1 started", "run 1: stop resumably")
	})
	t.Run("during a backoff", func(t *testing.T) {
		b := running(t)
		b.tell(b.exit(137))
		b.quiet()
		b.on(EndAgent{}, "to daemon: ended")
		b.on(restartDue{1})
		b.on(input("ann", "k2"), "all: 6 input k2", "to ann: input k2 is 6")
		b.crash()
		b.expect("the next daemon", "run 2: start with --resume")
	})
	t.Run("of an unknown session", func(t *testing.T) {
		b := newBench(t)
		b.on(EndAgent{}, "to daemon: ended")
	})
}

// An agent that is being parked and then stopped leaves nothing behind: the next message reaches
// the next agent.
func TestStopWhileTheAgentIsParked(t *testing.T) {
	b := remembering(t)
	b.tell(pool.Park{})
	b.tell(messages.StopSession{Session: sessionA, Client: "ann"})
	b.tell(b.exit(0))
	b.tell(input("ann", "k2"))
	b.quiet()
	b.tell(b.up())
	if said := b.quiet(); !slices.Contains(said, "run 2: write k2") {
		t.Errorf("the message is not written: %v", said)
	}
}

// The client that stopped a session, and the time, are in its record until its agent is started again: the next daemon shows it.
func TestStopIsRemembered(t *testing.T) {
	stop, stopped := messages.StopSession{Session: sessionA, Client: "ann"}, messages.Stopped{By: "ann", At: dawn}
	check := func(t *testing.T, b *bench, want messages.Stopped) {
		t.Helper()
		if got := b.state.record.Stopped; got.By != want.By || got.IsZero() != want.IsZero() {
			t.Errorf("stopped %+v, want %+v", got, want)
		}
	}
	t.Run("in a turn, and by the next message no longer", func(t *testing.T) {
		b := turning(t)
		b.tell(stop)
		b.tell(b.out(aborted("k1")))
		b.tell(b.exit(1))
		b.crash()
		check(t, b, stopped)
		b.tell(input("bob", "k3"))
		check(t, b, messages.Stopped{})
	})
	t.Run("without an agent, and by a restart no longer", func(t *testing.T) {
		b := newBench(t)
		b.tell(start("ann"))
		b.tell(stop)
		b.crash()
		check(t, b, stopped)
		b.tell(messages.RestartSession{Session: sessionA})
		b.quiet()
		check(t, b, messages.Stopped{})
	})
	t.Run("an agent that is parked is not stopped", func(t *testing.T) {
		b := turning(t)
		b.tell(b.out(finished("k1")))
		b.tell(b.exit(0))
		check(t, b, messages.Stopped{})
	})
}
