//go:build linux

package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
)

// The plan of the fleet: layers of instant steps, each step depending on all of the layer before.
const (
	planSteps = 500
	planWidth = 10
)

// planResult is the cost of a plan.
type planResult struct {
	steps, startedTwice int
	each                time.Duration // processor time of the daemon for a step, from its start to its end
}

// playPlan plays the plan with a daemon of its own.
func playPlan(b *testing.B) planResult {
	b.Helper()
	r := newRig(b, binaries.betcode, load{
		sessions: 4, clients: 1, work: work{lines: 1}, settings: `{"feature_flags": {"subagent_orchestration": true}}`,
	})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	api, request := pb.NewSubagentServiceClient(r.daemon.Conn()), layers(planSteps, planWidth)
	request.WorkingDirectory = r.world.Project
	before := r.usage().cpu
	made, err := api.CreateOrchestration(ctx, request)
	if err != nil {
		b.Fatal(err)
	}
	result := planResult{}
	started := map[string]int{}
	stream, err := api.WatchOrchestration(ctx, &pb.WatchOrchestrationRequest{OrchestrationId: made.GetOrchestrationId()})
	for err == nil {
		var e *pb.OrchestrationEvent
		if e, err = stream.Recv(); err != nil {
			break
		}
		if id := e.GetStepStarted().GetStepId(); id != "" {
			if started[id]++; started[id] > 1 {
				result.startedTwice++
			}
		}
		result.steps += int(e.GetCompleted().GetSucceeded())
	}
	if !errors.Is(err, io.EOF) || result.steps != planSteps {
		b.Errorf("%d of %d steps completed: %v", result.steps, planSteps, err)
	}
	result.each = (r.usage().cpu - before) / planSteps
	return result
}

// layers is a plan of instant steps.
func layers(steps, width int) *pb.CreateOrchestrationRequest {
	plan := &pb.CreateOrchestrationRequest{Name: "layers"}
	for i := range steps {
		step := &pb.OrchestrationStep{Id: fmt.Sprint(i), Prompt: "nothing"}
		for before := max(i/width-1, 0) * width; before < i/width*width; before++ {
			step.DependsOn = append(step.DependsOn, fmt.Sprint(before))
		}
		plan.Steps = append(plan.Steps, step)
	}
	return plan
}
