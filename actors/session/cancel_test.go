package session

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/claude"
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
