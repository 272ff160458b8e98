package grpcapi

import (
	"reflect"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"betcode/grpcapi/translate"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// subagentsOf serves the service with its feature on.
func subagentsOf(t *testing.T, answer func(messages.Request) (messages.Reply, error)) (pb.SubagentServiceClient, *fakeAsker) {
	t.Helper()
	conn, asker := serveFeature(t, "subagent_orchestration", answer)
	return pb.NewSubagentServiceClient(conn), asker
}

func TestSubagentCalls(t *testing.T) {
	client, asker := subagentsOf(t, func(r messages.Request) (messages.Reply, error) {
		switch r := r.(type) {
		case messages.SpawnSubagent:
			return messages.SubagentSpawned{Subagent: r.Subagent, Fenced: true}, nil
		case messages.SendToSubagent:
			return messages.InputAcknowledged{}, nil
		case messages.CancelSubagent:
			return messages.SubagentCanceled{Canceled: true, Status: messages.SubagentCancelled, ToolCalls: 3, AutoApproved: 2}, nil
		case messages.RevokeAutoApprove:
			return messages.AutoApproveRevoked{Revoked: true, Pending: 1, Status: messages.SubagentRunning}, nil
		}
		return nil, nil
	})
	ctx := as(t, "c")
	spawned := must[*pb.SpawnSubagentResponse](t)(client.SpawnSubagent(ctx, &pb.SpawnSubagentRequest{
		ParentSessionId: sessionA, Prompt: "do it", Model: "opus", WorkingDirectory: "/p/x/..", AllowedTools: []string{"Read"}, MaxTurns: 3,
		Env: map[string]string{"A": "b"}, Name: " n ", AutoApprove: true, WorktreeLock: pb.WorktreeLock_WORKTREE_LOCK_SHARED, WorktreeId: "tree",
		AutoApproveConfig: &pb.AutoApproveConfig{DurationSeconds: 60, MaxCallsPerMinute: 5, OnExceeded: pb.RateExceeded_RATE_EXCEEDED_QUEUE, Unfenced: true},
		TimeoutSeconds:    9, BudgetUsd: 0.5, SubagentId: elsewhere, InheritGrants: true,
	}))
	if !proto.Equal(spawned, &pb.SpawnSubagentResponse{SubagentId: elsewhere, SessionId: elsewhere, Fenced: true}) {
		t.Errorf("%v", spawned)
	}
	same(t, "spawn", asker.asked[len(asker.asked)-1], messages.SpawnSubagent{
		Subagent: elsewhere, Parent: sessionA, Client: "c", Prompt: "do it", Name: "n", Model: "opus", WorkingDirectory: "/p", WorktreeID: "tree",
		Lease: messages.LeaseShared, Tools: []string{"Read"}, MaxTurns: 3, BudgetUSD: 0.5, Environment: map[string]string{"A": "b"}, Timeout: 9 * time.Second,
		AutoApprove: true, Auto: messages.AutoApproveLimits{Duration: time.Minute, PerMinute: 5, Queue: true, Unfenced: true}, InheritGrants: true,
	})
	sent := must[*pb.SendToSubagentResponse](t)(client.SendToSubagent(ctx, &pb.SendToSubagentRequest{SubagentId: elsewhere, Content: "more", IdempotencyKey: keyA}))
	same(t, "send", asker.asked[len(asker.asked)-1], messages.SendToSubagent{Input: messages.SendInput{Session: elsewhere, Client: "c", Key: keyA, Content: "more"}})
	cancelled := must[*pb.CancelSubagentResponse](t)(client.CancelSubagent(ctx, &pb.CancelSubagentRequest{SubagentId: elsewhere, Reason: "why", Force: true, CleanupWorktree: true}))
	same(t, "cancel", asker.asked[len(asker.asked)-1], messages.CancelSubagent{Subagent: elsewhere, Client: "c", Reason: "why", Force: true, CleanupWorktree: true})
	revoked := must[*pb.RevokeAutoApproveResponse](t)(client.RevokeAutoApprove(ctx, &pb.RevokeAutoApproveRequest{SubagentId: elsewhere, Reason: "long enough", TerminateIfPending: true}))
	same(t, "revoke", asker.asked[len(asker.asked)-1], messages.RevokeAutoApprove{Subagent: elsewhere, Client: "c", Reason: "long enough", Terminate: true})
	if !sent.GetDelivered() || !proto.Equal(cancelled, &pb.CancelSubagentResponse{Cancelled: true, FinalStatus: "cancelled", ToolCallsExecuted: 3, ToolCallsAutoApproved: 2}) ||
		!proto.Equal(revoked, &pb.RevokeAutoApproveResponse{Revoked: true, PendingToolCalls: 1, SubagentStatus: "running"}) {
		t.Errorf("%v\n%v\n%v", sent, cancelled, revoked)
	}
}

func TestSubagentCallsAreChecked(t *testing.T) {
	client, asker := subagentsOf(t, nil)
	ctx := as(t, "c")
	for name, r := range map[string]*pb.SpawnSubagentRequest{
		"no parent": {Prompt: "x"}, "no prompt": {ParentSessionId: sessionA}, "negative turns": {ParentSessionId: sessionA, Prompt: "x", MaxTurns: -1},
		"an option": {ParentSessionId: sessionA, Prompt: "x", Model: "--x"}, "a relative path": {ParentSessionId: sessionA, Prompt: "x", WorkingDirectory: "p"},
		"no UUID":                   {ParentSessionId: sessionA, Prompt: "x", SubagentId: "s"},
		"a lock without a worktree": {ParentSessionId: sessionA, Prompt: "x", WorktreeLock: pb.WorktreeLock_WORKTREE_LOCK_SHARED},
	} {
		if _, err := client.SpawnSubagent(ctx, r); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, short := client.RevokeAutoApprove(ctx, &pb.RevokeAutoApproveRequest{SubagentId: elsewhere, Reason: "too short"})
	_, empty := client.SendToSubagent(ctx, &pb.SendToSubagentRequest{SubagentId: elsewhere})
	_, filter := client.ListSubagents(ctx, &pb.ListSubagentsRequest{StatusFilter: "done"})
	for name, err := range map[string]error{"a short reason": short, "no content": empty, "an unknown status": filter} {
		if status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(asker.asked) > 0 {
		t.Errorf("asked: %v", asker.asked)
	}
}

func TestSubagentsAreListed(t *testing.T) {
	at := time.Unix(7, 0)
	record := messages.SessionRecord{
		ID: elsewhere, Name: "n", Model: "opus", WorkingDirectory: "/p", WorktreeID: "w", CreatedAt: at, Usage: messages.Usage{CostUSD: 0.5},
		Subagent: &messages.SubagentRecord{
			Parent: sessionA, Depth: 2, Prompt: "p", Tools: []string{"Read"}, MaxTurns: 3, Lease: messages.LeaseExclusive, Status: messages.SubagentFailed, Result: "why",
			Step: messages.StepAttempt{Orchestration: "o", Step: "s", Attempt: 4}, Deadline: at, CompletedAt: at, ToolCalls: 5, AutoApproved: 6,
			Auto: messages.AutoApprove{Given: true, Until: at},
		},
	}
	client, asker := subagentsOf(t, func(messages.Request) (messages.Reply, error) {
		return messages.SubagentList{Subagents: []messages.SessionRecord{record}}, nil
	})
	list := must[*pb.ListSubagentsResponse](t)(client.ListSubagents(as(t, "c"), &pb.ListSubagentsRequest{ParentSessionId: sessionA, StatusFilter: "failed"}))
	want := &pb.SubagentInfo{
		Id: elsewhere, ParentSessionId: sessionA, SessionId: elsewhere, Name: "n", Prompt: "p", Model: "opus", WorkingDirectory: "/p",
		Status: pb.SubagentStatus_SUBAGENT_STATUS_FAILED, AutoApprove: true, MaxTurns: 3, AllowedTools: []string{"Read"}, ResultSummary: "why", CreatedAt: translate.TimeOut(at), CompletedAt: translate.TimeOut(at),
		ToolCallsExecuted: 5, ToolCallsAutoApproved: 6, AutoApproveUntil: translate.TimeOut(at), Deadline: translate.TimeOut(at), WorktreeId: "w", WorktreeLock: pb.WorktreeLock_WORKTREE_LOCK_EXCLUSIVE,
		CostUsd: 0.5, OrchestrationId: "o", StepId: "s", Attempt: 4, Depth: 2,
	}
	if len(list.GetSubagents()) != 1 || !proto.Equal(list.GetSubagents()[0], want) {
		t.Errorf("%v\nwant %v", list, want)
	}
	same(t, "list", asker.asked[0], messages.ListSubagents{Parent: sessionA, Status: messages.SubagentFailed})
}

// same compares a request with the expected one.
func same(t *testing.T, what string, got, want messages.Request) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: asked %+v, not %+v", what, got, want)
	}
}
