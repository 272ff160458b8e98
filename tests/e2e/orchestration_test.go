package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

func TestOrchestrationPlays(t *testing.T) {
	t.Parallel()
	s := newPlanStory(t)
	id := s.begin(&pb.CreateOrchestrationRequest{Name: "diamond", Steps: []*pb.OrchestrationStep{
		fakeStep("join", "echo:joined", "left", "right"), fakeStep("left", "echo:L", "first"), fakeStep("right", "echo:R", "first"), fakeStep("first", "echo:F"),
	}})
	events := s.watch(id, 0, nil)
	last := events[len(events)-1]
	if got := last.GetCompleted(); got.GetSucceeded() != 4 || got.GetFailed() != 0 || got.GetTotalSteps() != 4 {
		t.Fatalf("%v", last)
	}
	o := s.get(id[:8])
	if o.GetState() != pb.OrchestrationState_ORCHESTRATION_STATE_COMPLETED || o.GetSteps()[0].GetAttempt() != 1 || o.GetSteps()[3].GetResultSummary() != "F" {
		t.Errorf("%v", o)
	}
	prompts := s.prompts(o.GetSteps()[0].GetSubagentId())
	left, right := o.GetSteps()[1].GetResultSummary(), o.GetSteps()[2].GetResultSummary()
	if len(prompts) != 1 || left == "" || prompts[0] != "[Context from step left]: "+left+"\n\n[Context from step right]: "+right+"\n\necho:joined" {
		t.Errorf("%q", prompts)
	}
	if again := s.watch(id, 3, nil); len(again) != len(events)-3 {
		t.Errorf("%d events behind 3 of %d", len(again), len(events))
	}
}

func TestOrchestrationFailsRetriesCancels(t *testing.T) {
	t.Parallel()
	s := newPlanStory(t)
	id := s.begin(&pb.CreateOrchestrationRequest{Steps: []*pb.OrchestrationStep{
		fakeStep("bad", "error:400"), fakeStep("after", "echo:x", "bad"), fakeStep("long", "gate:never"),
	}})
	failed := s.watch(id, 0, func(e *pb.OrchestrationEvent) bool { return e.GetStepFailed() != nil })
	if f := failed[len(failed)-1].GetStepFailed(); f.GetStepId() != "bad" || fmt.Sprint(f.GetBlockedSteps()) != "[after]" {
		t.Errorf("%v", f)
	}
	o, err := s.api().CancelOrchestration(s.Context(), &pb.CancelOrchestrationRequest{OrchestrationId: id, Reason: "enough"})
	if err != nil || o.GetState() != pb.OrchestrationState_ORCHESTRATION_STATE_STOPPING {
		t.Fatalf("%v, %v", o, err)
	}
	events := s.watch(id, 0, nil)
	if f := events[len(events)-1].GetFailed(); !strings.Contains(f.GetErrorMessage(), "enough") {
		t.Errorf("%v", events[len(events)-1])
	}
	o, err = s.api().RetryOrchestration(s.Context(), &pb.RetryOrchestrationRequest{OrchestrationId: id, StepId: "bad"})
	if err != nil || o.GetSteps()[0].GetAttempt() != 2 {
		t.Fatalf("%v, %v", o, err)
	}
	s.watch(id, uint64(len(events)), nil)
	if o := s.get(id); o.GetSteps()[2].GetStatus() != pb.StepStatus_STEP_STATUS_CANCELLED || o.GetSteps()[0].GetStatus() != pb.StepStatus_STEP_STATUS_FAILED {
		t.Errorf("%v", o)
	}
}

func TestOrchestrationRefuses(t *testing.T) {
	t.Parallel()
	s := newPlanStory(t)
	_, err := s.api().CreateOrchestration(s.Context(), &pb.CreateOrchestrationRequest{ParentSessionId: s.parent, Steps: []*pb.OrchestrationStep{
		fakeStep("a", "echo:a", "b"), fakeStep("b", "echo:b", "a"),
	}})
	if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "a → b → a") || !strings.Contains(fmt.Sprint(status.Convert(err).Details()), "DAG_CYCLE") {
		t.Errorf("%v", err)
	}
	list, err := s.api().ListOrchestrations(s.Context(), &pb.ListOrchestrationsRequest{})
	if err != nil || len(list.GetOrchestrations()) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	id := uuid.NewString()
	request := &pb.CreateOrchestrationRequest{OrchestrationId: id, Steps: []*pb.OrchestrationStep{fakeStep("a", "echo:a")}}
	for range 2 {
		if made := s.begin(request); made != id {
			t.Errorf("the request made orchestration %s, want %s", made, id)
		}
	}
	request.Steps[0].Prompt = "echo:b"
	if _, err := s.api().CreateOrchestration(s.Context(), request); status.Code(err) != codes.AlreadyExists {
		t.Errorf("another plan: %v", err)
	}
}

