package grpcapi

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// Over TCP every call except probes needs a token with the right in the table.
func TestTokensOverTCP(t *testing.T) {
	tokens, audit := &fakeTokens{}, &fakeAudit{}
	for _, scopes := range [][]string{{"view"}, {"approve"}, {"control"}, {"admin"}} {
		r, _ := messages.ParseRights(scopes)
		tokens.Create(messages.Token{Name: scopes[0], Rights: r})
	}
	var log logBuffer
	logger := zerolog.New(&log)
	_, dial := serveTCP(t, Options{Asker: &fakeAsker{}, Tokens: tokens, Audit: audit, Logger: &logger})
	conn := dial()
	for _, method := range auth.Methods() {
		need, _ := auth.Needs(method)
		if strings.HasSuffix(method, "/") {
			continue
		}
		for _, name := range []string{"", "wrong", "view", "approve", "control", "admin"} {
			ctx := as(t, "c")
			if name != "" {
				ctx = bearing(t, "c", name)
			}
			got := status.Code(codeOfCall(ctx, conn, method))
			rights, _ := messages.ParseRights([]string{name})
			socketOnly := strings.HasSuffix(method, "/GetStartup")
			switch want := rights&need != 0 && !socketOnly; {
			case name == "" || name == "wrong":
				if got != codes.Unauthenticated && got != codes.ResourceExhausted { // too many failures
					t.Errorf("%s with the token %q: %v", method, name, got)
				}
			case want && (got == codes.PermissionDenied || got == codes.Unauthenticated), !want && got != codes.PermissionDenied:
				t.Errorf("%s with the token %s: %v", method, name, got)
			}
		}
	}
	for _, ctx := range []context.Context{as(t, "c"), bearing(t, "c", "wrong")} {
		must[*healthpb.HealthCheckResponse](t)(healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{}))
	}
	conn.Close()
	counted := map[messages.AuditType]int{}
	for _, e := range audit.recorded() {
		counted[e.Type]++
		if e.Type != messages.AuditAdmin && e.ClientIP != "127.0.0.1" {
			t.Errorf("%+v", e)
		}
	}
	if counted[messages.AuditAuthSuccess] != 4 || counted[messages.AuditAuthFailure] == 0 {
		t.Errorf("%v", counted)
	}
	if text := log.String(); strings.Contains(text, "secret-") || !strings.Contains(text, `"token":"approve"`) || !strings.Contains(text, `"address":"127.0.0.1"`) {
		t.Errorf("log: %.2000s", text)
	}
}

func TestWhatIsNoBearer(t *testing.T) {
	tokens := &fakeTokens{}
	tokens.Create(messages.Token{Name: "a", Rights: messages.MayEverything})
	_, dial := serveTCP(t, Options{Asker: &fakeAsker{}, Tokens: tokens})
	for _, values := range [][]string{{"secret-a"}, {"Basic secret-a"}, {"Bearer"}, {"Bearer secret-a", "Bearer secret-a"}, {"Bearer secret-b"}} {
		ctx := as(t, "c")
		for _, v := range values {
			ctx = metadata.AppendToOutgoingContext(ctx, "authorization", v)
		}
		if _, err := pb.NewAdminServiceClient(dial()).GetTree(ctx, &pb.GetTreeRequest{}); status.Code(err) != codes.Unauthenticated {
			t.Errorf("%q: %v", values, err)
		}
	}
}

// A process below an agent may only view, also with a token that has every right.
func TestTokensDoNotHelpAgents(t *testing.T) {
	tokens := &fakeTokens{}
	tokens.Create(messages.Token{Name: "a", Rights: messages.MayEverything})
	for name, r := range map[string]func(_, _ netip.AddrPort) (bool, error){
		"an agent":     func(_, _ netip.AddrPort) (bool, error) { return true, nil },
		"nobody knows": func(_, _ netip.AddrPort) (bool, error) { return false, errors.New("gone") },
	} {
		_, dial := serveTCP(t, Options{Asker: &fakeAsker{}, Tokens: tokens, TCP: auth.TCPOptions{Restricted: r}})
		conn := dial()
		if _, err := pb.NewAgentServiceClient(conn).ListSessions(bearing(t, "c", "a"), &pb.ListSessionsRequest{}); err != nil {
			t.Errorf("%s views: %v", name, err)
		}
		if err := codeOfCall(bearing(t, "c", "a"), conn, "/betcode.v1.AdminService/AnswerPermission"); status.Code(err) != codes.PermissionDenied {
			t.Errorf("%s answers: %v", name, err)
		}
	}
}

