package e2e

import (
	"context"
	"slices"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

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

// An orderly restart of the daemon ends all streams. The lock stays with its holder, as after a crash: a client that
// attaches before the holder is back does not get it.
func TestLockAfterDaemonRestart(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "BETCODE_LOCK_GRACE=30m")
	id := session()
	a := s.converse("a", id)
	s.say(a, "echo:one")
	s.wait(a, 0, kit.IsIdle)
	s.signal(syscall.SIGTERM)
	s.start()
	b := s.converse("b", id)
	s.wait(b, 0, kit.IsIdle)
	s.say(b, "echo:two")
	if refused, _ := s.wait(b, 0, isError("NO_INPUT_LOCK")); refused.GetError().GetDetails()["holder_client_id"] != "a" {
		t.Errorf("refused with %v", refused.GetError())
	}
	a = s.converse("a", id)
	s.say(a, "echo:three")
	s.wait(a, 0, func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), "three") })
}

// askLock requests the input lock as a client, and returns a channel with the answer.
func (s *story) askLock(client, id string) <-chan *pb.InputLockResponse {
	answered := make(chan *pb.InputLockResponse, 1)
	ctx := metadata.AppendToOutgoingContext(s.Context(), "x-client-id", client)
	go func() {
		answer, err := s.daemon.Agents().RequestInputLock(ctx, &pb.InputLockRequest{SessionId: id})
		if err != nil {
			s.Errorf("%s asks for the lock: %v", client, err)
		}
		answered <- answer
	}()
	return answered
}

func (s *story) lockAction(c *kit.Stream, action pb.LockAction) {
	s.Helper()
	if err := c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Lock{Lock: &pb.InputLockAction{Action: action}}}); err != nil {
		s.Fatal(err)
	}
}

func holds(client string) func(kit.Event) bool {
	return func(e kit.Event) bool { return e.GetLock() != nil && e.GetLock().GetHolder() == client }
}

// A holder that does not answer loses the lock to the requester, and one that releases it
// passes it to the first waiter. Observers never get it, and answers do not need it.
func TestLockIsHandedOver(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	a := s.converse("a", id)
	s.say(a, "run:echo made")
	asked, _ := s.wait(a, 0, kit.IsPermission)
	b, c := s.converse("b", id), s.converse("c", id)
	watcher := s.converseWith("watcher", &pb.StartConversation{SessionId: id, Observer: true})
	s.wait(b, 0, kit.IsPermission)
	s.wait(c, 0, kit.IsPermission)
	s.wait(watcher, 0, kit.IsPermission)

	if answer := <-s.askLock("b", id); !answer.GetGranted() || answer.GetPreviousHolder() != "a" {
		t.Errorf("the holder did not respond, and b got %v", answer)
	}
	s.wait(a, 0, holds("b"))
	s.say(a, "echo:not any more")
	if refused, _ := s.wait(a, 0, isError("NO_INPUT_LOCK")); refused.GetError().GetDetails()["holder_client_id"] != "b" {
		t.Errorf("refused with %v", refused.GetError())
	}
	answered := s.askLock("c", id)
	s.wait(b, 0, func(e kit.Event) bool { return e.GetLock().GetRequestedBy() == "c" })
	s.lockAction(b, pb.LockAction_LOCK_ACTION_RELEASE)
	if answer := <-answered; !answer.GetGranted() || answer.GetPreviousHolder() != "b" {
		t.Errorf("b gave it up, and c got %v", answer)
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), "x-client-id", "watcher")
	if _, err := s.daemon.Agents().RequestInputLock(ctx, &pb.InputLockRequest{SessionId: id}); codeOf(err) != codes.FailedPrecondition {
		t.Errorf("an observer asked: %v", err)
	}
	s.say(watcher, "echo:never")
	s.wait(watcher, 0, isError("NO_INPUT_LOCK"))
	s.answer(watcher, asked, pb.PermissionDecision_ALLOW_ONCE, "") // needs no lock
	s.wait(c, 0, kit.IsTurnComplete)
}

// All clients, and the caller of GetSession, get the list of attached clients.
func TestPresence(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	a := s.converse("a", id)
	s.wait(a, 0, func(e kit.Event) bool { return e.GetPresence().GetComplete() && e.GetPresence().GetTotal() == 1 })
	b, err := s.daemon.Converse(metadata.AppendToOutgoingContext(context.Background(), "x-client-type", "web"), "b",
		&pb.StartConversation{SessionId: id, Observer: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	everybody, _ := s.wait(b, 0, func(e kit.Event) bool { return e.GetPresence() != nil })
	if p := everybody.GetPresence(); !p.GetComplete() || p.GetTotal() != 2 || p.GetAttached()[0].GetClientId() != "a" {
		t.Errorf("b got %v", p)
	}
	came, next := s.wait(a, 0, func(e kit.Event) bool {
		return len(e.GetPresence().GetAttached()) == 1 && !e.GetPresence().GetComplete()
	})
	if p := came.GetPresence().GetAttached()[0]; p.GetClientId() != "b" || p.GetType() != "web" || !p.GetObserver() || p.GetSince() == nil || came.GetSequence() != 0 {
		t.Errorf("a got %v", came)
	}
	shown, err := s.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: id})
	if err != nil || len(shown.GetAttached()) != 2 || shown.GetAttached()[1].GetType() != "web" {
		t.Errorf("shown %v, %v", shown.GetAttached(), err)
	}
	if out := s.cli(0, "session", "show", id); !strings.Contains(out, "b (web), watching, since ") {
		t.Errorf("session show:\n%s", out)
	}
	b.Close()
	s.wait(a, next, func(e kit.Event) bool {
		return slices.Equal(e.GetPresence().GetDetached(), []string{"b"}) && e.GetPresence().GetTotal() == 1
	})
}

// A repeated answer succeeds without effect in the next daemon; an answer to an unknown request is stale.
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
