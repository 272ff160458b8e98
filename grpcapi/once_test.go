package grpcapi

import (
	"bytes"
	"context"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// Every call that changes a session takes a key, and the same request has the same digest.
func TestCallsUnderAKey(t *testing.T) {
	asker := &fakeAsker{}
	var once []messages.Idempotent
	asker.answer = func(r messages.Request) (messages.Reply, error) {
		m, ok := r.(messages.Idempotent)
		if !ok {
			return nil, nil
		}
		once = append(once, m)
		switch m.Request.(type) {
		case messages.CancelTurn:
			return messages.TurnCanceling{}, nil
		case messages.StopSession:
			return messages.SessionStopped{}, nil
		case messages.ContinueSession:
			return messages.SessionContinued{}, nil
		case messages.StopRepeat:
			return messages.RepeatStopped{WasRepeating: true, Iteration: 2}, nil
		case messages.RestartSession:
			return messages.SessionRestarted{}, nil
		case messages.AnswerPermission:
			return messages.PermissionAnswered{}, nil
		}
		return messages.Done{}, nil
	}
	conn, _ := serve(t, asker)
	agents, admin := pb.NewAgentServiceClient(conn), pb.NewAdminServiceClient(conn)
	keyed := func(key string) context.Context {
		return metadata.AppendToOutgoingContext(as(t, "c"), auth.IdempotencyKey, key)
	}
	for name, call := range map[string]func(context.Context) error{
		"cancel": func(ctx context.Context) error {
			return second(agents.CancelTurn(ctx, &pb.CancelTurnRequest{SessionId: sessionA}))
		},
		"rename": func(ctx context.Context) error {
			return second(agents.RenameSession(ctx, &pb.RenameSessionRequest{SessionId: sessionA, Name: "x"}))
		},
		"delete": func(ctx context.Context) error {
			return second(agents.DeleteSession(ctx, &pb.DeleteSessionRequest{SessionId: sessionA}))
		},
		"grant": func(ctx context.Context) error {
			return second(agents.SetSessionGrant(ctx, &pb.SetSessionGrantRequest{SessionId: sessionA, ToolName: "Bash"}))
		},
		"clear": func(ctx context.Context) error {
			return second(agents.ClearSessionGrants(ctx, &pb.ClearSessionGrantsRequest{SessionId: sessionA}))
		},
		"stop": func(ctx context.Context) error {
			return second(admin.StopSession(ctx, &pb.StopSessionRequest{SessionId: sessionA}))
		},
		"continue": func(ctx context.Context) error {
			return second(admin.ContinueSession(ctx, &pb.ContinueSessionRequest{SessionId: sessionA}))
		},
		"restart": func(ctx context.Context) error {
			return second(admin.RestartSession(ctx, &pb.RestartSessionRequest{SessionId: sessionA}))
		},
		"stop repeat": func(ctx context.Context) error {
			return second(admin.StopRepeat(ctx, &pb.StopRepeatRequest{SessionId: sessionA}))
		},
		"answer": func(ctx context.Context) error {
			return second(admin.AnswerPermission(ctx, &pb.AnswerPermissionRequest{SessionId: sessionA, RequestId: "p", Decision: pb.PermissionDecision_DENY}))
		},
	} {
		once = nil
		for range 2 {
			if err := call(keyed(keyA)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if len(once) != 2 || once[0].Key != keyA || len(once[0].Digest) != 32 || !bytes.Equal(once[0].Digest, once[1].Digest) || once[0].Target() != sessionA {
			t.Errorf("%s: asked %+v", name, once)
		}
		if err := call(keyed("not one")); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s with a key that is none: %v", name, err)
		}
		once = nil
		_ = call(as(t, "c")) // the answer does not matter
		if len(once) > 0 {
			t.Errorf("%s without a key: asked %+v", name, once)
		}
	}
	once = nil
	_ = second(agents.RenameSession(keyed(keyA), &pb.RenameSessionRequest{SessionId: sessionA, Name: "x"}))
	_ = second(agents.RenameSession(keyed(keyA), &pb.RenameSessionRequest{SessionId: sessionA, Name: "y"}))
	if bytes.Equal(once[0].Digest, once[1].Digest) {
		t.Error("two requests look the same")
	}
	_ = second(agents.CompactSession(keyed(keyA), &pb.CompactSessionRequest{SessionId: sessionA}))
	for _, r := range asker.saw() {
		if m, ok := r.(messages.CompactSession); ok && m.Key != keyA {
			t.Errorf("compacted under %s", m.Key)
		}
	}
}
