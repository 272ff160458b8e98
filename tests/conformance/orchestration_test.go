package conformance

import (
	"errors"
	"io"
	"path/filepath"
	"testing"

	"google.golang.org/grpc/codes"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// orchestrationStories are about plans of subagents.
var orchestrationStories = []story{{name: "orchestrations", setup: orchestrationFeature, run: orchestrations}}

func orchestrationFeature(_ *testing.T, w *kit.World) error {
	return config(w, `{"feature_flags": {"subagent_orchestration": true}}`)
}

// plans is a stage with a parent session for plans.
type plans struct {
	*stage
	api    pb.SubagentServiceClient
	parent string
}

func orchestrations(s *stage) {
	p := plans{stage: s, api: pb.NewSubagentServiceClient(s.daemon.Conn()), parent: session()}
	p.wait(p.converse("a", &pb.StartConversation{SessionId: p.parent}), 0, isInfo)
	p.fails()
	p.stops()
	p.orders()
	p.survives()
}

func (p plans) create(strategy pb.OrchestrationStrategy, steps ...*pb.OrchestrationStep) string {
	p.Helper()
	made, err := p.api.CreateOrchestration(p.Context(), &pb.CreateOrchestrationRequest{
		ParentSessionId: p.parent, Steps: steps, Strategy: strategy,
	})
	p.must(err)
	if int(made.GetTotalSteps()) != len(steps) {
		p.Errorf("created %v", made)
	}
	return made.GetOrchestrationId()
}

// watch returns the events up to the first that is enough, or all.
func (p plans) watch(id string, enough func(*pb.OrchestrationEvent) bool) []*pb.OrchestrationEvent {
	p.Helper()
	stream, err := p.api.WatchOrchestration(p.Context(), &pb.WatchOrchestrationRequest{OrchestrationId: id})
	p.must(err)
	var events []*pb.OrchestrationEvent
	for {
		e, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return events
		}
		p.must(err)
		if events = append(events, e); enough != nil && enough(e) {
			return events
		}
	}
}

func planned(id, prompt string, needs ...string) *pb.OrchestrationStep {
	return &pb.OrchestrationStep{Id: id, Prompt: prompt, DependsOn: needs}
}

// order is the order in which steps started.
func order(events []*pb.OrchestrationEvent) (ids []string) {
	for _, e := range events {
		if started := e.GetStepStarted(); started != nil {
			ids = append(ids, started.GetStepId())
		}
	}
	return ids
}

// fails plays a graph with all members of a step. One step fails, and what depends on it does not start; steps in a cycle are refused.
func (p plans) fails() {
	p.Helper()
	_, err := p.api.CreateOrchestration(p.Context(), &pb.CreateOrchestrationRequest{ParentSessionId: p.parent, Steps: []*pb.OrchestrationStep{
		planned("a", "echo:a", "b"), planned("b", "echo:b", "a"),
	}})
	p.refused(err, codes.InvalidArgument, "a → b → a")

	full := planned("full", "run:touch made\necho:the end")
	full.Name, full.Model, full.WorkingDirectory, full.MaxTurns = "everything", "opus", p.world.Project, 7
	full.AllowedTools, full.AutoApprove, full.AutoApproveConfig = []string{"Bash(touch *)"}, true, &pb.AutoApproveConfig{Unfenced: true}
	id := p.create(pb.OrchestrationStrategy_ORCHESTRATION_STRATEGY_DAG, full, planned("bad", "error:400"), planned("after", "echo:x", "bad", "full"))
	events := p.watch(id, nil)
	last := events[len(events)-1].GetCompleted()
	if last.GetTotalSteps() != 3 || last.GetSucceeded() != 1 || last.GetFailed() != 2 {
		p.Errorf("it ended with %v", events[len(events)-1])
	}
	for _, e := range events {
		if f := e.GetStepFailed(); f != nil && (f.GetStepId() != "bad" || len(f.GetBlockedSteps()) != 1 || f.GetErrorMessage() == "") {
			p.Errorf("failed is %v", f)
		}
		if e.GetOrchestrationId() != id {
			p.Errorf("%v is of another plan", e)
		}
	}
	list, err := p.api.ListSubagents(p.Context(), &pb.ListSubagentsRequest{ParentSessionId: p.parent})
	p.must(err)
	for _, info := range list.GetSubagents() {
		if info.GetName() == "everything" && (info.GetModel() != "opus" || info.GetMaxTurns() != 7 || !info.GetAutoApprove() || info.GetToolCallsAutoApproved() != 1) {
			p.Errorf("the subagent is %v", info)
		}
	}
	p.took("CreateOrchestrationRequest", "parent_session_id", "steps", "strategy")
	p.took("OrchestrationStep", "id", "name", "prompt", "model", "working_directory", "allowed_tools", "depends_on", "max_turns", "auto_approve")
	p.took("WatchOrchestrationRequest", "orchestration_id")
}

// stops plays a plan whose first failure stops it.
func (p plans) stops() {
	p.Helper()
	made, err := p.api.CreateOrchestration(p.Context(), &pb.CreateOrchestrationRequest{
		ParentSessionId: p.parent, MaxParallel: 1, OnFailure: pb.FailurePolicy_FAILURE_POLICY_STOP_ALL,
		Steps: []*pb.OrchestrationStep{planned("good", "echo:good"), planned("bad", "error:400"), planned("never", "echo:never")},
	})
	p.must(err)
	id := made.GetOrchestrationId()
	events := p.watch(id, nil)
	last := events[len(events)-1].GetFailed()
	if last.GetCompletedSteps() != 1 || last.GetFailedSteps() != 1 || last.GetErrorMessage() == "" {
		p.Errorf("it ended with %v", events[len(events)-1])
	}
}

// orders plays steps one after the other, and all at once.
func (p plans) orders() {
	p.Helper()
	id := p.create(pb.OrchestrationStrategy_ORCHESTRATION_STRATEGY_SEQUENTIAL, planned("one", "echo:1"), planned("two", "echo:2"))
	events := p.watch(id, nil)
	if ids := order(events); len(ids) != 2 || ids[0] != "one" || events[1].GetStepCompleted().GetResultSummary() != "1" {
		p.Errorf("in sequence: %v", events)
	}
	id = p.create(pb.OrchestrationStrategy_ORCHESTRATION_STRATEGY_PARALLEL, planned("one", "gate:both\necho:1"), planned("two", "gate:both\necho:2"))
	p.watch(id, func(e *pb.OrchestrationEvent) bool { return e.GetStepStarted().GetStepId() == "two" })
	p.write(filepath.Join(p.world.Project, "both"), "")
	if last := p.watch(id, nil); last[len(last)-1].GetCompleted().GetSucceeded() != 2 {
		p.Errorf("in parallel: %v", last)
	}
	p.shows("Subagent Orchestration", "SubagentService")
}

// survives kills the daemon while a step runs: it is continued, and not started again.
func (p plans) survives() {
	p.Helper()
	id := p.create(0, planned("held", "gate:open\necho:done"))
	p.watch(id, func(e *pb.OrchestrationEvent) bool { return e.GetStepStarted() != nil })
	p.daemon.Kill()
	p.write(filepath.Join(p.world.Project, "open"), "")
	p.start()
	p.api = pb.NewSubagentServiceClient(p.daemon.Conn())
	events := p.watch(id, nil)
	if ids := order(events); len(ids) != 1 || events[len(events)-1].GetCompleted().GetSucceeded() != 1 {
		p.Errorf("after the kill: %v", events)
	}
	p.shows("Startup Reconciliation", "5. Subagents")
}
