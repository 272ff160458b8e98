package e2e

import (
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// turnMicros is the cost of a turn of the fake agent with one request to the model, in millionths of a US dollar.
const turnMicros = 184

// isBudget is the daemon's own request to raise a budget.
func isBudget(e kit.Event) bool { return e.GetPermissionRequest().GetToolName() == "Budget" }

// limited begins a session with a budget that its first turn uses up, and waits for the end of that turn.
func (s *story) limited(id string) *kit.Stream {
	s.Helper()
	c := s.converseWith("a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project, Budget: &pb.Budget{CostMicros: turnMicros - 1}})
	s.say(c, "echo:first")
	s.wait(c, 0, kit.IsTurnComplete)
	s.rests(c, 0)
	return c
}

// At its budget a session asks once, as for any permission, and the next daemon waits for the same answer. A client that knows published
// fields only can give it.
func TestBudgetAsksAndWaits(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.limited(id)
	report, _ := s.wait(c, 0, func(e kit.Event) bool { return e.GetUsage() != nil })
	if total := report.GetUsage().GetTotal(); total.GetCostMicros() != turnMicros || total.GetTurns() != 1 || report.GetUsage().GetCostUnknown() {
		t.Errorf("the turn reports %v", report.GetUsage())
	}

	key := s.say(c, "echo:second")
	asked, _ := s.wait(c, 0, isBudget)
	if said := asked.GetPermissionRequest().GetDescription(); !strings.Contains(said, "raise the budget to $0.000366") {
		t.Errorf("it asks %q", said)
	}
	sum := s.show(id)
	if b := sum.GetBudget(); sum.GetStatus() != "waiting" || sum.GetWaiting() != "budget" || b.GetState() != "reached" || b.GetHeld() != "budget" {
		t.Errorf("while it waits it is %v", sum)
	}
	if printed := s.cli(0, "session", "budget", id); !strings.Contains(printed, "$0.000184") || !strings.Contains(printed, "betcode permission list") {
		t.Errorf("the command prints %q", printed)
	}

	s.killDaemon()
	c = s.converse("b", id)
	again, _ := s.wait(c, 0, func(e kit.Event) bool { return isBudget(e) && e.GetPermissionRequest().GetIsReplay() })
	if first, second := asked.GetPermissionRequest().GetRequestId(), again.GetPermissionRequest().GetRequestId(); first != second {
		t.Fatalf("asked as %s, and by the next daemon as %s", first, second)
	}
	s.answer(c, again, pb.PermissionDecision_ALLOW_ONCE, "")
	_, next := s.wait(c, 0, func(e kit.Event) bool {
		return e.GetTurnComplete() != nil && strings.Contains(strings.Join(e.GetTurnComplete().GetInputKeys(), ","), key)
	})
	s.rests(c, next)
	sum = s.show(id)
	if b := sum.GetBudget(); b.GetLimit().GetCostMicros() != 2*(turnMicros-1) || b.GetSpent().GetCostMicros() < 2*turnMicros || b.GetHeld() != "" || b.GetSpent().GetTurns() != 2 {
		t.Errorf("afterwards it is %v", sum)
	}
	s.sameHistory(c, id)
}

// Refused, the session stays paused until a person raises the budget.
func TestBudgetRefused(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.limited(id)
	s.say(c, "echo:second")
	asked, _ := s.wait(c, 0, isBudget)
	s.answer(c, asked, pb.PermissionDecision_DENY, "")
	s.wait(c, 0, isNotice("BUDGET_REFUSED"))
	if sum := s.show(id); !sum.GetBudget().GetRefused() || sum.GetStatus() != "waiting" {
		t.Errorf("refused it is %v", sum)
	}
	if printed := s.cli(0, "session", "budget", id, "--usd", "5"); !strings.Contains(printed, "budget  $5.00") {
		t.Errorf("the command prints %q", printed)
	}
	_, next := s.wait(c, 0, func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), "second") })
	s.rests(c, next)
	if sum := s.show(id); sum.GetStatus() != "idle" || sum.GetBudget().GetState() != "ok" {
		t.Errorf("afterwards it is %v", sum)
	}
	if entries := s.audited("--type", "budget_change"); len(entries) != 1 {
		t.Errorf("the audit log has %v", entries)
	}
}
