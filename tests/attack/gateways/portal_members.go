package gateways

import (
	"net/http"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
)

// attackPortalByGuests has a person with whom one session is shared look for another one, at the portal and by
// presenting the login to the daemon itself.
func attackPortalByGuests(s *siege.Siege) {
	p := portal(s)
	private, shared := siege.NewSession(), siege.NewSession()
	for _, id := range []string{private, shared} {
		c := s.Converse("a", id)
		s.RunTurn(c, "echo:in "+id)
		c.Close()
	}
	code, err := s.World.SharedCode("guest", "control", "approve")
	s.Must(err, "make a code")
	b := p.Browser()
	status1, err := b.Login(code)
	s.Must(err, "log in")
	s.Held("a guest logs in", status1 == http.StatusSeeOther, "%d", status1)
	printed, exit := s.Cli("gateway", "share", shared, "guest", "--role", "editor")
	s.Held("a session is shared", exit == 0, "%s", printed)

	_, listed := asks(s, b, http.MethodGet, "/api/sessions")
	s.Held("the list has what is shared alone", strings.Contains(listed, shared) && !strings.Contains(listed, private), "%s", listed)
	unknown := "0b0e8a10-0000-4000-8000-00000000000c"
	for _, ask := range [][2]string{{http.MethodGet, ""}, {http.MethodGet, "/messages"}, {http.MethodGet, "/members"}, {http.MethodPost, "/stop"}, {http.MethodDelete, ""}} {
		status, body := asks(s, b, ask[0], "/api/sessions/"+private+ask[1])
		statusUnknown, bodyUnknown := asks(s, b, ask[0], "/api/sessions/"+unknown+ask[1])
		s.Held(ask[0]+" "+ask[1]+" of a private session is as of an unknown one", status == http.StatusNotFound && statusUnknown == status && body == bodyUnknown, "%d %s, %d %s", status, body, statusUnknown, bodyUnknown)
	}
	for _, id := range []string{private, unknown} {
		page := opens(s, b)
		s.Must(page.Register(3, id, nil), "register")
		sendFrame(s, page, "Access denied")
		s.Held("its page is closed", page.Ended(), "it is open")
	}

	cookie, _, _ := strings.Cut(strings.TrimPrefix(b.Header.Get("Cookie"), "cc_session="), ";")
	ctx := metadata.AppendToOutgoingContext(s, "x-caller-token", cookie)
	admin, agents, access := s.Daemon.Admin(), s.Daemon.Agents(), pb.NewAccessServiceClient(s.Daemon.Conn())
	denied := func(what string, err error) {
		code := status.Code(err)
		s.Held(what, code == codes.PermissionDenied || code == codes.NotFound, "%v", err)
	}
	for _, ref := range []string{private, "@last", private[:8], ""} {
		_, err = admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: ref})
		denied("it shows no private session under "+ref, err)
		_, err = admin.AnswerPermission(ctx, &pb.AnswerPermissionRequest{SessionId: ref, RequestId: "x", Decision: pb.PermissionDecision_ALLOW_ONCE})
		denied("it answers nothing under "+ref, err)
	}
	_, err = admin.Resolve(ctx, &pb.ResolveRequest{Ref: "@last"})
	denied("it resolves nothing", err)
	_, err = admin.ListPermissions(ctx, &pb.ListPermissionsRequest{})
	denied("it sees no inbox", err)
	_, err = admin.GetTree(ctx, &pb.GetTreeRequest{})
	denied("it sees no tree", err)
	_, err = admin.ForkSession(ctx, &pb.ForkSessionRequest{SessionId: shared})
	denied("it forks nothing", err)
	_, err = agents.RenameSession(ctx, &pb.RenameSessionRequest{SessionId: shared, Name: "x"})
	denied("it renames nothing", err)
	_, err = access.ShareSession(ctx, &pb.ShareSessionRequest{SessionId: private, Person: "guest", Role: "editor"})
	denied("it shares nothing with itself", err)
	_, err = access.CreateProxyToken(ctx, &pb.CreateProxyTokenRequest{Title: "x", Days: 1})
	denied("it makes no tokens", err)
	for name, start := range map[string]*pb.StartConversation{
		"a private session": {SessionId: private}, "a new session": {SessionId: unknown, WorkingDirectory: s.World.Project},
		"tools": {SessionId: shared, AllowedTools: []string{"Bash"}}, "a mode": {SessionId: shared, PermissionMode: "bypassPermissions", ConfirmMode: true},
	} {
		stream, err := agents.Converse(ctx)
		s.Must(err, "open a stream")
		s.Must(stream.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: start}}), "send")
		s.Must(stream.CloseSend(), "send")
		for attached := 0; ; attached++ {
			e, err := stream.Recv()
			if err != nil {
				denied("it begins no stream with "+name, err)
				break
			}
			if e.GetError() != nil {
				s.Held("it begins no stream with "+name, true, "")
				break
			}
			s.Held("it gets no event with "+name, attached < 3, "%v", e)
		}
	}
	printed, exit = s.Cli("gateway", "share", shared, "guest", "--role", "none")
	s.Held("sharing ends", exit == 0, "%s", printed)
	_, err = admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: shared})
	denied("the session is gone for the guest", err)
}
