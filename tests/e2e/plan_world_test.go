package e2e

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// planStory is a story with orchestrations.
type planStory struct {
	*story
	parent string
}

func newPlanStory(t *testing.T) planStory {
	t.Helper()
	w, err := kit.NewWorld(binaries.betcode, binaries.fake)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.ConfigDir(), "settings.json"), []byte(`{"feature_flags": {"subagent_orchestration": true}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := planStory{story: storyIn(t, w), parent: session()}
	c := s.converse("parent", s.parent)
	s.wait(c, 0, func(e kit.Event) bool { return e.GetSequence() == 1 })
	return s
}

func (s planStory) api() pb.SubagentServiceClient {
	return pb.NewSubagentServiceClient(s.daemon.Conn())
}

func (s planStory) begin(r *pb.CreateOrchestrationRequest) string {
	s.Helper()
	r.ParentSessionId = s.parent
	out, err := s.api().CreateOrchestration(s.Context(), r)
	if err != nil {
		s.Fatal(err)
	}
	if int(out.GetTotalSteps()) != len(r.GetSteps()) {
		s.Errorf("%v", out)
	}
	return out.GetOrchestrationId()
}

// watch passes the events of an orchestration to until, from a sequence, until that returns true or they end.
func (s planStory) watch(id string, from uint64, until func(*pb.OrchestrationEvent) bool) []*pb.OrchestrationEvent {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	stream, err := s.api().WatchOrchestration(ctx, &pb.WatchOrchestrationRequest{OrchestrationId: id, FromSequence: from})
	if err != nil {
		s.Fatal(err)
	}
	var all []*pb.OrchestrationEvent
	for {
		e, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			s.Fatalf("watch %s: %v", id, err)
		}
		if from++; e.GetSequence() != from || e.GetOrchestrationId() != id {
			s.Fatalf("event %v is not number %d", e, from)
		}
		if all = append(all, e); until != nil && until(e) {
			return all
		}
	}
}

func (s planStory) get(id string) *pb.OrchestrationInfo {
	s.Helper()
	o, err := s.api().GetOrchestration(s.Context(), &pb.GetOrchestrationRequest{OrchestrationId: id})
	if err != nil {
		s.Fatal(err)
	}
	return o
}

// prompts lists the messages of the user in the conversation of a subagent.
func (s planStory) prompts(id string) []string {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	stream, err := s.api().WatchSubagent(ctx, &pb.WatchSubagentRequest{SubagentId: id})
	if err != nil {
		s.Fatal(err)
	}
	var all []string
	for {
		e, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			s.Fatalf("watch subagent %s: %v", id, err)
		}
		if in := e.GetAgentEvent().GetUserInput(); in != nil {
			all = append(all, in.GetContent())
		}
	}
}

func fakeStep(id, prompt string, needs ...string) *pb.OrchestrationStep {
	return &pb.OrchestrationStep{Id: id, Prompt: prompt, DependsOn: needs}
}
