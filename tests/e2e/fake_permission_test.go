package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

func isNotice(code string) func(kit.Event) bool {
	return func(e kit.Event) bool { return e.GetNotice().GetCode() == code }
}

func isResolved(e kit.Event) bool { return e.GetPermissionResolved() != nil }

func isResult(words string) func(kit.Event) bool {
	return func(e kit.Event) bool {
		return e.GetToolCallResult() != nil && strings.Contains(e.GetToolCallResult().GetOutput(), words)
	}
}

func (s *story) permissions(c *kit.Stream) (n int) {
	for _, e := range c.Events() {
		if kit.IsPermission(e) {
			n++
		}
	}
	return n
}

// settledOnDisk waits until the agent's transcript holds a word.
func (s *story) settledOnDisk(session, word string) {
	s.Helper()
	s.eventually(word+" is in the transcript", func() bool {
		files, _ := filepath.Glob(filepath.Join(s.world.Home, ".claude", "projects", "*", session+".jsonl"))
		return slices.ContainsFunc(files, func(file string) bool {
			raw, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(raw), word)
		})
	})
}

// An answer given while no agent runs, and to a later daemon, is
// used when the resumed agent makes the same call again, and only then.
func TestAnswerWaitsForTheAgent(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "run:echo done >> made.txt")
	asked, _ := s.wait(c, 0, kit.IsPermission)
	s.settledOnDisk(id, "tool_use")
	s.killRun(c, id, false)
	s.wait(c, 0, isNotice("PERMISSION_KEPT"))
	seen, err := kit.Journaled(c.Events(), 1)
	if err != nil {
		t.Fatal(err)
	}
	s.killDaemon()
	c = s.converseWith("a", &pb.StartConversation{SessionId: id, FromSequence: uint64(len(seen))})
	replayed, _ := s.wait(c, 0, func(e kit.Event) bool { return e.GetPermissionRequest().GetIsReplay() })
	if replayed.GetPermissionRequest().GetRequestId() != asked.GetPermissionRequest().GetRequestId() {
		t.Fatal("another request is shown")
	}
	s.answer(c, replayed, pb.PermissionDecision_ALLOW_ONCE, "")
	s.wait(c, 0, isResolved)
	_, next := s.wait(c, 0, kit.IsIdle) // the resumed agent does not ask: its transcript shows an unknown outcome
	s.say(c, "run:echo other")
	other, next := s.wait(c, next, kit.IsPermission)
	s.answer(c, other, pb.PermissionDecision_DENY, "no")
	_, next = s.wait(c, next, kit.IsIdle)
	s.say(c, "run:echo done >> made.txt")
	used, next := s.wait(c, next, isNotice("PERMISSION_ANSWER_USED"))
	if got := used.GetNotice().GetDetails()["kept_for"]; got != asked.GetPermissionRequest().GetRequestId() {
		t.Errorf("the answer was kept for %q", got)
	}
	_, next = s.wait(c, next, kit.IsIdle)
	if n := s.permissions(c); n != 1 {
		t.Errorf("%d requests were put before people since, want that of the other call", n)
	}
	s.say(c, "run:echo done >> made.txt") // once is once
	again, _ := s.wait(c, next, kit.IsPermission)
	s.answer(c, again, pb.PermissionDecision_DENY, "no")
	if made, err := os.ReadFile(filepath.Join(s.world.Project, "made.txt")); err != nil || string(made) != "done\n" {
		t.Errorf("the call was made like this: %q, %v", made, err)
	}
}