// After a kill of the daemon the next one continues running steps: no step is started twice.
func TestOrchestrationSurvivesKill(t *testing.T) {
	t.Parallel()
	s := newPlanStory(t)
	id := s.begin(&pb.CreateOrchestrationRequest{Steps: []*pb.OrchestrationStep{
		fakeStep("one", "gate:g1\necho:1"), fakeStep("two", "gate:g2\necho:2"), fakeStep("end", "echo:end", "one", "two"),
	}})
	running := 0
	s.watch(id, 0, func(e *pb.OrchestrationEvent) bool {
		if e.GetStepStarted() != nil {
			running++
		}
		return running == 2
	})
	s.killDaemon()
	s.write("g1", "")
	s.write("g2", "")
	events := s.watch(id, 0, nil)
	started := map[string]int{}
	for _, e := range events {
		if step := e.GetStepStarted(); step != nil {
			started[step.GetStepId()]++
		}
	}
	if fmt.Sprint(started) != "map[end:1 one:1 two:1]" || events[len(events)-1].GetCompleted().GetSucceeded() != 3 {
		t.Errorf("%v, %v", started, events[len(events)-1])
	}
	for _, step := range s.get(id).GetSteps() {
		if prompts := s.prompts(step.GetSubagentId()); len(prompts) != 1 {
			t.Errorf("%s: %q", step.GetId(), prompts)
		}
	}
}

// At its budget a plan starts no further step, and its parent asks. The next daemon waits for the same answer; refused, the plan waits
// until a person lets it go on.
func TestOrchestrationBudget(t *testing.T) {
	t.Parallel()
	s := newPlanStory(t)
	id := s.begin(&pb.CreateOrchestrationRequest{
		Budget: &pb.Budget{CostMicros: turnMicros}, MaxParallel: 1,
		Steps: []*pb.OrchestrationStep{fakeStep("one", "echo:1"), fakeStep("two", "echo:2"), fakeStep("three", "echo:3")},
	})
	isChange := func(change string) func(*pb.OrchestrationEvent) bool {
		return func(e *pb.OrchestrationEvent) bool { return e.GetChanged().GetChange() == change }
	}
	s.watch(id, 0, isChange("budget_used"))
	if o := s.get(id); o.GetBudget().GetHeld() != "budget_plan" || o.GetBudget().GetSpent().GetCostMicros() != turnMicros || o.GetCompletedSteps() != 1 {
		t.Errorf("%v", o)
	}
	c := s.converse("b", s.parent)
	asked, _ := s.wait(c, 0, isBudget)
	if text := asked.GetPermissionRequest().GetDescription(); !strings.Contains(text, "raise the budget of the plan to $0.000368") {
		t.Errorf("%q", text)
	}
	known := map[string]bool{asked.GetPermissionRequest().GetRequestId(): true}
	another := func(e kit.Event) bool { return isBudget(e) && !known[e.GetPermissionRequest().GetRequestId()] }
	s.killDaemon()
	c = s.converse("c", s.parent)
	again, _ := s.wait(c, 0, isBudget)
	if another(again) {
		t.Error("it is asked about twice")
	}
	s.answer(c, again, pb.PermissionDecision_ALLOW_ONCE, "")
	raised := len(s.watch(id, 0, isChange("budget_raised")))
	second, _ := s.wait(c, 0, another)
	known[second.GetPermissionRequest().GetRequestId()] = true
	s.answer(c, second, pb.PermissionDecision_DENY, "")
	s.watch(id, uint64(raised), isChange("budget_refused"))
	s.killDaemon()
	if o := s.get(id); !o.GetBudget().GetRefused() || o.GetCompletedSteps() != 2 {
		t.Errorf("%v", o)
	}
	if _, err := s.api().PauseOrchestration(s.Context(), &pb.PauseOrchestrationRequest{OrchestrationId: id}); err != nil {
		t.Fatal(err)
	}
	c = s.converse("d", s.parent)
	third, _ := s.wait(c, 0, another)
	s.answer(c, third, pb.PermissionDecision_ALLOW_ONCE, "")
	events := s.watch(id, 0, nil)
	if events[len(events)-1].GetCompleted().GetSucceeded() != 3 {
		t.Errorf("%v", events[len(events)-1])
	}
}

