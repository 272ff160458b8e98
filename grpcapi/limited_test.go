package grpcapi

import (
	"context"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

const sessionB = "0b0e8a10-0000-4000-8000-0000000000bb"

// limitedCaller serves a daemon with a person who is a member of sessionA, and returns contexts for the person's
// token, which is limited to shared sessions, and may do everything that a member may.
func limitedCaller(t *testing.T, a *fakeAsker, role messages.Role) (*grpc.ClientConn, *fakeTokens, func() context.Context) {
	t.Helper()
	tokens := &fakeTokens{}
	tokens.Create(messages.Token{Name: "guest-1", Person: "guest", Shared: true, Rights: messages.MayEverything})
	tokens.Share(messages.Member{Session: sessionA, Person: "guest", Role: role})
	tokens.Share(messages.Member{Session: sessionB, Person: "other", Role: messages.RoleEditor})
	conn, _ := serveCaller(t, Options{Asker: a, Tokens: tokens}, auth.Unrestricted)
	return conn, tokens, func() context.Context { return presenting(t, "secret-guest-1") }
}

// A limited token can call only the methods that check it; a new method is denied by default.
func TestLimitedMethods(t *testing.T) {
	conn, _, ctx := limitedCaller(t, &fakeAsker{}, messages.RoleEditor)
	reached := []string{}
	for _, method := range auth.Methods() {
		if need, _ := auth.Needs(method); strings.HasSuffix(method, "/") || need == auth.Anyone {
			continue
		}
		if err := codeOfCall(ctx(), conn, method); status.Code(err) != codes.PermissionDenied || !strings.Contains(err.Error(), "limited to sessions") && !strings.Contains(err.Error(), "the call needs") {
			reached = append(reached, method[strings.LastIndexByte(method, '/')+1:])
		}
	}
	slices.Sort(reached)
	if want := "AnswerPermission CancelTurn Converse ExportSession GetCaller GetVersion ListMembers ListSessions NegotiateCapabilities ResumeSession Search ShowSession StopSession"; strings.Join(reached, " ") != want {
		t.Errorf("reached %s, want %s", reached, want)
	}
}

// A limited token sees and controls shared sessions within its role. All others appear not to exist.
func TestLimitedToSharedSessions(t *testing.T) {
	for role, want := range map[messages.Role]codes.Code{messages.RoleViewer: codes.PermissionDenied, messages.RoleEditor: codes.OK} {
		t.Run(string(role), func(t *testing.T) {
			conn, _, ctx := limitedCaller(t, &fakeAsker{}, role)
			agent, admin, access := pb.NewAgentServiceClient(conn), pb.NewAdminServiceClient(conn), pb.NewAccessServiceClient(conn)
			caller := must[*pb.GetCallerResponse](t)(access.GetCaller(ctx(), &pb.GetCallerRequest{}))
			if !caller.GetShared() || len(caller.GetMemberships()) != 1 || slices.Contains(caller.GetScopes(), "admin") {
				t.Errorf("%v", caller)
			}
			calls := func(id string) map[string]error {
				_, show := admin.ShowSession(ctx(), &pb.ShowSessionRequest{SessionId: id})
				_, members := access.ListMembers(ctx(), &pb.ListMembersRequest{SessionId: id})
				_, stop := admin.StopSession(ctx(), &pb.StopSessionRequest{SessionId: id})
				_, cancel := agent.CancelTurn(ctx(), &pb.CancelTurnRequest{SessionId: id})
				_, answer := admin.AnswerPermission(ctx(), &pb.AnswerPermissionRequest{SessionId: id, RequestId: "r", Decision: pb.PermissionDecision_ALLOW_ONCE})
				export := must[grpc.ServerStreamingClient[pb.AgentEvent]](t)(admin.ExportSession(ctx(), &pb.ExportSessionRequest{SessionId: id}))
				_, exported := export.Recv()
				resume := must[grpc.ServerStreamingClient[pb.AgentEvent]](t)(agent.ResumeSession(ctx(), &pb.ResumeSessionRequest{SessionId: id, FromSequence: 1 << 40}))
				_, resumed := resume.Recv()
				return map[string]error{"show": show, "members": members, "export": exported, "resume": resumed, "stop": stop, "cancel": cancel, "answer": answer}
			}
			for _, foreign := range []string{sessionB, "0b0e8a10-0000-4000-8000-0000000000cc", "@last", "", "a", strings.ToUpper(sessionA) + " "} {
				for call, err := range calls(foreign) {
					if status.Code(err) != codes.NotFound || !strings.Contains(err.Error(), "does not exist") {
						t.Errorf("%s %q: %v", call, foreign, err)
					}
				}
			}
			for call, err := range calls(sessionA) {
				code := status.Code(err)
				switch call {
				case "stop", "cancel", "answer":
					if code != want {
						t.Errorf("%s as %s: %v", call, role, err)
					}
				default:
					if code == codes.PermissionDenied || code == codes.NotFound {
						t.Errorf("%s as %s: %v", call, role, err)
					}
				}
			}
		})
	}
}

// On a stream each request is checked against the membership. A member can neither begin a session nor change how the
// agent runs. The stream ends with the membership.
func TestLimitedOnAStream(t *testing.T) {
	for name, first := range map[string]*pb.AgentRequest{
		"another session":  {Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{SessionId: sessionB}}},
		"no start":         {Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{Content: "x"}}},
		"a mode":           {Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{SessionId: sessionA, PermissionMode: "bypassPermissions"}}},
		"an environment":   {Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{SessionId: sessionA, Environment: map[string]string{"PATH": "/tmp"}}}},
		"tools":            {Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{SessionId: sessionA, AllowedTools: []string{"Bash"}}}},
		"a directory":      {Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{SessionId: sessionA, WorkingDirectory: "/"}}},
		"settings at once": {Request: &pb.AgentRequest_Settings{Settings: &pb.SessionSettingsChange{}}},
	} {
		t.Run(name, func(t *testing.T) {
			asker := &fakeAsker{stream: newFakeStream()}
			conn, _, ctx := limitedCaller(t, asker, messages.RoleEditor)
			stream := must[grpc.BidiStreamingClient[pb.AgentRequest, pb.AgentEvent]](t)(pb.NewAgentServiceClient(conn).Converse(ctx()))
			if err := stream.Send(first); err != nil {
				t.Fatal(err)
			}
			_ = stream.CloseSend()
			denied := false
			for {
				e, err := stream.Recv()
				if err != nil {
					code := status.Code(err)
					denied = denied || code == codes.PermissionDenied || code == codes.NotFound
					break
				}
				denied = denied || e.GetError() != nil
			}
			if !denied {
				t.Error("it is served")
			}
		})
	}
	t.Run("the membership ends", func(t *testing.T) {
		asker := &fakeAsker{stream: newFakeStream()}
		conn, tokens, ctx := limitedCaller(t, asker, messages.RoleViewer)
		stream := must[grpc.ServerStreamingClient[pb.AgentEvent]](t)(pb.NewAgentServiceClient(conn).ResumeSession(ctx(), &pb.ResumeSessionRequest{SessionId: sessionA, Follow: true}))
		must[*pb.UnshareSessionResponse](t)(pb.NewAccessServiceClient(conn).UnshareSession(as(t, "owner"), &pb.UnshareSessionRequest{SessionId: sessionA, Person: "guest"}))
		for {
			_, err := stream.Recv()
			if err == nil {
				continue
			}
			if status.Code(err) != codes.NotFound {
				t.Error(err)
			}
			break
		}
		if all, _ := tokens.Members(sessionA, ""); len(all) != 0 {
			t.Errorf("%v", all)
		}
	})
}