// A web page cannot call the daemon, whatever name points to this machine.
func TestHostAndOrigin(t *testing.T) {
	tokens := &fakeTokens{}
	tokens.Create(messages.Token{Name: "a", Rights: messages.MayEverything})
	_, dial := serveTCP(t, Options{Asker: &fakeAsker{}, Tokens: tokens, TCP: auth.TCPOptions{Names: []string{"box.example"}}})
	for authority, want := range map[string]codes.Code{
		"localhost": codes.OK, "LOCALHOST:5": codes.OK, "127.0.0.1:5": codes.OK, "[::1]:80": codes.OK, "192.0.2.1": codes.OK,
		"box.example": codes.OK, "Box.Example:5": codes.OK, "box.example.": codes.OK,
		"evil.example": codes.PermissionDenied, "localhost.evil.example:80": codes.PermissionDenied, "127.0.0.1.evil.example": codes.PermissionDenied,
	} {
		conn := dial(grpc.WithAuthority(authority))
		if _, err := pb.NewAgentServiceClient(conn).ListSessions(bearing(t, "c", "a"), &pb.ListSessionsRequest{}); status.Code(err) != want {
			t.Errorf("%s: %v", authority, err)
		}
	}
	ctx := metadata.AppendToOutgoingContext(bearing(t, "c", "a"), "origin", "https://evil.example")
	if _, err := pb.NewAgentServiceClient(dial()).ListSessions(ctx, &pb.ListSessionsRequest{}); status.Code(err) != codes.PermissionDenied {
		t.Errorf("with an origin: %v", err)
	}
}

// A client with the scope approve can approve on the stream of an existing session. A refused
// request leaves the stream open; revoking the token ends it.
func TestApproverOnAStream(t *testing.T) {
	tokens := &fakeTokens{}
	tokens.Create(messages.Token{Name: "phone", Rights: messages.MayView | messages.MayApprove})
	asker := &fakeAsker{stream: newFakeStream()}
	_, dial := serveTCP(t, Options{Asker: asker, Tokens: tokens})
	stream := must[grpc.BidiStreamingClient[pb.AgentRequest, pb.AgentEvent]](t)(pb.NewAgentServiceClient(dial()).Converse(bearing(t, "c", "phone")))
	say := func(r *pb.AgentRequest) {
		if err := stream.Send(r); err != nil {
			t.Fatal(err)
		}
	}
	say(&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{SessionId: sessionA, WorkingDirectory: "/"}}})
	say(&pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{Content: "hello"}}})
	e := must[*pb.AgentEvent](t)(stream.Recv())
	if e.GetError().GetCode() != "PERMISSION_DENIED" || e.GetError().GetIsFatal() {
		t.Fatalf("%v", e)
	}
	say(&pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{RequestId: "r", Decision: pb.PermissionDecision_ALLOW_ONCE}}})
	deadline := time.Now().Add(time.Minute)
	for answered := false; !answered; {
		for _, m := range asker.saw() {
			_, is := m.(messages.AnswerPermission)
			answered = answered || is
			if _, is := m.(messages.SendInput); is {
				t.Fatal("the message was handed on")
			}
		}
		time.Sleep(time.Millisecond)
		if time.Now().After(deadline) {
			t.Fatalf("not answered: %v", asker.saw())
		}
	}
	tokens.Revoke("phone")
	for {
		_, err := stream.Recv()
		if err == nil {
			continue
		}
		if status.Code(err) != codes.Unauthenticated || errors.Is(err, io.EOF) {
			t.Errorf("revoked: %v", err)
		}
		break
	}
}

func TestTokenService(t *testing.T) {
	tokens := &fakeTokens{}
	conn, _ := serveOptions(t, Options{Asker: &fakeAsker{}, Tokens: tokens})
	access := pb.NewAccessServiceClient(conn)
	made := must[*pb.CreateAccessTokenResponse](t)(access.CreateAccessToken(as(t, "c"), &pb.CreateAccessTokenRequest{
		Name: "phone", Scopes: []string{"approve"}, ExpiresAt: timestamppb.New(time.Unix(99, 0)),
	}))
	if made.GetSecret() != "secret-phone" || strings.Join(made.GetToken().GetScopes(), ",") != "view,approve" || made.GetToken().GetExpiresAt().GetSeconds() != 99 {
		t.Errorf("%v", made)
	}
	if list := must[*pb.ListAccessTokensResponse](t)(access.ListAccessTokens(as(t, "c"), &pb.ListAccessTokensRequest{})); len(list.GetTokens()) != 1 {
		t.Errorf("%v", list)
	}
	must[*pb.RevokeAccessTokenResponse](t)(access.RevokeAccessToken(as(t, "c"), &pb.RevokeAccessTokenRequest{Name: "phone"}))
	if _, err := access.CreateAccessToken(as(t, "c"), &pb.CreateAccessTokenRequest{Name: "x", Scopes: []string{"root"}}); status.Code(err) != codes.InvalidArgument {
		t.Error(err)
	}
	conn, _ = serveOptions(t, Options{Asker: &fakeAsker{}})
	if _, err := pb.NewAccessServiceClient(conn).ListAccessTokens(as(t, "c"), &pb.ListAccessTokensRequest{}); status.Code(err) != codes.Unimplemented {
		t.Error(err)
	}
}
