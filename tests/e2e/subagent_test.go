package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

func TestSubagentCompletes(t *testing.T) {
	t.Parallel()
	s := newFleetStory(t, "")
	id := uuid.NewString()
	request := &pb.SpawnSubagentRequest{SubagentId: id, Prompt: "tools:1\necho:the answer", Name: "finder", MaxTurns: 7, AllowedTools: []string{"Read", "Bash(git *)"}, Env: map[string]string{"TICKET": "7"}}
	if got := s.spawn(request); got != id {
		t.Fatalf("spawned %s, not %s", got, id)
	}
	if again := s.spawn(request); again != id { // the same request again
		t.Errorf("the same request spawned %s", again)
	}
	_, err := s.api().SpawnSubagent(t.Context(), &pb.SpawnSubagentRequest{ParentSessionId: s.parent, SubagentId: id, Prompt: "other"})
	if status.Code(err) != codes.AlreadyExists {
		t.Errorf("another request with the id: %v", err)
	}
	child := s.converse("person", id) // a subagent is a session
	asked, _ := s.wait(child, 0, kit.IsPermission)
	s.answer(child, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	events := s.watch(id, 0)
	first, last := events[0], events[len(events)-1]
	if started := slices.IndexFunc(events, func(e *pb.SubagentEvent) bool { return e.GetStarted() != nil }); started < 0 || first.GetAgentEvent() == nil {
		t.Error("it was not announced")
	}
	if !strings.Contains(said(events), "the answer") || last.GetCompleted() == nil || last.GetCompleted().GetExitCode() != 0 || !strings.Contains(last.GetCompleted().GetResultSummary(), "the answer") {
		t.Errorf("said %q, ended with %v", said(events), last)
	}
	for what, has := range map[string]func(*pb.SubagentEvent) bool{
		"tool use":           func(e *pb.SubagentEvent) bool { return e.GetToolUse().GetToolName() == "Read" },
		"permission request": func(e *pb.SubagentEvent) bool { return e.GetPermissionRequest().GetToolName() == "Read" },
	} {
		if !slices.ContainsFunc(events, has) {
			t.Errorf("no %s was published", what)
		}
	}
	middle := events[len(events)/2].GetSequence()
	if rest := s.watch(id, middle); len(rest) == 0 || rest[0].GetSequence() <= middle || rest[len(rest)-1].GetCompleted() == nil {
		t.Errorf("from %d: %v", middle, rest)
	}
	if rest := s.watch(id, last.GetSequence()); len(rest) != 0 {
		t.Errorf("behind the end: %v", rest)
	}
	info := s.info(id)
	if info.GetStatus() != pb.SubagentStatus_SUBAGENT_STATUS_COMPLETED || info.GetName() != "finder" || info.GetMaxTurns() != 7 || info.GetDepth() != 1 ||
		info.GetParentSessionId() != s.parent || info.GetCompletedAt() == nil || info.GetToolCallsExecuted() != 1 || !strings.Contains(info.GetResultSummary(), "the answer") {
		t.Errorf("listed as %v", info)
	}
	if _, err := s.api().SendToSubagent(t.Context(), &pb.SendToSubagentRequest{SubagentId: id, Content: "more"}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("a message after the end: %v", err)
	}
	cancelled, err := s.api().CancelSubagent(t.Context(), &pb.CancelSubagentRequest{SubagentId: id})
	if err != nil || cancelled.GetCancelled() || cancelled.GetFinalStatus() != "completed" {
		t.Errorf("a cancellation after the end: %v, %v", cancelled, err)
	}
	// What people continue is theirs: neither the list of sessions nor @last has a subagent.
	sessions, err := s.daemon.Agents().ListSessions(t.Context(), &pb.ListSessionsRequest{})
	if err != nil || sessions.GetTotal() != 1 || sessions.GetSessions()[0].GetId() != s.parent {
		t.Errorf("sessions %v, %v", sessions, err)
	}
}

// TestSubagentsSurviveTheDaemon: three subagents work while the daemon is killed. Each goes on in its conversation and ends; each
// prompt was sent once.
func TestSubagentsSurviveTheDaemon(t *testing.T) {
	t.Parallel()
	s := newFleetStory(t, "")
	var ids []string
	for n := range 3 {
		ids = append(ids, s.spawn(&pb.SpawnSubagentRequest{Prompt: fmt.Sprintf("gate:go\necho:part %d", n)}))
	}
	for _, id := range ids {
		s.eventually(id+" works", func() bool { return s.info(id).GetStatus() == pb.SubagentStatus_SUBAGENT_STATUS_RUNNING })
	}
	s.killDaemon()
	s.create("go")
	for n, id := range ids {
		want := fmt.Sprintf("part %d", n)
		events := s.watch(id, 0)
		if last := events[len(events)-1]; last.GetCompleted() == nil || !strings.Contains(last.GetCompleted().GetResultSummary(), want) {
			t.Errorf("%s ended with %v", id, last)
		}
		if n := s.prompts(id, want); n != 1 {
			t.Errorf("the prompt of %s was given %d times", id, n)
		}
	}
}

func TestSubagentIsCancelled(t *testing.T) {
	t.Parallel()
	s := newFleetStory(t, "")
	for _, force := range []bool{false, true} {
		id := s.spawn(&pb.SpawnSubagentRequest{Prompt: "ignore-sigterm\ngate:never"})
		s.eventually("it works", func() bool { return s.info(id).GetStatus() == pb.SubagentStatus_SUBAGENT_STATUS_RUNNING })
		got, err := s.api().CancelSubagent(t.Context(), &pb.CancelSubagentRequest{SubagentId: id, Reason: "not needed", Force: force})
		if err != nil || !got.GetCancelled() || got.GetFinalStatus() != "cancelled" {
			t.Errorf("force %v: %v, %v", force, got, err)
		}
		events := s.watch(id, 0)
		if last := events[len(events)-1]; last.GetCancelled().GetReason() != "not needed" {
			t.Errorf("force %v: it ended with %v", force, last)
		}
	}
}

func TestSubagentOutOfTime(t *testing.T) {
	t.Parallel()
	s := newFleetStory(t, "")
	id := s.spawn(&pb.SpawnSubagentRequest{Prompt: "gate:never", TimeoutSeconds: 1})
	events := s.watch(id, 0)
	if last := events[len(events)-1]; !strings.Contains(last.GetFailed().GetErrorMessage(), "time is over") || last.GetFailed().GetExitCode() == 0 {
		t.Errorf("it ended with %v", last)
	}
}

func TestSubagentLimits(t *testing.T) {
	t.Parallel()
	s := newFleetStory(t, `"subagents": {"max_per_session": 1, "max_depth": 1}`)
	id := s.spawn(&pb.SpawnSubagentRequest{Prompt: "gate:go"})
	refused := func(what string, r *pb.SpawnSubagentRequest, code codes.Code, word string) {
		t.Helper()
		_, err := s.api().SpawnSubagent(t.Context(), r)
		if status.Code(err) != code || !strings.Contains(fmt.Sprint(status.Convert(err).Details(), err), word) {
			t.Errorf("%s: %v %v", what, err, status.Convert(err).Details())
		}
	}
	refused("too many", &pb.SpawnSubagentRequest{ParentSessionId: s.parent, Prompt: "x"}, codes.ResourceExhausted, "SUBAGENT_LIMIT")
	refused("too deep", &pb.SpawnSubagentRequest{ParentSessionId: id, Prompt: "x"}, codes.ResourceExhausted, "SUBAGENT_LIMIT")
	refused("no parent", &pb.SpawnSubagentRequest{ParentSessionId: session(), Prompt: "x"}, codes.NotFound, "SESSION_NOT_FOUND")
	refused("approve everything", &pb.SpawnSubagentRequest{ParentSessionId: s.parent, Prompt: "x", AutoApprove: true}, codes.InvalidArgument, "INVALID_PERMISSION_CONFIG")
	refused("unknown tool", &pb.SpawnSubagentRequest{ParentSessionId: s.parent, Prompt: "x", AllowedTools: []string{"Raed"}}, codes.InvalidArgument, "Raed")
	refused("a variable", &pb.SpawnSubagentRequest{ParentSessionId: s.parent, Prompt: "x", Env: map[string]string{"LD_PRELOAD": "x"}}, codes.InvalidArgument, "LD_PRELOAD")
	s.create("go")
	s.watch(id, 0)
	s.spawn(&pb.SpawnSubagentRequest{Prompt: "echo:there is room again"})
}

// A subagent has the tools that it was given, and no others.
func TestSubagentIsRestricted(t *testing.T) {
	t.Parallel()
	s := newFleetStory(t, "")
	id := s.spawn(&pb.SpawnSubagentRequest{Prompt: "run:touch made\necho:over", AllowedTools: []string{"Read"}})
	events := s.watch(id, 0)
	if last := events[len(events)-1]; last.GetCompleted() == nil {
		t.Errorf("it ended with %v", last)
	}
	if slices.ContainsFunc(events, func(e *pb.SubagentEvent) bool { return e.GetPermissionRequest() != nil }) {
		t.Error("a person was asked about a tool that it does not have")
	}
	if _, err := os.Stat(filepath.Join(s.world.Project, "made")); err == nil {
		t.Error("the call ran")
	}
}

// Calls of an auto-approved subagent that its tools cover run at once, each with an entry in the audit log; a person is asked about
// others, and about all of them when it was revoked.
func TestSubagentIsAutoApproved(t *testing.T) {
	t.Parallel()
	s := newFleetStory(t, `"permissions": {"deny": ["Bash(touch denied)"]}`)
	auto := func(prompt string, limits *pb.AutoApproveConfig) string {
		limits.Unfenced = true // the machine may have no fences
		return s.spawn(&pb.SpawnSubagentRequest{Prompt: prompt, AllowedTools: []string{"Bash(touch *)"}, AutoApprove: true, AutoApproveConfig: limits})
	}
	id := auto("run:touch allowed\nrun:touch denied", &pb.AutoApproveConfig{})
	s.watch(id, 0)
	if info := s.info(id); info.GetToolCallsAutoApproved() != 1 || !info.GetAutoApprove() || info.GetAutoApproveUntil() == nil {
		t.Errorf("listed as %v", info)
	}
	for name, want := range map[string]bool{"allowed": true, "denied": false} {
		if _, err := os.Stat(filepath.Join(s.world.Project, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	approved := 0
	for _, e := range s.audited("--type", "auto_approve_tool_call") {
		if e["subagent_id"] == id && e["parent_session_id"] == s.parent && e["actor_id"] == "auto_approve" {
			approved++
		}
	}
	if approved != 1 {
		t.Errorf("%d approvals are in the audit log", approved)
	}

	fast := auto("run:touch first\nrun:touch second", &pb.AutoApproveConfig{MaxCallsPerMinute: 1})
	s.watch(fast, 0)
	if n := s.info(fast).GetToolCallsAutoApproved(); n != 1 {
		t.Errorf("%d calls were approved in a minute", n)
	}

	revoked := auto("gate:go\nrun:touch late", &pb.AutoApproveConfig{})
	s.eventually("it works", func() bool { return s.info(revoked).GetStatus() == pb.SubagentStatus_SUBAGENT_STATUS_RUNNING })
	answer, err := s.api().RevokeAutoApprove(t.Context(), &pb.RevokeAutoApproveRequest{SubagentId: revoked, Reason: "I want to look at it"})
	if err != nil || !answer.GetRevoked() || answer.GetPendingToolCalls() != 0 || answer.GetSubagentStatus() != "running" {
		t.Errorf("revoked: %v, %v", answer, err)
	}
	s.create("go")
	child := s.converse("person", revoked)
	asked, _ := s.wait(child, 0, kit.IsPermission)
	s.answer(child, asked, pb.PermissionDecision_DENY, "no")
	s.watch(revoked, 0)
	if info := s.info(revoked); info.GetToolCallsAutoApproved() != 0 || info.GetAutoApprove() {
		t.Errorf("listed as %v", info)
	}
	again, err := s.api().RevokeAutoApprove(t.Context(), &pb.RevokeAutoApproveRequest{SubagentId: revoked, Reason: "I want to look at it"})
	if err != nil || again.GetRevoked() {
		t.Errorf("revoked after its end: %v, %v", again, err)
	}

	late := auto("gate:never", &pb.AutoApproveConfig{DurationSeconds: 1})
	events := s.watch(late, 0)
	if last := events[len(events)-1]; !strings.Contains(last.GetFailed().GetErrorMessage(), "time for which calls were approved is over") {
		t.Errorf("it ended with %v", last)
	}
}
