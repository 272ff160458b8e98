package e2e

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// headless does what the published command line does with one prompt: it replays the
// session to the end, opens Converse, sends start and message at once, and leaves at
// the first TurnComplete. It knows published fields only.
func (s *story) headless(id, client, prompt string) (answer string, end error) {
	s.Helper()
	ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(s.Context(), "x-client-id", client), 2*time.Minute)
	defer cancel()
	replay, err := s.daemon.Agents().ResumeSession(ctx, &pb.ResumeSessionRequest{SessionId: id})
	for err == nil {
		_, err = replay.Recv()
	}
	if !errors.Is(err, io.EOF) && status.Code(err) != codes.NotFound {
		return "", err
	}
	stream, err := s.daemon.Agents().Converse(ctx)
	if err != nil {
		return "", err
	}
	for _, r := range []*pb.AgentRequest{
		{Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project}}},
		{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{Content: prompt}}},
	} {
		if err := stream.Send(r); err != nil {
			return "", err
		}
	}
	var text strings.Builder
	for {
		event, err := stream.Recv()
		switch {
		case err != nil:
			return text.String(), err
		case event.GetTurnComplete() != nil:
			return text.String(), nil
		}
		text.WriteString(event.GetTextDelta().GetText())
	}
}

// The published headless client gets the answer to its own prompt, also in a session
// with a history, and the reason where its message is refused.
func TestPublishedHeadlessClient(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := uuid.NewString()
	for _, word := range []string{"first", "second", "third"} {
		if answer, err := s.headless(id, "published", "echo:"+word); err != nil || answer != word {
			t.Errorf("asked for %s, got %q, %v", word, answer, err)
		}
	}
	other := uuid.NewString()
	holder := s.converse("holder", other)
	s.say(holder, "echo:mine")
	s.wait(holder, 0, kit.IsIdle)
	if answer, err := s.headless(other, "published", "echo:refused"); status.Code(err) != codes.PermissionDenied {
		t.Errorf("another client has the input lock: %q, %v", answer, err)
	}
}

// The published screen opens Converse first and replays beside it: the history comes
// once, and the replay ends although a turn runs.
func TestPublishedScreen(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := uuid.NewString()
	if answer, err := s.headless(id, "published", "echo:before"); err != nil || answer != "before" {
		t.Fatalf("%q, %v", answer, err)
	}
	ctx := metadata.AppendToOutgoingContext(s.Context(), "x-client-id", "published")
	screen, err := s.daemon.Agents().Converse(ctx)
	if err != nil {
		t.Fatal(err)
	}
	send := func(r *pb.AgentRequest) {
		t.Helper()
		if err := screen.Send(r); err != nil {
			t.Fatal(err)
		}
	}
	send(&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{SessionId: id}}})
	first, err := screen.Recv()
	if err != nil || first.GetSessionInfo() == nil {
		t.Fatalf("first %v, %v", first, err)
	}
	send(&pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{Content: "gate:go\necho:after"}}})
	for thinking := false; !thinking; {
		event, err := screen.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if event.GetTextDelta().GetText() != "" || event.GetTurnComplete() != nil {
			t.Errorf("history comes on the Converse stream: %v", event)
		}
		thinking = event.GetStatusChange().GetStatus() == pb.AgentStatus_THINKING
	}
	bounded, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	replay, err := s.daemon.Agents().ResumeSession(bounded, &pb.ResumeSessionRequest{SessionId: id})
	var history strings.Builder
	for err == nil {
		var event *pb.AgentEvent
		if event, err = replay.Recv(); err == nil {
			history.WriteString(event.GetTextDelta().GetText())
		}
	}
	if !errors.Is(err, io.EOF) || history.String() != "before" {
		t.Errorf("the replay beside a running turn: %q, %v", history.String(), err)
	}
	if _, err := s.daemon.Agents().CancelTurn(ctx, &pb.CancelTurnRequest{SessionId: id}); err != nil {
		t.Error(err)
	}
}

// A replay that was handled before the start of the Converse stream on its connection was
// read ends too, although a turn runs: the order in which the daemon reads them is not the
// client's to choose.
func TestPublishedReplayBeforeConverse(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := uuid.NewString()
	c := s.converse("a", id)
	s.say(c, "echo:before\ngate:go")
	s.wait(c, 0, kit.IsText)
	c.Close()
	beside, err := s.daemon.Beside(s.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer beside.Conn().Close()
	ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(s.Context(), "x-client-id", "a"), 2*time.Minute)
	defer cancel()
	replay, err := beside.Agents().ResumeSession(ctx, &pb.ResumeSessionRequest{SessionId: id})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uint64]bool{}
	read := func() (*pb.AgentEvent, error) {
		event, err := replay.Recv()
		if n := event.GetSequence(); err == nil && n > 0 {
			if seen[n] {
				t.Errorf("event %d comes twice", n)
			}
			seen[n] = true
		}
		return event, err
	}
	for text := false; !text; {
		event, err := read()
		if err != nil {
			t.Fatal(err)
		}
		text = event.GetTextDelta() != nil
	}
	screen, err := beside.Agents().Converse(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := screen.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{SessionId: id}}}); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = read()
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("the replay ends with %v", err)
	}
	s.create("go")
}
