package grpcapi

import (
	"errors"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// TestFleetScope: a fleet server sees and controls the descendants of its session. Any other session is not found, and
// methods that are not its tools are denied.
func TestFleetScope(t *testing.T) {
	const child, grandchild, stranger, other, nobody = keyA, "22222222-2222-4222-8222-222222222222", "33333333-3333-4333-8333-333333333333", "44444444-4444-4444-8444-444444444444", "55555555-5555-4555-8555-555555555555"
	const ownPlan, childPlan, otherPlan = "66666666-6666-4666-8666-666666666666", "77777777-7777-4777-8777-777777777777", "88888888-8888-4888-8888-888888888888"
	record := func(id, parent string) messages.SessionRecord {
		return messages.SessionRecord{ID: messages.SessionID(id), Subagent: &messages.SubagentRecord{Parent: messages.SessionID(parent)}}
	}
	asker := &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		switch r := r.(type) {
		case messages.ListSubagents:
			all := []messages.SessionRecord{record(stranger, other), record(child, sessionA), record(grandchild, child)}
			if r.Parent == child {
				all = all[2:]
			}
			return messages.SubagentList{Subagents: all}, nil
		case messages.CancelSubagent:
			return messages.SubagentCanceled{Canceled: true}, nil
		case messages.SendToSubagent:
			return messages.InputAcknowledged{}, nil
		case messages.CreateOrchestration:
			if r.Parent != sessionA || !r.Agent {
				t.Errorf("%+v", r)
			}
			return messages.OrchestrationCreated{ID: r.ID}, nil
		case messages.GetOrchestration:
			parent := map[messages.OrchestrationID]messages.SessionID{ownPlan: sessionA, childPlan: child, otherPlan: other, "@last": sessionA, "nightly": sessionA}[r.ID]
			if parent == "" {
				return nil, messages.Errorf("show orchestration", messages.NotFound, "none")
			}
			return messages.OrchestrationView{ID: r.ID, Parent: parent}, nil
		case messages.CancelOrchestration:
			return messages.OrchestrationView{ID: r.ID}, nil
		case messages.SpawnSubagent:
			if r.Parent != sessionA {
				t.Errorf("%+v", r)
			}
			return messages.SubagentSpawned{Subagent: r.Subagent}, nil
		}
		return nil, errors.New("not asked")
	}}
	conn, _ := serveCaller(t, Options{
		Asker: asker, Features: func() map[string]bool { return map[string]bool{"subagent_orchestration": true} },
		Fleet: func(ticket string, pid int) (messages.SessionID, error) {
			if ticket != "right" || pid != 1 {
				return "", messages.Errorf("admit fleet server", messages.Denied, "wrong")
			}
			return sessionA, nil
		},
	}, auth.BelowAgent)
	client := pb.NewSubagentServiceClient(conn)
	ctx := metadata.AppendToOutgoingContext(t.Context(), auth.FleetTicket, "right")

	list := must[*pb.ListSubagentsResponse](t)(client.ListSubagents(ctx, &pb.ListSubagentsRequest{})).GetSubagents()
	if len(list) != 2 || list[0].GetId() != child || list[1].GetId() != grandchild {
		t.Errorf("list: %v", list)
	}
	must[*pb.SpawnSubagentResponse](t)(client.SpawnSubagent(ctx, &pb.SpawnSubagentRequest{Prompt: "x"}))
	must[*pb.CancelSubagentResponse](t)(client.CancelSubagent(ctx, &pb.CancelSubagentRequest{SubagentId: grandchild}))
	must[*pb.SendToSubagentResponse](t)(client.SendToSubagent(ctx, &pb.SendToSubagentRequest{SubagentId: child, Content: "x"}))

	steps := []*pb.OrchestrationStep{{Id: "a", Prompt: "x"}}
	must[*pb.CreateOrchestrationResponse](t)(client.CreateOrchestration(ctx, &pb.CreateOrchestrationRequest{Steps: steps}))
	must[*pb.OrchestrationInfo](t)(client.GetOrchestration(ctx, &pb.GetOrchestrationRequest{OrchestrationId: ownPlan}))
	must[*pb.OrchestrationInfo](t)(client.CancelOrchestration(ctx, &pb.CancelOrchestrationRequest{OrchestrationId: childPlan}))

	wrong := metadata.AppendToOutgoingContext(t.Context(), auth.FleetTicket, "wrong")
	for name, c := range map[string]struct {
		want codes.Code
		call func() error
	}{
		"cancel a stranger": {codes.NotFound, func() error {
			_, err := client.CancelSubagent(ctx, &pb.CancelSubagentRequest{SubagentId: stranger})
			return err
		}},
		"cancel what is not": {codes.NotFound, func() error {
			_, err := client.CancelSubagent(ctx, &pb.CancelSubagentRequest{SubagentId: nobody})
			return err
		}},
		"cancel itself": {codes.NotFound, func() error {
			_, err := client.CancelSubagent(ctx, &pb.CancelSubagentRequest{SubagentId: sessionA})
			return err
		}},
		"send to a stranger": {codes.NotFound, func() error {
			_, err := client.SendToSubagent(ctx, &pb.SendToSubagentRequest{SubagentId: stranger, Content: "x"})
			return err
		}},
		"list of a stranger": {codes.NotFound, func() error {
			_, err := client.ListSubagents(ctx, &pb.ListSubagentsRequest{ParentSessionId: other})
			return err
		}},
		"spawn for a stranger": {codes.NotFound, func() error {
			_, err := client.SpawnSubagent(ctx, &pb.SpawnSubagentRequest{ParentSessionId: other, Prompt: "x"})
			return err
		}},
		"spawn with approval": {codes.PermissionDenied, func() error {
			_, err := client.SpawnSubagent(ctx, &pb.SpawnSubagentRequest{Prompt: "x", AutoApprove: true, AllowedTools: []string{"Bash"}})
			return err
		}},
		"spawn with grants": {codes.PermissionDenied, func() error {
			_, err := client.SpawnSubagent(ctx, &pb.SpawnSubagentRequest{Prompt: "x", InheritGrants: true})
			return err
		}},
		"spawn with variables": {codes.PermissionDenied, func() error {
			_, err := client.SpawnSubagent(ctx, &pb.SpawnSubagentRequest{Prompt: "x", Env: map[string]string{"A": "b"}})
			return err
		}},
		"remove a worktree": {codes.PermissionDenied, func() error {
			_, err := client.CancelSubagent(ctx, &pb.CancelSubagentRequest{SubagentId: child, CleanupWorktree: true})
			return err
		}},
		"revoke": {codes.PermissionDenied, func() error {
			_, err := client.RevokeAutoApprove(ctx, &pb.RevokeAutoApproveRequest{SubagentId: child, Reason: "long enough"})
			return err
		}},
		"plan for a stranger": {codes.NotFound, func() error {
			_, err := client.CreateOrchestration(ctx, &pb.CreateOrchestrationRequest{ParentSessionId: other, Steps: steps})
			return err
		}},
		"plan with approval": {codes.PermissionDenied, func() error {
			_, err := client.CreateOrchestration(ctx, &pb.CreateOrchestrationRequest{Steps: []*pb.OrchestrationStep{{Id: "a", Prompt: "x", AutoApprove: true, AllowedTools: []string{"Bash"}}}})
			return err
		}},
		"plan of a stranger": {codes.NotFound, func() error {
			_, err := client.GetOrchestration(ctx, &pb.GetOrchestrationRequest{OrchestrationId: otherPlan})
			return err
		}},
		"beginning of an id": {codes.NotFound, func() error {
			_, err := client.GetOrchestration(ctx, &pb.GetOrchestrationRequest{OrchestrationId: ownPlan[:8]})
			return err
		}},
		"the newest plan": {codes.NotFound, func() error {
			_, err := client.GetOrchestration(ctx, &pb.GetOrchestrationRequest{OrchestrationId: "@last"})
			return err
		}},
		"cancel the newest plan": {codes.NotFound, func() error {
			_, err := client.CancelOrchestration(ctx, &pb.CancelOrchestrationRequest{OrchestrationId: "@last"})
			return err
		}},
		"a plan by its name": {codes.NotFound, func() error {
			_, err := client.GetOrchestration(ctx, &pb.GetOrchestrationRequest{OrchestrationId: "nightly"})
			return err
		}},
		"cancel the plan of a stranger": {codes.NotFound, func() error {
			_, err := client.CancelOrchestration(ctx, &pb.CancelOrchestrationRequest{OrchestrationId: otherPlan})
			return err
		}},
		"cancel no plan": {codes.NotFound, func() error {
			_, err := client.CancelOrchestration(ctx, &pb.CancelOrchestrationRequest{OrchestrationId: nobody})
			return err
		}},
		"list plans": {codes.PermissionDenied, func() error {
			_, err := client.ListOrchestrations(ctx, &pb.ListOrchestrationsRequest{})
			return err
		}},
		"retry a plan": {codes.PermissionDenied, func() error {
			_, err := client.RetryOrchestration(ctx, &pb.RetryOrchestrationRequest{OrchestrationId: ownPlan})
			return err
		}},
		"answer a request": {codes.PermissionDenied, func() error {
			_, err := pb.NewAdminServiceClient(conn).AnswerPermission(ctx, &pb.AnswerPermissionRequest{})
			return err
		}},
		"delete a session": {codes.PermissionDenied, func() error {
			_, err := pb.NewAgentServiceClient(conn).DeleteSession(ctx, &pb.DeleteSessionRequest{SessionId: child})
			return err
		}},
		"another process": {codes.PermissionDenied, func() error { _, err := client.ListSubagents(wrong, &pb.ListSubagentsRequest{}); return err }},
		"a child with none": {codes.PermissionDenied, func() error {
			_, err := client.SpawnSubagent(t.Context(), &pb.SpawnSubagentRequest{ParentSessionId: sessionA, Prompt: "x"})
			return err
		}},
	} {
		if err := c.call(); status.Code(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	stream, err := client.WatchSubagent(ctx, &pb.WatchSubagentRequest{SubagentId: stranger})
	if err == nil {
		_, err = stream.Recv()
	}
	if status.Code(err) != codes.NotFound {
		t.Errorf("watch a stranger: %v", err)
	}
}
