package e2e

import (
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// An answer to a decided request returns the decision and its time: it succeeds if it is equal, and
// fails if it differs. It needs no session, also in the next daemon.
func TestAnswerAgain(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	c := s.converse("a", session())
	s.say(c, "run:echo one")
	asked, next := s.wait(c, 0, kit.IsPermission)
	id := asked.GetPermissionRequest().GetRequestId()
	s.cli(0, "permission", "allow", id)
	s.wait(c, next, kit.IsIdle)
	again := func(want int, args ...string) {
		t.Helper()
		said, code := s.command(binaries.betcode, append([]string{"permission"}, args...))
		if code != want || !strings.Contains(said, id) || !strings.Contains(said, "allowed before by ") || !strings.Contains(said, " at 20") {
			t.Errorf("%s: exit %d, want %d: %s", strings.Join(args, " "), code, want, said)
		}
	}
	again(0, "allow", id)
	again(0, "allow", id[:8])
	again(1, "deny", id)
	again(1, "allow", "--always", id)
	s.killDaemon()
	again(0, "allow", id)
	again(1, "deny", "--interrupt", id)
	response, err := s.daemon.Admin().AnswerPermission(t.Context(), &pb.AnswerPermissionRequest{RequestId: id, Decision: pb.PermissionDecision_DENY})
	if err != nil || response.GetApplied() || response.GetDecision() != pb.PermissionDecision_ALLOW_ONCE || response.GetReason() != "client" || response.GetDecidedAt() == nil {
		t.Errorf("%v, %v", response, err)
	}
	if said, code := s.command(binaries.betcode, []string{"permission", "allow", session()}); code != 6 {
		t.Errorf("an unknown id: exit %d: %s", code, said)
	}

	c = s.converseFromNow("a", c.Events()[0].GetSessionId())
	s.say(c, "run:echo two")
	asked, _ = s.wait(c, 0, kit.IsPermission)
	_, err = s.daemon.Agents().CancelTurn(s.Context(), &pb.CancelTurnRequest{SessionId: asked.GetSessionId()})
	if err != nil {
		t.Fatal(err)
	}
	s.wait(c, 0, isResolved)
	withdrawn := asked.GetPermissionRequest().GetRequestId()
	if said, code := s.command(binaries.betcode, []string{"permission", "deny", withdrawn}); code != 1 || !strings.Contains(said, "was withdrawn") {
		t.Errorf("a request that was withdrawn: exit %d: %s", code, said)
	}
}

// A permission request without a tool is not shown: the agent gets an error, clients get a notice,
// the log has a line, and the turn goes on.
func TestRequestWithoutATool(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	c := s.converse("a", session())
	s.say(c, "tool::{}\necho:went on")
	notice, _ := s.wait(c, 0, isNotice("PERMISSION_MALFORMED"))
	s.wait(c, 0, kit.IsIdle)
	if n := s.permissions(c); n != 0 || !strings.Contains(kit.Text(c.Events()), "went on") {
		t.Errorf("%d requests were put before people; text %q", n, kit.Text(c.Events()))
	}
	s.logged("malformed permission request of the agent is refused", `"warn"`, notice.GetNotice().GetDetails()["request_id"])
}
