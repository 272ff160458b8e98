package grpcapi

import (
	"context"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// The streams of one token are bounded. Another token has its own bound, and the first can open new
// streams when its streams have ended.
func TestStreamsOfAToken(t *testing.T) {
	tokens := &fakeTokens{}
	tokens.Create(messages.Token{Name: "greedy", Rights: messages.MayView})
	tokens.Create(messages.Token{Name: "owner", Rights: messages.MayEverything})
	_, dial := serveTCP(t, Options{Asker: &fakeAsker{stream: newFakeStream()}, Tokens: tokens})
	conn := dial()
	// open opens a stream and returns how it ended, OK while it lasts.
	open := func(ctx context.Context) codes.Code {
		stream := must[grpc.ServerStreamingClient[pb.AgentEvent]](t)(pb.NewAgentServiceClient(conn).ResumeSession(ctx, &pb.ResumeSessionRequest{SessionId: sessionA}))
		if header, err := stream.Header(); err == nil && header != nil {
			return codes.OK
		}
		_, err := stream.Recv()
		return status.Code(err)
	}
	ctx, cancel := context.WithCancel(bearing(t, "c", "greedy"))
	defer cancel()
	for n := range auth.TokenStreams {
		if code := open(ctx); code != codes.OK {
			t.Fatalf("stream %d: %v", n, code)
		}
	}
	if code := open(ctx); code != codes.ResourceExhausted {
		t.Errorf("one more: %v", code)
	}
	if code := open(bearing(t, "c", "owner")); code != codes.OK {
		t.Errorf("another token: %v", code)
	}
	cancel()
	again := bearing(t, "c", "greedy")
	for code := open(again); code != codes.OK; code = open(again) { // until the server has noticed
		if again.Err() != nil {
			t.Fatalf("when the others have ended: %v", code)
		}
	}
}

// Callers without a token may have few concurrent calls, and do not use up those of others.
func TestCallsOfStrangers(t *testing.T) {
	tokens := &fakeTokens{}
	tokens.Create(messages.Token{Name: "owner", Rights: messages.MayEverything})
	_, dial := serveTCP(t, Options{Asker: &fakeAsker{}, Tokens: tokens})
	conn := dial()
	served := 0
	for range 2 * auth.UnauthenticatedCalls {
		stream := must[grpc.ServerStreamingClient[healthpb.HealthCheckResponse]](t)(healthpb.NewHealthClient(conn).Watch(as(t, "c"), &healthpb.HealthCheckRequest{}))
		_, err := stream.Recv()
		switch status.Code(err) {
		case codes.OK:
			served++
		case codes.ResourceExhausted:
		default:
			t.Fatal(err)
		}
	}
	if served != auth.UnauthenticatedCalls {
		t.Errorf("%d are served", served)
	}
	if _, err := pb.NewAgentServiceClient(conn).ListSessions(bearing(t, "c", "owner"), &pb.ListSessionsRequest{}); err != nil {
		t.Errorf("the owner: %v", err)
	}
}
