package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// A client that has sent all its requests and closes its half gets everything up to the end
// of its last turn. That a person has to act in between does not end its stream.
func TestHalfCloseEndsAfterTheLastAnswer(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("script", id)
	s.say(c, "run:touch ran\ngate:go\necho:last words")
	if err := c.HalfClose(); err != nil {
		t.Fatal(err)
	}
	asked, _ := s.wait(c, 0, kit.IsPermission)
	other := s.converseWith("person", &pb.StartConversation{SessionId: id, History: pb.HistoryPolicy_HISTORY_POLICY_PENDING_ONLY})
	s.answer(other, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.wait(c, 0, func(e kit.Event) bool { return e.GetPermissionResolved() != nil })
	if err := os.WriteFile(filepath.Join(s.world.Project, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.WaitEnd(); err != nil {
		t.Fatalf("the stream ends with %v", err)
	}
	var text strings.Builder
	complete := 0
	for _, e := range c.Events() {
		text.WriteString(e.GetTextDelta().GetText())
		if e.GetTurnComplete() != nil {
			complete++
		}
	}
	if complete == 0 || !strings.Contains(text.String(), "last words") {
		t.Errorf("the stream ended early:\n%s", kit.Describe(c.Events()))
	}
	s.sameHistory(c, id)

	idle := s.converse("script", id)
	if err := idle.HalfClose(); err != nil {
		t.Fatal(err)
	}
	if err := idle.WaitEnd(); err != nil {
		t.Errorf("without a turn the stream ends with %v", err)
	}
}