// An agent that asks again before the answer puts a new prompt in the place of the
// old one; the old one's id still names it.
func TestAskedAgain(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "FAKE_AGENT_FLUSH=1h") // killed, it has forgotten everything
	id := session()
	c := s.converse("a", id)
	s.say(c, "run:echo done >> made.txt")
	asked, next := s.wait(c, 0, kit.IsPermission)
	s.killRun(c, id, false)
	superseded, next := s.wait(c, next, isResolved)
	second, _ := s.wait(c, next, kit.IsPermission)
	r := superseded.GetPermissionResolved()
	if r.GetReason() != "superseded" || r.GetRequestId() != asked.GetPermissionRequest().GetRequestId() ||
		r.GetSupersededBy() != second.GetPermissionRequest().GetRequestId() {
		t.Errorf("resolved as %s", kit.Line(superseded))
	}
	list, err := s.daemon.Admin().ListPermissions(t.Context(), &pb.ListPermissionsRequest{})
	if err != nil || len(list.GetPermissions()) != 1 || list.GetPermissions()[0].GetRequestId() != r.GetSupersededBy() {
		t.Errorf("pending: %v, %v", list, err)
	}
	answer, err := s.daemon.Admin().AnswerPermission(t.Context(), &pb.AnswerPermissionRequest{
		RequestId: r.GetRequestId(), Decision: pb.PermissionDecision_ALLOW_ONCE,
	})
	if err != nil || !answer.GetApplied() {
		t.Fatalf("%v, %v", answer, err)
	}
	s.wait(c, next, kit.IsIdle)
	if made, err := os.ReadFile(filepath.Join(s.world.Project, "made.txt")); err != nil || string(made) != "done\n" {
		t.Errorf("the call was made like this: %q, %v", made, err)
	}
	s.sameHistory(c, id)
}

// The id of a prompt whose place was taken by another still names it for another
// daemon, before the answer and after it.
func TestFormerIDAcrossDaemonKills(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "FAKE_AGENT_FLUSH=1h")
	id := session()
	c := s.converse("a", id)
	s.say(c, "run:echo done >> made.txt")
	asked, next := s.wait(c, 0, kit.IsPermission)
	s.killRun(c, id, false)
	_, next = s.wait(c, next, isResolved)
	s.wait(c, next, kit.IsPermission)
	former := &pb.AnswerPermissionRequest{
		SessionId: id, RequestId: asked.GetPermissionRequest().GetRequestId(), Decision: pb.PermissionDecision_ALLOW_ONCE,
	}
	s.killDaemon()
	answer, err := s.daemon.Admin().AnswerPermission(t.Context(), former)
	if err != nil || !answer.GetApplied() {
		t.Fatalf("%v, %v", answer, err)
	}
	c = s.converse("a", id)
	resolved, next := s.wait(c, 0, func(e kit.Event) bool { return e.GetPermissionResolved().GetReason() == "client" })
	if got := resolved.GetPermissionResolved().GetFormerly(); !slices.Equal(got, []string{former.GetRequestId()}) {
		t.Errorf("formerly %q", got)
	}
	s.wait(c, next, kit.IsIdle)
	s.killDaemon()
	again, err := s.daemon.Admin().AnswerPermission(t.Context(), former)
	if err != nil || again.GetApplied() || again.GetResolvedBy() != answer.GetResolvedBy() {
		t.Errorf("%v, %v", again, err)
	}
	if made, err := os.ReadFile(filepath.Join(s.world.Project, "made.txt")); err != nil || string(made) != "done\n" {
		t.Errorf("the call was made like this: %q, %v", made, err)
	}
}

// The answer arrives while the agent is being restarted; people are not asked twice.
func TestAnswerMeetsTheResumedAgent(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "FAKE_AGENT_FLUSH=1h")
	id := session()
	c := s.converse("a", id)
	s.say(c, "run:echo done >> made.txt")
	asked, next := s.wait(c, 0, kit.IsPermission)
	s.killRun(c, id, false)
	s.wait(c, next, isNotice("PERMISSION_KEPT"))
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.wait(c, next, kit.IsIdle)
	if made, err := os.ReadFile(filepath.Join(s.world.Project, "made.txt")); err != nil || string(made) != "done\n" {
		t.Errorf("the call was made like this: %q, %v", made, err)
	}
}

