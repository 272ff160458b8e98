package session

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/claude"
	"betcode/actors/pool"
	"betcode/actors/session/recall"
	"betcode/messages"
)

func TestCancelARunningTurn(t *testing.T) {
	b := turning(t)
	b.on(cancel("ann"), "run 1: interrupt", "to ann: canceling, active true")
	b.on(cancel("ann"), "to ann: canceling, active true")
	b.on(b.out(aborted("k1")), "all: 6 IDLE", "run 1: interrupt is over")
	if r := b.state.record; r.Turn || r.TurnCanceled || len(b.state.inputs) != 0 {
		t.Errorf("%+v, inputs %v", r, b.state.inputs)
	}
	b.on(cancel("ann"), "to ann: canceling, active false")
	b.tell(input("ann", "k2"))
	b.quiet()
	b.on(b.out(took("k2")...), "all: 8 THINKING") // and is not interrupted
}

// Why a turn is cancelled is in history and in the audit log, once.
func TestCancelForAReason(t *testing.T) {
	b := turning(t)
	enough := cancel("ann")
	enough.Reason = "enough of it"
	b.tell(enough)
	enough.Reason = "and again"
	b.tell(enough)
	var audited []messages.AuditEntry
	for _, e := range b.effects {
		if e, ok := e.(auditing); ok {
			audited = append(audited, e.entry)
		}
	}
	if len(audited) != 1 || audited[0].Type != messages.AuditTurnCanceled || audited[0].ActorID != "ann" || audited[0].Context["reason"] != "enough of it" {
		t.Errorf("audited: %+v", audited)
	}
	var told []string
	for _, e := range b.journal.Events {
		var event pb.AgentEvent
		if err := proto.Unmarshal(e.Bytes, &event); err != nil {
			t.Fatal(err)
		}
		if n := event.GetNotice(); n.GetCode() == "TURN_CANCELLED" {
			told = append(told, n.GetMessage()+" by "+n.GetDetails()["client"]+": "+n.GetDetails()["reason"])
		}
	}
	if want := []string{"The turn was cancelled: enough of it by ann: enough of it"}; !slices.Equal(told, want) {
		t.Errorf("told: %q", told)
	}
}

// Messages that were queued behind the cancelled turn run as the next one.
func TestCancelLeavesWhatIsQueued(t *testing.T) {
	b := turning(t)
	b.tell(input("ann", "k2"))
	b.tell(b.out(heard("k2", claude.Queued)))
	b.tell(cancel("ann"))
	b.quiet()
	b.on(b.out(aborted("k1"), heard("k2", claude.Started), begun()), "all: 7 THINKING", "run 1: interrupt is over")
	b.on(b.out(finished("k2")), "all: 8 IDLE")
}

func TestCancelBeforeTheTurnHasBegun(t *testing.T) {
	t.Run("the agent is there", func(t *testing.T) {
		b := running(t)
		b.on(cancel("ann"), "run 1: interrupt", "to ann: canceling, active true")
		b.on(b.out(took("k1")...), "all: 4 info opus, 5 THINKING")
		b.on(b.out(aborted("k1")), "all: 6 IDLE", "run 1: interrupt is over")
	})
	t.Run("the agent is being started", func(t *testing.T) {
		b := newBench(t)
		b.tell(start("ann"))
		b.tell(input("ann", "k1"))
		b.quiet()
		b.on(cancel("ann"), "all: 3 notice INPUT_DROPPED, 4 IDLE", "to ann: canceling, active true")
		b.on(b.up(), "all: 5 run 1 started")
		b.tell(input("ann", "k2"))
		b.quiet()
		b.on(b.out(took("k2")...), "all: 7 info opus, 8 THINKING") // the old wish does not hit the new turn
	})
	t.Run("no agent is there", func(t *testing.T) {
		b := running(t)
		b.tell(b.exit(137))
		b.quiet()
		b.on(cancel("ann"), "all: 6 notice INPUT_DROPPED, 7 IDLE", "to ann: canceling, active true")
		b.on(restartDue{1})
	})
	t.Run("and the agent drops the message", func(t *testing.T) {
		b := running(t)
		b.tell(cancel("ann"))
		b.quiet()
		b.on(b.out(heard("k1", claude.Queued), heard("k1", claude.Canceled)), "all: 4 IDLE", "run 1: interrupt is over")
		b.tell(input("ann", "k2"))
		b.quiet()
		b.on(b.out(took("k2")...), "all: 6 info opus, 7 THINKING") // the old wish does not hit the new turn
	})
}

// A cancellation survives a crash of ours.
func TestCancelSurvivesACrash(t *testing.T) {
	b := turning(t)
	b.tell(cancel("ann"))
	b.crash()
	b.quiet()
	b.on(b.adopted(), "all: 6 run 1 adopted", "run 1: barrier", "run 1: interrupt")
	b.on(b.out(aborted("k1")), "all: 7 IDLE", "run 1: interrupt is over")
}

