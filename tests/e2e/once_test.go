package e2e

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// keyed is a context for a call that may be made again.
func (s *story) keyed(key string) context.Context {
	return metadata.AppendToOutgoingContext(s.Context(), "x-idempotency-key", key, "x-client-id", "a")
}

// A call with an idempotency key takes effect once even if its answer is lost: also by the
// next daemon, and also when another client has changed the same meanwhile.
func TestCallsUnderAKey(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	a := s.converse("a", id)
	s.say(a, "run:echo made")
	asked, _ := s.wait(a, 0, kit.IsPermission)
	answer := &pb.AnswerPermissionRequest{
		SessionId: id, RequestId: asked.GetPermissionRequest().GetRequestId(), Decision: pb.PermissionDecision_ALLOW_SESSION,
	}
	keys := map[string]string{"answer": uuid.NewString(), "cancel": uuid.NewString(), "rename": uuid.NewString(), "stop": uuid.NewString()}
	again := func(when string) {
		t.Helper()
		if got, err := s.daemon.Admin().AnswerPermission(s.keyed(keys["answer"]), answer); err != nil || !got.GetApplied() || got.GetResolvedBy() != "a" {
			t.Errorf("%s: answered %v, %v", when, got, err)
		}
	}
	again("first")
	again("at once")
	s.wait(a, 0, kit.IsIdle)

	s.say(a, "gate:never")
	s.wait(a, 0, func(e kit.Event) bool { return e.GetUserInput().GetContent() == "gate:never" })
	cancelled, err := s.daemon.Agents().CancelTurn(s.keyed(keys["cancel"]), &pb.CancelTurnRequest{SessionId: id})
	if err != nil || !cancelled.GetWasActive() {
		t.Fatalf("cancelled %v, %v", cancelled, err)
	}
	_, next := s.wait(a, 0, func(e kit.Event) bool { return e.GetTurnComplete().GetStopReason() == "cancelled" })
	s.say(a, "gate:go\necho:not cancelled")
	s.wait(a, next, kit.IsStatus(pb.AgentStatus_THINKING))
	if got, err := s.daemon.Agents().CancelTurn(s.keyed(keys["cancel"]), &pb.CancelTurnRequest{SessionId: id}); err != nil || !got.GetWasActive() {
		t.Errorf("cancelled again %v, %v", got, err)
	}
	if _, err := s.daemon.Agents().RenameSession(s.keyed(keys["rename"]), &pb.RenameSessionRequest{SessionId: id, Name: "first"}); err != nil {
		t.Error(err)
	}
	if _, err := s.daemon.Agents().RenameSession(t.Context(), &pb.RenameSessionRequest{SessionId: id, Name: "second"}); err != nil {
		t.Error(err)
	}
	s.killDaemon()
	again("by the next daemon")
	if got, err := s.daemon.Agents().CancelTurn(s.keyed(keys["cancel"]), &pb.CancelTurnRequest{SessionId: id}); err != nil || !got.GetWasActive() {
		t.Errorf("cancelled by the next daemon %v, %v", got, err)
	}
	if _, err := s.daemon.Agents().RenameSession(s.keyed(keys["rename"]), &pb.RenameSessionRequest{SessionId: id, Name: "first"}); err != nil {
		t.Error(err)
	}
	if _, err := s.daemon.Agents().RenameSession(s.keyed(keys["rename"]), &pb.RenameSessionRequest{SessionId: id, Name: "third"}); codeOf(err) != codes.InvalidArgument {
		t.Errorf("another request under the key: %v", err)
	}
	shown, err := s.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: id})
	if err != nil || shown.GetSummary().GetName() != "second" {
		t.Errorf("shown %v, %v", shown.GetSummary(), err)
	}
	a = s.converse("a", id)
	s.create("go")
	s.wait(a, 0, func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), "cancelled") })
	for range 2 {
		if got, err := s.daemon.Admin().StopSession(s.keyed(keys["stop"]), &pb.StopSessionRequest{SessionId: id}); err != nil || !got.GetWasRunning() {
			t.Errorf("stopped %v, %v", got, err)
		}
	}
}

// A repeated answer without a session is not applied to a request that is pending by then: its key
// leads to the session of the first call.
func TestAnswerUnderAKeyWithoutASession(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	a := s.converse("a", id)
	s.say(a, "run:echo made")
	asked, _ := s.wait(a, 0, kit.IsPermission)
	request, key := asked.GetPermissionRequest().GetRequestId(), uuid.NewString()
	answer := func(when string) {
		t.Helper()
		got, err := s.daemon.Admin().AnswerPermission(s.keyed(key), &pb.AnswerPermissionRequest{RequestId: request[:len(request)-1], Decision: pb.PermissionDecision_ALLOW_ONCE})
		if err != nil || !got.GetApplied() || got.GetResolvedBy() != "a" || got.GetSessionId() != id || got.GetRequestId() != request {
			t.Errorf("%s: answered %v, %v", when, got, err)
		}
	}
	answer("first")
	answer("again")
	s.wait(a, 0, kit.IsIdle)
	other := s.converse("b", session())
	s.say(other, "run:echo another")
	s.wait(other, 0, kit.IsPermission)
	answer("with another waiting")
	s.killDaemon()
	answer("by the next daemon")
}

// The same key with another message is refused, and the first message counts.
func TestSameKeyForAnotherMessage(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	a := s.converse("a", id)
	key := uuid.NewString()
	for _, text := range []string{"echo:one", "echo:two"} {
		if err := a.Say(key, text); err != nil {
			t.Fatal(err)
		}
	}
	refused, _ := s.wait(a, 0, isError("IDEMPOTENCY_KEY_USED"))
	if d := refused.GetError().GetDetails(); d["idempotency_key"] != key || d["session_id"] != id || refused.GetError().GetIsFatal() {
		t.Errorf("refused with %v", refused.GetError())
	}
	s.wait(a, 0, kit.IsIdle)
	s.killDaemon()
	a = s.converse("a", id)
	if err := a.Say(key, "echo:three"); err != nil {
		t.Fatal(err)
	}
	s.wait(a, 0, isError("IDEMPOTENCY_KEY_USED"))
	s.wait(a, 0, kit.IsTurnComplete) // the refusal does not wait for the replay
	if got := kit.Text(a.Events()); got != "one" {
		t.Errorf("the agent said %q", got)
	}
}
