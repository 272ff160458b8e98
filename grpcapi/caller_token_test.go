package grpcapi

import (
	"context"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// presenting returns the context of a caller over the socket that sends secrets.
func presenting(t *testing.T, secrets ...string) context.Context {
	ctx := as(t, "gateway")
	for _, s := range secrets {
		ctx = metadata.AppendToOutgoingContext(ctx, auth.CallerToken, s)
	}
	return ctx
}

// TestCallerToken: a call over the socket with a token has only the rights of the token, and none
// if the token is invalid.
func TestCallerToken(t *testing.T) {
	tokens := &fakeTokens{}
	tokens.Create(messages.Token{Name: "phone", Rights: messages.MayView})
	tokens.Create(messages.Token{Name: "desk", Rights: messages.MayView | messages.MayControl, ExpiresAt: time.Unix(1<<40, 0)})
	conn, _ := serveCaller(t, Options{Asker: &fakeAsker{}, Tokens: tokens}, auth.Unrestricted)
	access, agent := pb.NewAccessServiceClient(conn), pb.NewAgentServiceClient(conn)
	for secret, want := range map[string][]string{"": {"view", "approve", "control", "admin"}, "secret-phone": {"view"}, "secret-desk": {"view", "control"}} {
		ctx := presenting(t)
		if secret != "" {
			ctx = presenting(t, secret)
		}
		got := must[*pb.GetCallerResponse](t)(access.GetCaller(ctx, &pb.GetCallerRequest{}))
		if !slices.Equal(got.GetScopes(), want) || "secret-"+got.GetToken() != secret && secret != "" || got.GetExpiresAt() != nil != (secret == "secret-desk") {
			t.Errorf("%q: %v", secret, got)
		}
	}
	_, err := agent.CancelTurn(presenting(t, "secret-phone"), &pb.CancelTurnRequest{SessionId: sessionA})
	if status.Code(err) != codes.PermissionDenied {
		t.Errorf("a token that may view cancels a turn: %v", err)
	}
	for _, secrets := range [][]string{{"secret-other"}, {""}, {"secret-desk", "secret-phone"}, {"secret-phone", "secret-phone"}} {
		if _, err := access.GetCaller(presenting(t, secrets...), &pb.GetCallerRequest{}); status.Code(err) != codes.Unauthenticated {
			t.Errorf("%q: %v", secrets, err)
		}
	}
	stream := must[grpc.BidiStreamingClient[pb.AgentRequest, pb.AgentEvent]](t)(agent.Converse(presenting(t, "secret-desk")))
	must[metadata.MD](t)(stream.Header()) // it is admitted, and waits for its first request
	tokens.Revoke("desk")
	if _, err := stream.Recv(); status.Code(err) != codes.Unauthenticated {
		t.Errorf("the stream of a revoked token: %v", err)
	}
}

// A descendant of an agent gets no more rights by a token.
func TestCallerTokenOfAChild(t *testing.T) {
	tokens := &fakeTokens{}
	tokens.Create(messages.Token{Name: "desk", Rights: messages.MayEverything})
	conn, _ := serveCaller(t, Options{Asker: &fakeAsker{}, Tokens: tokens}, auth.BelowAgent)
	got := must[*pb.GetCallerResponse](t)(pb.NewAccessServiceClient(conn).GetCaller(presenting(t, "secret-desk"), &pb.GetCallerRequest{}))
	if !slices.Equal(got.GetScopes(), []string{"view"}) {
		t.Errorf("%v", got)
	}
}

// Without a store no token is valid.
func TestCallerTokenWithoutAStore(t *testing.T) {
	conn, _ := serveCaller(t, Options{Asker: &fakeAsker{}}, auth.Unrestricted)
	if _, err := pb.NewAccessServiceClient(conn).GetCaller(presenting(t, "secret-desk"), &pb.GetCallerRequest{}); status.Code(err) != codes.Unauthenticated {
		t.Error(err)
	}
}