// A cancelled turn whose agent had to be ended for that does not go on in the next
// one; what was queued behind it does.
func TestCancelledTurnIsOverWithItsAgent(t *testing.T) {
	for name, known := range map[string]map[string]bool{"remembered": {"k1": true}, "forgotten": {}} {
		t.Run(name, func(t *testing.T) {
			b := turning(t)
			b.tell(input("ann", "k2"))
			b.tell(cancel("ann"))
			b.tell(b.exit(0))
			b.tell(recall.Answer{Run: 1, Known: known, Found: true})
			b.quiet()
			if r := b.state.record; r.Turn || r.TurnCanceled || b.state.agent.interrupted || len(b.state.inputs) != 1 || b.state.inputs[0].Key != "k2" {
				t.Errorf("%+v, cut %t, inputs %+v", r, b.state.agent.interrupted, b.state.inputs)
			}
		})
	}
}

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

// A chat in which nothing was said leaves no session behind.
func TestUnusedSessionIsDiscarded(t *testing.T) {
	discards := func(client messages.ClientID, name string) messages.Attach {
		a := attach(client, name)
		a.Discards = true
		return a
	}
	leave := func(name string) messages.Detach { return messages.Detach{Session: sessionA, Stream: name} }
	begun := func(t *testing.T, attached messages.Attach) *bench {
		b := newBench(t)
		unnamed := start("ann")
		unnamed.Name = ""
		b.tell(unnamed)
		b.tell(attached)
		b.quiet()
		return b
	}
	t.Run("it is gone with its client", func(t *testing.T) {
		b := begun(t, discards("ann", "a1"))
		b.tell(leave("a1"))
		if b.quiet(); !b.journal.Deleted || !b.state.idle() {
			t.Errorf("deleted: %v, idle: %v", b.journal.Deleted, b.state.idle())
		}
		b.on(input("ann", "k1"), "to ann: not found SESSION_NOT_FOUND", "retire")
	})
	kept := func(what string, b *bench, last string) {
		t.Run(what, func(t *testing.T) {
			b.tell(leave(last))
			if b.quiet(); b.journal.Deleted || !b.state.exists {
				t.Error("it was discarded")
			}
		})
	}
	kept("a client that wants to keep it", begun(t, attach("ann", "a1")), "a1")
	watching := observer("ann")
	watching.Discards = true
	kept("an observer", begun(t, watching), "ann")
	said := begun(t, discards("ann", "a1"))
	said.tell(input("ann", "k1"))
	said.quiet()
	kept("something was said", said, "a1")
	named := begun(t, discards("ann", "a1"))
	named.tell(messages.RenameSession{Session: sessionA, Name: "kept"})
	named.quiet()
	kept("it has a name", named, "a1")
	shared := begun(t, discards("ann", "a1"))
	shared.tell(attach("bob", "b1"))
	shared.quiet()
	kept("another client is there", shared, "a1")
	kept("and leaves later", shared, "b1")
	draining := begun(t, discards("ann", "a1"))
	draining.tell(messages.Detach{Session: sessionA, Stream: "a1", Draining: true})
	draining.quiet()
	kept("the daemon ends", draining, "a1")
}

func TestDelete(t *testing.T) {
	remove := messages.DeleteSession{Session: sessionA}
	gone := []string{"all: error SESSION_CLOSED", "to op: done", "forget /runs/" + string(sessionA), "retire"}
	t.Run("without an agent", func(t *testing.T) {
		b := newBench(t)
		b.tell(start("ann"))
		b.quiet()
		b.on(remove, gone...)
		if !b.journal.Deleted || !b.state.idle() {
			t.Errorf("deleted: %v, idle: %v", b.journal.Deleted, b.state.idle())
		}
		b.on(remove, "to op: not found SESSION_NOT_FOUND", "retire")
	})
	t.Run("in a turn that waits for a person, with somebody watching", func(t *testing.T) {
		b := asking(t)
		b.tell(attach("bob", "b1"))
		b.quiet()
		b.on(remove, "run 1: stop in order")
		b.on(input("ann", "k2"), "to ann: not found SESSION_NOT_FOUND")
		b.on(attach("eve", "e1"), "to e1: not found SESSION_NOT_FOUND")
		b.on(remove, "to op: not found SESSION_NOT_FOUND")
		b.on(b.exit(0), "drop run 1", "stop waiting for p1", "all: error SESSION_CLOSED", "to op: done", "drop client b1",
			"forget /runs/"+string(sessionA), "retire")
		if !b.state.idle() {
			t.Errorf("it has something to do: %+v", b.state)
		}
	})
}

// An id that was used once is never used again, and who tries is told.
func TestDeletedSessionStaysDeleted(t *testing.T) {
	b := newBench(t)
	b.tell(start("ann"))
	b.tell(messages.DeleteSession{Session: sessionA})
	b.quiet()
	b.on(start("ann"), "to ann: not found SESSION_CLOSED", "retire")
	b.crash()
	b.on(start("bob"), "to bob: not found SESSION_CLOSED", "retire")
	if !b.state.idle() {
		t.Error("it has something to do")
	}
	b.manual = true
	b.on(start("ann"))
	b.on(input("ann", "k1"))
	b.on(messages.GetSession{Session: sessionA})
	b.commit()
	b.expect("the refusal", "to ann: not found SESSION_CLOSED", "to op: not found SESSION_CLOSED", "to ann: not found SESSION_CLOSED", "retire")
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