// Every decision has its effect on the agent.
func TestDecisions(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	ask := func(next int) (kit.Event, int) {
		s.say(c, "run:echo original\necho:went on.")
		asked, next := s.wait(c, next, kit.IsPermission)
		return asked, next
	}

	asked, next := ask(0)
	if got := string(asked.GetPermissionRequest().GetSuggestions()); !strings.HasPrefix(got, "[") || !strings.Contains(got, "addRules") {
		t.Errorf("suggestions %q", got)
	}
	edited, err := structpb.NewStruct(map[string]any{"command": "echo edited"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{
		RequestId: asked.GetPermissionRequest().GetRequestId(), Decision: pb.PermissionDecision_ALLOW_WITH_EDIT, UpdatedInput: edited,
	}}}); err != nil {
		t.Fatal(err)
	}
	_, next = s.wait(c, next, isResult("edited"))
	_, next = s.wait(c, next, kit.IsIdle)

	for _, decision := range []pb.PermissionDecision{pb.PermissionDecision_DENY, pb.PermissionDecision_DENY_NO_INTERRUPT} {
		asked, next = ask(next)
		s.answer(c, asked, decision, "use the other one")
		_, next = s.wait(c, next, isResult("use the other one"))
		_, next = s.wait(c, next, kit.IsText) // the turn goes on
		_, next = s.wait(c, next, kit.IsIdle)
	}

	before := len(kit.Text(c.Events()))
	asked, next = ask(next)
	s.answer(c, asked, pb.PermissionDecision_DENY_WITH_INTERRUPT, "stop")
	_, next = s.wait(c, next, func(e kit.Event) bool { return e.GetTurnComplete() != nil })
	_, next = s.wait(c, next, kit.IsIdle)
	if after := len(kit.Text(c.Events())); after != before {
		t.Errorf("the turn went on: %q", kit.Text(c.Events())[before:])
	}
	s.say(c, "echo:still there")
	s.wait(c, next, kit.IsIdle)
	runs := 0
	for _, e := range c.Events() {
		if kit.IsRun(pb.RunState_RUN_STATE_STARTED)(e) {
			runs++
		}
	}
	if runs != 1 {
		t.Errorf("%d runs", runs)
	}
	s.sameHistory(c, id)
}

// A suggested permission is applied if the answer accepts it: the agent does not ask about the next
// call.
func TestSuggestionIsApplied(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	c := s.converse("a", session())
	s.say(c, "run:echo one")
	asked, next := s.wait(c, 0, kit.IsPermission)
	if err := c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{
		RequestId: asked.GetPermissionRequest().GetRequestId(), Decision: pb.PermissionDecision_ALLOW_ONCE, ApplySuggestions: []uint32{0},
	}}}); err != nil {
		t.Fatal(err)
	}
	_, next = s.wait(c, next, kit.IsIdle)
	s.say(c, "run:echo two")
	s.wait(c, next, isResult("two"))
	if n := s.permissions(c); n != 1 {
		t.Errorf("%d requests were put before people", n)
	}
}

// An agent in a mode without requests asks again after the daemon has restarted it by itself.
func TestModeIsTakenBack(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "IS_SANDBOX=1") // else it refuses the mode to root
	id := session()
	c := s.converseWith("a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project, PermissionMode: "bypassPermissions", ConfirmMode: true})
	s.say(c, "run:echo unasked")
	s.wait(c, 0, isResult("unasked"))
	_, next := s.wait(c, 0, kit.IsIdle)
	key := s.say(c, "gate:go\nrun:echo asked")
	s.settledOnDisk(id, key)
	s.killRun(c, id, false)
	s.create("go")
	_, next = s.wait(c, next, isNotice("MODE_RESET"))
	asked, next := s.wait(c, next, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.wait(c, next, kit.IsIdle)
}
