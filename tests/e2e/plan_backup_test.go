package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
)

// TestBackupWhileAPlanRuns: the backup is a consistent snapshot of sessions and orchestration.
// Restored, the orchestration waits for a person; then the running step is continued in its
// session, and none starts twice. The restore lists events after the backup.
func TestBackupWhileAPlanRuns(t *testing.T) {
	t.Parallel()
	s := newPlanStory(t)
	id := s.begin(&pb.CreateOrchestrationRequest{Name: "kept", Steps: []*pb.OrchestrationStep{
		fakeStep("first", "echo:1"), fakeStep("second", "gate:g1\necho:2"), fakeStep("third", "echo:3", "first", "second"),
	}})
	s.watch(id, 0, func(e *pb.OrchestrationEvent) bool { return e.GetStepCompleted().GetStepId() == "first" })
	second := s.get(id).GetSteps()[1].GetSubagentId()
	s.eventually("the second step runs", func() bool {
		view, err := s.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: second})
		return err == nil && view.GetSummary().GetMessageCount() > 0 && view.GetRun().GetState() == pb.RunState_RUN_STATE_STARTED
	})
	backup, state := filepath.Join(s.world.Root, "backup"), s.world.StateDir()
	s.cli(0, "journal", "backup", backup)
	if report := s.cliJSON(0, "journal", "verify", "--backup", backup); !strings.Contains(fmt.Sprint(report["files"]), "name:orchestrations") {
		t.Errorf("verify: %v", report)
	}
	s.cli(0, "journal", "verify")
	later := s.begin(&pb.CreateOrchestrationRequest{Name: "later", Steps: []*pb.OrchestrationStep{fakeStep("only", "echo:4")}})
	s.watch(later, 0, nil)
	if _, err := s.daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	restored := s.cliJSON(0, "journal", "restore", "--force", "--end-agents", "--state-dir", state, backup)
	if lost := fmt.Sprint(restored["lost_orchestrations"]); restored["orchestrations"] != 1.0 || !strings.Contains(lost, later) || !strings.Contains(lost, "name:later") {
		t.Errorf("restored: %v", restored)
	}

	s.start()
	if o := s.get(id); !o.GetPaused() || !strings.Contains(o.GetReason(), "restored") || o.GetSteps()[1].GetStatus() != pb.StepStatus_STEP_STATUS_RUNNING {
		t.Errorf("%v", o)
	}
	s.cli(0, "orchestrate", "resume", id)
	if waiting := s.show(second).GetWaiting(); waiting != "restored" {
		t.Errorf("the session of the second step is %q", waiting)
	}
	s.write("g1", "")
	s.cli(0, "session", "resume", second)
	events := s.watch(id, 0, nil)
	started := map[string]int{}
	for _, e := range events {
		if step := e.GetStepStarted(); step != nil {
			started[step.GetStepId()]++
		}
	}
	if fmt.Sprint(started) != "map[first:1 second:1 third:1]" || events[len(events)-1].GetCompleted().GetSucceeded() != 3 {
		t.Errorf("%v, %v", started, events[len(events)-1])
	}
	for _, step := range s.get(id).GetSteps() {
		if prompts := s.prompts(step.GetSubagentId()); len(prompts) != 1 {
			t.Errorf("%s: %q", step.GetId(), prompts)
		}
	}
}
