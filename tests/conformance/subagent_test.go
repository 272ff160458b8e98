package conformance

import (
	"errors"
	"io"
	"slices"
	"testing"

	"google.golang.org/grpc/codes"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// subagentStories are about subagents.
var subagentStories = []story{{name: "subagents", setup: subagentFeature, run: subagents}}

func subagentFeature(_ *testing.T, w *kit.World) error {
	return config(w, `{"feature_flags": {"subagent_orchestration": true}, "subagents": {"max_per_session": 2}}`)
}

func subagents(s *stage) {
	ctx, api := s.Context(), pb.NewSubagentServiceClient(s.daemon.Conn())
	can := s.negotiate(&pb.NegotiateRequest{ClientVersion: "0.2.0", RequestedFeatures: []string{"subagent_orchestration"}})
	if !can.GetCapabilities().GetSubagentsEnabled() {
		s.Errorf("subagents are off: %v", can)
	}
	parent := session()
	c := s.converse("a", &pb.StartConversation{SessionId: parent, WorkingDirectory: s.world.Project})
	s.wait(c, 0, isInfo)
	watch := func(id string, from uint64) []*pb.SubagentEvent {
		stream, err := api.WatchSubagent(ctx, &pb.WatchSubagentRequest{SubagentId: id, FromSequence: from})
		s.must(err)
		var events []*pb.SubagentEvent
		for {
			e, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				return events
			}
			s.must(err)
			events = append(events, e)
		}
	}
	status := func(id string) *pb.SubagentInfo {
		list, err := api.ListSubagents(ctx, &pb.ListSubagentsRequest{ParentSessionId: parent})
		s.must(err)
		at := slices.IndexFunc(list.GetSubagents(), func(i *pb.SubagentInfo) bool { return i.GetId() == id })
		if at < 0 {
			s.Fatalf("%s is not listed", id)
		}
		return list.GetSubagents()[at]
	}
	running := func(id string) func() bool {
		return func() bool { return status(id).GetStatus() == pb.SubagentStatus_SUBAGENT_STATUS_RUNNING }
	}

	// Calls that are auto-approved, and calls that ask.
	request := &pb.SpawnSubagentRequest{
		ParentSessionId: parent, Prompt: "run:touch made\ntools:1\necho:the end", Model: "opus", WorkingDirectory: s.world.Project, AllowedTools: []string{"Bash(touch *)"},
		MaxTurns: 7, Env: map[string]string{"TICKET": "7"}, Name: "maker", AutoApprove: true, AutoApproveConfig: &pb.AutoApproveConfig{Unfenced: true},
	}
	first, err := api.SpawnSubagent(ctx, request)
	s.must(err)
	id := first.GetSubagentId()
	child := s.converse("a", &pb.StartConversation{SessionId: id})
	asked, _ := s.wait(child, 0, kit.IsPermission)
	s.answer(child, asked, pb.PermissionDecision_ALLOW_ONCE)
	events := watch(id, 0)
	if last := events[len(events)-1]; last.GetCompleted().GetExitCode() != 0 || last.GetCompleted().GetResultSummary() == "" {
		s.Errorf("it ended with %v", last)
	}
	if rest := watch(id, events[0].GetSequence()); len(rest) != len(events)-1 {
		s.Errorf("%d events follow the first of %d", len(rest), len(events))
	}
	info := status(id)
	if info.GetName() != "maker" || info.GetModel() != "opus" || info.GetMaxTurns() != 7 || !info.GetAutoApprove() || info.GetToolCallsAutoApproved() != 1 {
		s.Errorf("listed %v", info)
	}
	s.took("SpawnSubagentRequest", "parent_session_id", "prompt", "model", "working_directory", "allowed_tools", "max_turns", "env", "name", "auto_approve")
	s.took("WatchSubagentRequest", "subagent_id", "from_sequence")

	// Sent to, revoked and cancelled.
	second, err := api.SpawnSubagent(ctx, &pb.SpawnSubagentRequest{
		ParentSessionId: parent, Prompt: "run:touch again\ngate:never", AllowedTools: []string{"Bash(touch *)"}, AutoApprove: true, AutoApproveConfig: &pb.AutoApproveConfig{Unfenced: true},
	})
	s.must(err)
	id = second.GetSubagentId()
	s.eventually("it has made a call", func() bool { return status(id).GetToolCallsExecuted() == 1 })
	_, err = api.SendToSubagent(ctx, &pb.SendToSubagentRequest{SubagentId: id, Content: "echo:more"})
	s.must(err)
	s.took("SendToSubagentRequest", "subagent_id", "content")
	_, err = api.RevokeAutoApprove(ctx, &pb.RevokeAutoApproveRequest{SubagentId: id, Reason: "short"})
	s.refused(err, codes.InvalidArgument, "10 characters")
	_, err = api.RevokeAutoApprove(ctx, &pb.RevokeAutoApproveRequest{SubagentId: id, Reason: "a person looks at it", TerminateIfPending: true})
	s.must(err)
	third, err := api.SpawnSubagent(ctx, &pb.SpawnSubagentRequest{ParentSessionId: parent, Prompt: "error:500"})
	s.must(err)
	failed := watch(third.GetSubagentId(), 0)
	if last := failed[len(failed)-1]; last.GetFailed().GetExitCode() == 0 || last.GetFailed().GetErrorMessage() == "" {
		s.Errorf("it ended with %v", last)
	}
	fourth, err := api.SpawnSubagent(ctx, &pb.SpawnSubagentRequest{
		ParentSessionId: parent, Prompt: "run:sleep 600", AllowedTools: []string{"Bash"}, AutoApprove: true, AutoApproveConfig: &pb.AutoApproveConfig{Unfenced: true},
	})
	s.must(err)
	s.eventually("its call runs", func() bool { return status(fourth.GetSubagentId()).GetToolCallsAutoApproved() == 1 })
	_, err = api.SpawnSubagent(ctx, &pb.SpawnSubagentRequest{ParentSessionId: parent, Prompt: "one too many"})
	s.refused(err, codes.ResourceExhausted, "2 subagents")
	_, err = api.SpawnSubagent(ctx, &pb.SpawnSubagentRequest{ParentSessionId: parent, Prompt: "x", AutoApprove: true})
	s.refused(err, codes.InvalidArgument, "every tool")
	answer, err := api.RevokeAutoApprove(ctx, &pb.RevokeAutoApproveRequest{SubagentId: fourth.GetSubagentId(), Reason: "it sleeps too long", TerminateIfPending: true})
	s.must(err)
	if !answer.GetRevoked() || answer.GetPendingToolCalls() != 1 {
		s.Errorf("revoked %v", answer)
	}
	s.took("RevokeAutoApproveRequest", "subagent_id", "reason", "terminate_if_pending")
	watch(fourth.GetSubagentId(), 0)
	s.eventually("it works", running(id))
	cancelled, err := api.CancelSubagent(ctx, &pb.CancelSubagentRequest{SubagentId: id, Reason: "not needed", Force: true, CleanupWorktree: true})
	s.must(err)
	if !cancelled.GetCancelled() || cancelled.GetFinalStatus() != "cancelled" || cancelled.GetToolCallsExecuted() != 1 || cancelled.GetToolCallsAutoApproved() != 1 {
		s.Errorf("cancelled %v", cancelled)
	}
	watch(id, 0)
	s.took("CancelSubagentRequest", "subagent_id", "reason", "force", "cleanup_worktree")
	list, err := api.ListSubagents(ctx, &pb.ListSubagentsRequest{ParentSessionId: parent, StatusFilter: "cancelled"})
	s.must(err)
	if len(list.GetSubagents()) != 1 || list.GetSubagents()[0].GetId() != id {
		s.Errorf("cancelled are %v", list)
	}
	s.took("ListSubagentsRequest", "parent_session_id", "status_filter")
}
