package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// isForwarded recognises a request that a subagent forwards.
func isForwarded(child string) func(kit.Event) bool {
	return func(e kit.Event) bool { return e.GetPermissionRequest().GetSubagentId() == child }
}

// isTakenBack recognises the end of a forwarded request.
func isTakenBack(id, reason string) func(kit.Event) bool {
	return func(e kit.Event) bool {
		return e.GetPermissionResolved().GetRequestId() == id && e.GetPermissionResolved().GetReason() == reason
	}
}

func (s fleetStory) made(name string) bool {
	_, err := os.Stat(filepath.Join(s.world.Project, name))
	return err == nil
}

// TestSubagentForwards: a client of the parent is asked with the subagent's name and answers there. The parent's history has nothing of
// it, the subagent's has all.
func TestSubagentForwards(t *testing.T) {
	t.Parallel()
	s := newFleetStory(t, "")
	person := s.converse("person", s.parent)
	id := s.spawn(&pb.SpawnSubagentRequest{Prompt: "run:touch made\necho:over", Name: "finder", ForwardPermissions: true})
	asked, _ := s.wait(person, 0, isForwarded(id))
	request := asked.GetPermissionRequest()
	if asked.GetSequence() != 0 || request.GetSubagentName() != "finder" || !strings.HasPrefix(request.GetRequestId(), id+"~") || !strings.Contains(request.GetDescription(), "finder") {
		t.Errorf("asked %v", asked)
	}
	list := s.cliJSON(0, "permission", "list", "--session", s.parent, "--json")
	waiting, _ := list["permissions"].([]any)
	if len(waiting) != 1 {
		t.Fatalf("listed %v", list)
	}
	if p, _ := waiting[0].(map[string]any); p["session_id"] != id || p["parent_session_id"] != s.parent || p["forwarded"] != true || p["session_name"] != "finder" {
		t.Errorf("listed %v", waiting)
	}
	s.answer(person, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.wait(person, 0, isTakenBack(request.GetRequestId(), "client"))
	if last := s.watch(id, 0); last[len(last)-1].GetCompleted() == nil || !s.made("made") {
		t.Errorf("ended with %v", last[len(last)-1])
	}
	for _, e := range person.Events() {
		if e.GetSequence() > 0 && (e.GetPermissionRequest() != nil || e.GetPermissionResolved() != nil) {
			t.Errorf("the parent journaled %v", e)
		}
	}
}

// TestForwardedRequestSurvives: the daemon is killed while a forwarded request waits. A client that attaches to the parent
// afterwards gets the request as a replay. A client of the subagent answers first; the parent's client gets the decision, and its
// own later answer has no effect.
func TestForwardedRequestSurvives(t *testing.T) {
	t.Parallel()
	s := newFleetStory(t, "")
	id := s.spawn(&pb.SpawnSubagentRequest{Prompt: "run:touch made\necho:over", Name: "finder", ForwardPermissions: true})
	s.wait(s.converse("person", s.parent), 0, isForwarded(id))
	s.killDaemon()
	person := s.converse("person", s.parent)
	asked, _ := s.wait(person, 0, isForwarded(id))
	if request := asked.GetPermissionRequest(); request.GetSubagentName() != "finder" {
		t.Errorf("asked %v", asked)
	}
	late := s.converse("late", s.parent)
	if replayed, _ := s.wait(late, 0, isForwarded(id)); !replayed.GetPermissionRequest().GetIsReplay() {
		t.Errorf("a late client is asked %v", replayed)
	}
	child := s.converse("other", id)
	own, _ := s.wait(child, 0, kit.IsPermission)
	s.answer(child, own, pb.PermissionDecision_DENY, "no")
	taken, _ := s.wait(person, 0, isTakenBack(asked.GetPermissionRequest().GetRequestId(), "client"))
	if by := taken.GetPermissionResolved().GetResolvedBy(); by != "other" {
		t.Errorf("resolved by %q", by)
	}
	answer := &pb.AnswerPermissionRequest{SessionId: s.parent, RequestId: asked.GetPermissionRequest().GetRequestId(), Decision: pb.PermissionDecision_ALLOW_ONCE}
	if got, err := s.daemon.Admin().AnswerPermission(t.Context(), answer); err != nil || got.GetApplied() || got.GetSessionId() == "" {
		t.Errorf("a late answer: %v, %v", got, err)
	}
	s.watch(id, 0)
	if s.made("made") {
		t.Error("the call ran although it was denied first")
	}
}

// TestForwardedThroughTheFamily: a request of a subagent's subagent is shown and answered at the top, and withdrawn there when
// its subagent is cancelled. A session between that does not forward stops it.
func TestForwardedThroughTheFamily(t *testing.T) {
	t.Parallel()
	s := newFleetStory(t, "")
	person := s.converse("person", s.parent)
	between := s.spawn(&pb.SpawnSubagentRequest{Prompt: "gate:go", ForwardPermissions: true})
	quiet := s.spawn(&pb.SpawnSubagentRequest{Prompt: "gate:go"})
	below := func(parent, file string) string {
		t.Helper()
		out, err := s.api().SpawnSubagent(t.Context(), &pb.SpawnSubagentRequest{ParentSessionId: parent, Prompt: "run:touch " + file, Name: file, ForwardPermissions: true})
		if err != nil {
			t.Fatal(err)
		}
		return out.GetSubagentId()
	}
	hidden := below(quiet, "hidden")
	shownBetween := s.converse("person", quiet)
	s.wait(shownBetween, 0, isForwarded(hidden))

	answered := below(between, "answered")
	asked, _ := s.wait(person, 0, isForwarded(answered))
	s.answer(person, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.watch(answered, 0)
	if !s.made("answered") {
		t.Error("the call did not run")
	}

	cancelled := below(between, "cancelled")
	asked, _ = s.wait(person, 0, isForwarded(cancelled))
	if _, err := s.api().CancelSubagent(t.Context(), &pb.CancelSubagentRequest{SubagentId: cancelled, Reason: "not needed"}); err != nil {
		t.Fatal(err)
	}
	s.wait(person, 0, isTakenBack(asked.GetPermissionRequest().GetRequestId(), "withdrawn"))

	deleted := below(between, "deleted")
	asked, _ = s.wait(person, 0, isForwarded(deleted))
	if _, err := s.daemon.Agents().DeleteSession(t.Context(), &pb.DeleteSessionRequest{SessionId: deleted}); err != nil {
		t.Fatal(err)
	}
	s.wait(person, 0, isTakenBack(asked.GetPermissionRequest().GetRequestId(), "withdrawn"))
	for _, e := range person.Events() {
		if isForwarded(hidden)(e) {
			t.Error("a session that does not forward has shown a request above it")
		}
	}
}

// TestForeignForwardedID: an id names a request only on the sessions that show it.
func TestForeignForwardedID(t *testing.T) {
	t.Parallel()
	s := newFleetStory(t, "")
	id := s.spawn(&pb.SpawnSubagentRequest{Prompt: "run:touch made", ForwardPermissions: true})
	private := s.spawn(&pb.SpawnSubagentRequest{Prompt: "run:touch private"})
	stranger := session()
	s.converse("stranger", stranger)
	child := s.converse("a", id)
	asked, _ := s.wait(child, 0, kit.IsPermission)
	other := s.converse("a", private)
	hidden, _ := s.wait(other, 0, kit.IsPermission)
	for what, a := range map[string]*pb.AnswerPermissionRequest{
		"a session that is not above":          {SessionId: stranger, RequestId: id + "~" + asked.GetPermissionRequest().GetRequestId()},
		"a subagent that does not forward":     {SessionId: s.parent, RequestId: private + "~" + hidden.GetPermissionRequest().GetRequestId()},
		"a session that does not exist":        {SessionId: s.parent, RequestId: uuid.NewString() + "~" + asked.GetPermissionRequest().GetRequestId()},
		"the parent's own, below its subagent": {SessionId: id, RequestId: s.parent + "~x"},
	} {
		a.Decision = pb.PermissionDecision_ALLOW_ONCE
		if got, err := s.daemon.Admin().AnswerPermission(t.Context(), a); status.Code(err) != codes.NotFound {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
	if s.made("made") || s.made("private") {
		t.Error("a call ran")
	}
}
