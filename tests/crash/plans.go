package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// plans plays orchestrations while daemons die. Each step has to be started once and its prompt has to enter one conversation once;
// no agent of a step is killed, so no step fails.
type plans struct {
	round *round
	all   []*pb.CreateOrchestrationRequest // repeated until one is acknowledged
}

// features are the settings of rounds with worktrees or orchestrations.
const features = `{"feature_flags": {"worktree_management": true, "subagent_orchestration": true}}`

// newPlans generates one to three plans and enables orchestrations.
func newPlans(r *round) (*plans, error) {
	p, dice := &plans{round: r}, rand.New(rand.NewPCG(r.schedule.seed, 17))
	for n := range 1 + dice.IntN(3) {
		request := &pb.CreateOrchestrationRequest{OrchestrationId: uuid.NewString(), WorkingDirectory: r.world.Project, MaxParallel: uint32(1 + dice.IntN(4))} //nolint:gosec // it is small
		for i := range 3 + dice.IntN(8) {
			step := &pb.OrchestrationStep{Id: fmt.Sprintf("s%d", i), Prompt: fmt.Sprintf("echo:step %d of plan %d", i, n)}
			if dice.IntN(3) == 0 {
				step.Prompt = fmt.Sprintf("stream:%d:20:%dms", 5+dice.IntN(40), 1+dice.IntN(3))
			}
			for before := range i {
				if dice.IntN(i) == 0 {
					step.DependsOn = append(step.DependsOn, fmt.Sprintf("s%d", before))
				}
			}
			request.Steps = append(request.Steps, step)
		}
		p.all = append(p.all, request)
	}
	return p, os.WriteFile(filepath.Join(r.world.ConfigDir(), "settings.json"), []byte(features), 0o600)
}

// begin creates the plans, each with as many tries as it takes, until ctx ends.
func (p *plans) begin(ctx context.Context) {
	for _, request := range p.all {
		for ctx.Err() == nil {
			if p.create(ctx, request) {
				break
			}
			pause(ctx, 10*time.Millisecond)
		}
	}
}

func (p *plans) create(ctx context.Context, request *pb.CreateOrchestrationRequest) bool {
	d := p.round.house.wait(ctx)
	if d == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	_, err := pb.NewSubagentServiceClient(d.Conn()).CreateOrchestration(ctx, request)
	p.round.note("create plan %s: %v", request.GetOrchestrationId(), err)
	return err == nil
}

// check waits until all plans have ended, and counts their steps. The daemon is not killed meanwhile.
func (p *plans) check(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, restTime)
	defer cancel()
	p.begin(ctx)
	d := p.round.house.now()
	if d == nil || d.Ended() {
		return
	}
	for _, request := range p.all {
		if err := p.judge(ctx, d, request); err != nil {
			p.round.report(otherwise, "plan %s: %v", request.GetOrchestrationId(), err)
		}
	}
}

// judge counts how often each step was started, and how often its prompt has entered a conversation.
func (p *plans) judge(ctx context.Context, d *kit.Daemon, request *pb.CreateOrchestrationRequest) error {
	stream, err := pb.NewSubagentServiceClient(d.Conn()).WatchOrchestration(ctx, &pb.WatchOrchestrationRequest{OrchestrationId: request.GetOrchestrationId()})
	if err != nil {
		return err
	}
	started, completed := map[string]int{}, int32(0)
	var subagents []string
	for {
		e, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if s := e.GetStepStarted(); s != nil {
			if started[s.GetStepId()]++; started[s.GetStepId()] > 1 {
				p.round.report(startedTwice, "step %s of plan %s: %v", s.GetStepId(), request.GetOrchestrationId(), e)
			}
			subagents = append(subagents, s.GetSubagentId())
		}
		if f := e.GetStepFailed(); f != nil {
			return fmt.Errorf("a step has failed: %v", f)
		}
		completed = max(completed, e.GetCompleted().GetSucceeded())
	}
	if len(started) != len(request.GetSteps()) || int(completed) != len(request.GetSteps()) {
		p.round.report(lost, "plan %s: %d of %d steps started, %d completed", request.GetOrchestrationId(), len(started), len(request.GetSteps()), completed)
	}
	for _, id := range subagents {
		if err := p.promptedOnce(id); err != nil {
			return err
		}
	}
	p.round.note("plan %s has ended", request.GetOrchestrationId())
	return nil
}

// promptedOnce checks that the prompt of a step is in the conversation of its subagent, once. Its key is computed (a UUID of version 5). An
// agent that a stop of the fleet ended in its turn, and that does not go on by itself, gets a message to continue under another kind of
// key.
func (p *plans) promptedOnce(subagent string) error {
	accepted, err := p.round.inTranscript(nil, subagent)
	if err != nil {
		return err
	}
	total := 0
	for key, n := range accepted {
		if id, err := uuid.Parse(key); err != nil || id.Version() == 5 {
			total += n
		} else if n > 1 {
			p.round.report(duplicated, "the conversation of %s has message %s %d times", subagent, key, n)
		}
	}
	switch {
	case total > 1:
		p.round.report(startedTwice, "the conversation of %s has %d prompts: %v", subagent, total, accepted)
	case total == 0:
		p.round.report(lost, "the conversation of %s has no prompt", subagent)
	}
	return nil
}
