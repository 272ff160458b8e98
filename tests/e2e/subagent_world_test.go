package e2e

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// fleetStory is a story with subagents: it has a parent for them.
type fleetStory struct {
	*story
	parent string
}

func newFleetStory(t *testing.T, settings string) fleetStory {
	t.Helper()
	w, err := kit.NewWorld(binaries.betcode, binaries.fake)
	if err != nil {
		t.Fatal(err)
	}
	if settings != "" {
		settings = ", " + settings
	}
	if err := os.WriteFile(filepath.Join(w.ConfigDir(), "settings.json"), []byte(`{"feature_flags": {"subagent_orchestration": true}`+settings+`}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := fleetStory{story: storyIn(t, w), parent: session()}
	c := s.converse("parent", s.parent)
	s.wait(c, 0, func(e kit.Event) bool { return e.GetSequence() == 1 })
	return s
}

func (s fleetStory) api() pb.SubagentServiceClient {
	return pb.NewSubagentServiceClient(s.daemon.Conn())
}

func (s fleetStory) spawn(r *pb.SpawnSubagentRequest) string {
	s.Helper()
	r.ParentSessionId = s.parent
	out, err := s.api().SpawnSubagent(s.Context(), r)
	if err != nil {
		s.Fatal(err)
	}
	if out.GetSubagentId() == "" || out.GetSubagentId() != out.GetSessionId() {
		s.Fatalf("spawned %v", out)
	}
	return out.GetSubagentId()
}

// watch reads the events of a subagent from a sequence to its end.
func (s fleetStory) watch(id string, from uint64) []*pb.SubagentEvent {
	s.Helper()
	stream, err := s.api().WatchSubagent(s.Context(), &pb.WatchSubagentRequest{SubagentId: id, FromSequence: from})
	if err != nil {
		s.Fatal(err)
	}
	var events []*pb.SubagentEvent
	for {
		e, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return events
		}
		if err != nil {
			s.Fatalf("watch %s: %v", id, err)
		}
		if n := len(events); e.GetSubagentId() != id || n > 0 && e.GetSequence() <= events[n-1].GetSequence() {
			s.Fatalf("event %v out of order", e)
		}
		events = append(events, e)
	}
}

func (s fleetStory) info(id string) *pb.SubagentInfo {
	s.Helper()
	list, err := s.api().ListSubagents(s.Context(), &pb.ListSubagentsRequest{ParentSessionId: s.parent})
	if err != nil {
		s.Fatal(err)
	}
	for _, info := range list.GetSubagents() {
		if info.GetId() == id {
			return info
		}
	}
	s.Fatalf("%s is not listed", id)
	return nil
}

// prompts counts how often a conversation of the agent has a text in a message of the user.
func (s fleetStory) prompts(id, text string) (n int) {
	for _, e := range s.watch(id, 0) {
		if strings.Contains(e.GetAgentEvent().GetUserInput().GetContent(), text) {
			n++
		}
	}
	return n
}

func said(events []*pb.SubagentEvent) string {
	var text strings.Builder
	for _, e := range events {
		text.WriteString(e.GetOutput().GetText())
	}
	return text.String()
}
