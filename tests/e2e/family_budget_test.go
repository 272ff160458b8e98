package e2e

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// TestBudgetOfAFamily: what subagents consume counts against the budget of their parent. At the
// limit the next one waits, only the parent asks, the request is pending in the next daemon too,
// and the subagent goes on with the answer.
func TestBudgetOfAFamily(t *testing.T) {
	t.Parallel()
	s := newFleetStory(t, "")
	limit := uint64(2*turnMicros - 1)
	if _, err := s.daemon.Admin().SetSessionBudget(s.Context(), &pb.SetSessionBudgetRequest{SessionId: s.parent, CostMicros: &limit}); err != nil {
		t.Fatal(err)
	}
	_, err := s.api().SpawnSubagent(t.Context(), &pb.SpawnSubagentRequest{ParentSessionId: s.parent, Prompt: "echo:dear", BudgetUsd: 1})
	if status.Code(err) != codes.ResourceExhausted {
		t.Errorf("a budget above the parent's: %v", err)
	}
	for _, prompt := range []string{"echo:first", "echo:second"} {
		if last := s.watch(s.spawn(&pb.SpawnSubagentRequest{Prompt: prompt}), 0); last[len(last)-1].GetCompleted() == nil {
			t.Fatalf("%s ended with %v", prompt, last[len(last)-1])
		}
	}
	s.eventually("both count", func() bool { return s.show(s.parent).GetBudget().GetBelow().GetCostMicros() == 2*turnMicros })
	person := s.converse("person", s.parent)
	id := s.spawn(&pb.SpawnSubagentRequest{Prompt: "echo:third"})
	asked, _ := s.wait(person, 0, isBudget)
	if n := len(s.shownPermissions()); n != 1 {
		t.Errorf("%d requests wait", n)
	}
	if sum := s.show(id); sum.GetBudget().GetHeld() != "budget_parent" {
		t.Errorf("the subagent is %v", sum)
	}
	s.killDaemon()
	person = s.converse("person", s.parent)
	again, _ := s.wait(person, 0, func(e kit.Event) bool { return isBudget(e) && e.GetPermissionRequest().GetIsReplay() })
	if first, second := asked.GetPermissionRequest().GetRequestId(), again.GetPermissionRequest().GetRequestId(); first != second {
		t.Fatalf("asked as %s, and by the next daemon as %s", first, second)
	}
	if status := s.info(id).GetStatus(); status >= pb.SubagentStatus_SUBAGENT_STATUS_COMPLETED {
		t.Errorf("the subagent has ended: %v", status)
	}
	s.answer(person, again, pb.PermissionDecision_ALLOW_ONCE, "")
	if last := s.watch(id, 0); last[len(last)-1].GetCompleted() == nil {
		t.Errorf("it ended with %v", last[len(last)-1])
	}
	if n := s.prompts(id, "echo:third"); n != 1 {
		t.Errorf("its prompt was given %d times", n)
	}
	s.eventually("all three count once", func() bool { return s.show(s.parent).GetBudget().GetBelow().GetCostMicros() == 3*turnMicros })
}

// shownPermissions returns what 'betcode permission list' has.
func (s fleetStory) shownPermissions() []*pb.PendingPermission {
	s.Helper()
	list, err := s.daemon.Admin().ListPermissions(s.Context(), &pb.ListPermissionsRequest{})
	if err != nil {
		s.Fatal(err)
	}
	return list.GetPermissions()
}
