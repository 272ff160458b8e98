package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// shown returns the daemon's full description of a session.
func (s *story) shown(id string) *pb.ShowSessionResponse {
	s.Helper()
	shown, err := s.daemon.Admin().ShowSession(s.Context(), &pb.ShowSessionRequest{SessionId: id})
	if err != nil {
		s.Fatal(err)
	}
	return shown
}

// runs runs a prompt in a new session and returns the session's id. The newest session of a list may be another one: its turn
// may have ended later.
func (s *story) runs(prompt string) string {
	s.Helper()
	var result struct {
		ID string `json:"session_id"`
	}
	if err := json.Unmarshal([]byte(s.cli(0, "run", "-o", "json", "--cwd", s.world.Project, prompt)), &result); err != nil {
		s.Fatal(err)
	}
	return result.ID
}

// A change of settings that the daemon refuses keeps the prompt from being sent.
func TestRunWithRefusedSettings(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:hello")
	s.wait(c, 0, kit.IsIdle)
	c.Close()
	free := func() bool { return s.shown(id).GetLockHolder() == "" }
	s.eventually("a free input lock", free)
	head := s.shown(id).GetHead()
	if said, code := s.command(s.world.Binary, []string{"run", "--session", id, "--permission-mode", "yolo", "echo:again"}); code != 5 || !strings.Contains(said, "the prompt was not sent") {
		t.Errorf("exit %d: %s", code, said)
	}
	if now := s.shown(id).GetHead(); now != head {
		t.Errorf("the session went from %d to %d", head, now)
	}
	s.eventually("a free input lock", free)
	if said := s.cli(0, "run", "--session", id, "--model", "opus", "echo:again"); !strings.Contains(said, "again") {
		t.Error(said)
	}
	if model := s.show(id).GetModel(); model != "opus" {
		t.Errorf("the model is %q", model)
	}
}
