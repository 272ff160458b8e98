package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// transcriptOf returns the agent's transcript of a conversation.
func (s *story) transcriptOf(id string) string {
	s.Helper()
	files, _ := filepath.Glob(filepath.Join(s.world.Home, ".claude", "projects", "*", id+".jsonl"))
	if len(files) != 1 {
		s.Fatalf("transcripts of %s: %v", id, files)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		s.Fatal(err)
	}
	return string(text)
}

// A fork has the history up to its creation, survives the daemon and its own first agent, and does
// not change its origin, which goes on independently. The same key makes one fork; a session in a
// turn, or without an answer, is not forked.
func TestRealFork(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	origin := session()
	c := s.converse("a", origin)
	fork := func(key string) (*pb.ForkSessionResponse, error) {
		ctx := metadata.AppendToOutgoingContext(t.Context(), "x-idempotency-key", key)
		return s.daemon.Admin().ForkSession(ctx, &pb.ForkSessionRequest{SessionId: origin, Name: "other way"})
	}
	s.wait(c, 0, func(e kit.Event) bool { return e.GetSessionInfo() != nil }) // the session exists
	if _, err := fork(uuid.NewString()); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("a session without an answer is forked: %v", err)
	}
	s.say(c, "echo: before the fork")
	_, next := s.wait(c, 0, kit.IsIdle)
	key := uuid.NewString()
	made, err := fork(key)
	if err != nil {
		t.Fatal(err)
	}
	if made.GetOrigin().GetSessionId() != origin || made.GetOrigin().GetSequence() == 0 || made.GetSessionId() == origin {
		t.Errorf("%v", made)
	}
	s.say(c, "echo: only in the origin")
	_, next = s.wait(c, next, kit.IsIdle)
	before := s.transcriptOf(origin)
	s.say(c, "tool please")
	s.wait(c, next, kit.IsPermission)
	if _, err := fork(uuid.NewString()); status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "turn") {
		t.Errorf("forked in a turn: %v", err)
	}
	s.killDaemon()
	if again, err := fork(key); err != nil || again.GetSessionId() != made.GetSessionId() || again.GetOrigin().GetSequence() != made.GetOrigin().GetSequence() {
		t.Errorf("the same key: %v, %v", again, err)
	}
	id := made.GetSessionId()
	f := s.converse("b", id)
	lost := s.say(f, "echo: lost at first")
	s.wait(f, 0, kit.IsRun(pb.RunState_RUN_STATE_STARTED))
	s.killRun(f, id, false) // it may have begun the fork, or not
	s.completed(f, lost)
	s.completed(f, s.say(f, "echo: only in the fork"))
	asked := about(t, server, "echo: only in the fork").Conversation
	if asked.Count("before the fork") == 0 || asked.Count("only in the origin") > 0 {
		t.Errorf("the model sees %+v", asked)
	}
	if now := s.transcriptOf(origin); !strings.HasPrefix(now, before) || strings.Contains(now, "only in the fork") {
		t.Error("the origin's transcript was changed")
	}
	shown := s.cli(0, "session", "show", id)
	if !strings.Contains(shown, "forked from") || !strings.Contains(shown, origin) {
		t.Errorf("%s", shown)
	}
}
