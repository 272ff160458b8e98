package e2e

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// After a crash of the daemon the input lock is kept for its holder: another client
// that is faster does not get it.
func TestLockAfterDaemonKill(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "BETCODE_LOCK_GRACE=30m")
	id := session()
	a := s.converse("a", id)
	s.say(a, "echo:one")
	s.wait(a, 0, kit.IsIdle)
	s.killDaemon()
	b := s.converse("b", id)
	s.wait(b, 0, kit.IsIdle)
	s.say(b, "echo:two")
	s.wait(b, 0, isError("NO_INPUT_LOCK"))
	a = s.converse("a", id)
	s.say(a, "echo:three")
	s.wait(a, 0, func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), "three") })
	a.Close()
	s.wait(b, 0, func(e kit.Event) bool { return e.GetLock() != nil && e.GetLock().GetHolder() == "" })
	s.say(b, "echo:four") // the holder has left
	s.wait(b, 0, func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), "four") })
}

// An answer that is given again to the next daemon succeeds without effect; one to
// a request that nobody knows is stale.
func TestAnswerAgainAfterDaemonKill(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "run:echo made")
	asked, next := s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.wait(c, next, kit.IsIdle)
	for range 2 {
		s.killDaemon()
		again, err := s.daemon.Admin().AnswerPermission(t.Context(), &pb.AnswerPermissionRequest{
			SessionId: id, RequestId: asked.GetPermissionRequest().GetRequestId(), Decision: pb.PermissionDecision_DENY,
		})
		if err != nil || again.GetApplied() || again.GetResolvedBy() != "a" {
			t.Fatalf("%v, %v", again, err)
		}
	}
	_, err := s.daemon.Admin().AnswerPermission(t.Context(), &pb.AnswerPermissionRequest{
		SessionId: id, RequestId: "another", Decision: pb.PermissionDecision_DENY,
	})
	if codeOf(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "not pending") {
		t.Errorf("a request that never was: %v", err)
	}
}