// Without a terminal 'orchestrate run' ends with exit code 4 when the plan is paused at its budget, and leaves the request for a
// person. `orchestrate show` has the budget and the consumption.
func TestOrchestrateRunEndsAtTheBudget(t *testing.T) {
	t.Parallel()
	s := newPlanStory(t)
	s.write("plan.yaml", "name: two\nbudget: {usd: 0.000184}\nsteps:\n  - {id: one, prompt: 'echo:1'}\n  - {id: two, prompt: 'echo:2', depends_on: [one]}\n")
	out := s.cli(4, "orchestrate", "run", "--session", s.parent, s.file("plan.yaml"))
	if !strings.Contains(out, "the budget of the plan is used") {
		t.Errorf("it prints\n%s", out)
	}
	s.eventually("the parent is asked about the budget", func() bool { // the command sees the plan's event, not the session's
		list, err := s.daemon.Admin().ListPermissions(s.Context(), &pb.ListPermissionsRequest{})
		return err == nil && len(list.GetPermissions()) == 1 && list.GetPermissions()[0].GetToolName() == "Budget"
	})
	plans, err := s.api().ListOrchestrations(s.Context(), &pb.ListOrchestrationsRequest{})
	if err != nil || len(plans.GetOrchestrations()) != 1 {
		t.Fatalf("%v, %v", plans, err)
	}
	shown := s.cli(0, "orchestrate", "show", plans.GetOrchestrations()[0].GetId())
	if !strings.Contains(shown, "$0.000184; used, and no step starts") || !strings.Contains(shown, "$0.000184, ") {
		t.Errorf("it is shown as\n%s", shown)
	}
}

// The budget of a step is that of its subagent.
func TestOrchestrationStepBudget(t *testing.T) {
	t.Parallel()
	s := newPlanStory(t)
	step := fakeStep("one", "echo:1")
	step.Budget = &pb.Budget{CostMicros: 7_000_000}
	id := s.begin(&pb.CreateOrchestrationRequest{Steps: []*pb.OrchestrationStep{step}})
	s.watch(id, 0, nil)
	if sum := s.show(s.get(id).GetSteps()[0].GetSubagentId()); sum.GetBudget().GetLimit().GetCostMicros() != 7_000_000 {
		t.Errorf("%v", sum)
	}
}

// TestOrchestrationWaitsForAPerson: a step asks for a permission. The command that watches the plan reports that, the clients of
// the parent session get the request, and their answer lets the step go on.
func TestOrchestrationWaitsForAPerson(t *testing.T) {
	t.Parallel()
	s := newPlanStory(t)
	person := s.converse("person", s.parent)
	id := s.begin(&pb.CreateOrchestrationRequest{Steps: []*pb.OrchestrationStep{fakeStep("asks", "run:touch made\necho:over")}})
	watch := exec.CommandContext(t.Context(), binaries.betcode, "orchestrate", "watch", id)
	output := s.file("watched")
	shown, err := os.Create(output)
	if err != nil {
		t.Fatal(err)
	}
	defer shown.Close()
	watch.Env, watch.Dir, watch.Stdout = s.world.Environ(), s.world.Root, shown
	if err := watch.Start(); err != nil {
		t.Fatal(err)
	}
	s.eventually("the line of a step that waits", func() bool {
		text, err := os.ReadFile(output)
		return err == nil && strings.Contains(string(text), "asks waits for you: Bash")
	})
	asked, _ := s.wait(person, 0, func(e kit.Event) bool { return e.GetPermissionRequest().GetSubagentName() == "asks" })
	s.answer(person, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	if err := watch.Wait(); err != nil {
		t.Errorf("the watch ended with %v", err)
	}
	if all := s.watch(id, 0, nil); all[len(all)-1].GetCompleted().GetSucceeded() != 1 {
		t.Errorf("ended with %v", all[len(all)-1])
	}
}
