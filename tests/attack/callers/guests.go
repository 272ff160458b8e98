package callers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// guestScenarios attack the claims of docs/security.md about logins that are limited to shared sessions.
var guestScenarios = []siege.Scenario{
	{Name: "guests: every call", Env: siege.Listening, Attack: attackEveryCall},
	{Name: "guests: streams after sharing has ended", Env: siege.Listening, Attack: attackStreamsOfGuests},
	{Name: "guests: lists without resting sessions", Attack: attackListsOfGuests},
}

// forGuests are the calls that serve a guest. Every other one is to be refused, so that a call which is added later is tried as well.
var forGuests = []string{
	"AgentService/Converse", "AgentService/ResumeSession", "AgentService/CancelTurn", "AgentService/ListSessions",
	"AdminService/ShowSession", "AdminService/ExportSession", "AdminService/StopSession", "AdminService/AnswerPermission",
	"AccessService/ListMembers", "AccessService/GetCaller", "VersionService/GetVersion", "VersionService/NegotiateCapabilities",
	"SearchService/Search",         // in shared sessions
	"Health/Check", "Health/Watch", // these need no scope, and know no sessions
}

// guest creates a login that is limited to shared sessions and returns its secret.
func guest(s *siege.Siege, name string, scopes ...string) string {
	made, err := pb.NewAccessServiceClient(s.Daemon.Conn()).CreateAccessToken(s, &pb.CreateAccessTokenRequest{
		Name: name + "-login", Person: name, Scopes: scopes, Shared: true,
	})
	s.Must(err, "make a guest's token")
	return made.GetSecret()
}

// shares makes a person a member of a session; the role none ends the membership.
func shares(s *siege.Siege, id, person, role string) {
	printed, exit := s.Cli("gateway", "share", id, person, "--role", role)
	s.Held("the role "+role, exit == 0, "%s", printed)
}

// attackEveryCall makes each published call as a guest: with the id of a private session in every text, and with a shared session
// beside it. It also names requests, plans, worktrees and tokens of others.
func attackEveryCall(s *siege.Siege) {
	const secret = "of nobody else"
	private, shared := siege.NewSession(), siege.NewSession()
	for _, id := range []string{private, shared} {
		c := s.Converse("person", id)
		text := "echo:in the shared one"
		if id == private {
			text = "echo:" + secret
		}
		s.RunTurn(c, text)
	}
	keeper := s.Converse("person", private)
	s.Say(keeper, "run:touch approved.txt")
	asked, _ := s.Wait(keeper, 0, kit.IsPermission)
	request := asked.GetPermissionRequest().GetRequestId()
	guestsAsk(s, guest(s, "ann", "view", "control", "approve"), private, shared, request, secret)
	guestSearches(s, private, shared)
	s.Held("the private request still waits", !s.Exists(s.Project("approved.txt")), "it was answered")
	shown, err := s.Daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: private})
	s.Must(err, "show the private session")
	s.Held("the private session is as before", len(shown.GetPermissions()) == 1 && shown.GetRun().GetState() == pb.RunState_RUN_STATE_STARTED, "%v", shown)
}

// guestsAsk makes all calls over the socket and over TCP.
func guestsAsk(s *siege.Siege, login, private, shared, request, secret string) {
	shares(s, shared, "ann", "editor")
	file := s.Project("ann.token")
	s.Write(file, login)
	doors := map[string]struct {
		ctx  context.Context //nolint:containedctx // of the calls of one door
		conn *grpc.ClientConn
	}{
		"TCP":        {s, s.Remote(s.Address(), file)},
		"the socket": {metadata.AppendToOutgoingContext(s, "x-caller-token", login), s.Daemon.Conn()},
	}
	open := map[string][]string{}
	for door, way := range doors {
		for _, values := range []map[string]string{
			{"": private},
			{"": request, "session_id": private},
			{"": private, "session_id": shared},
			{"": request, "session_id": shared},
			{"": private[:8], "session_id": "@last"},
			{"": "", "session_id": ""},
		} {
			siege.EachMethod(func(m protoreflect.MethodDescriptor, name string) {
				if open[name] == nil {
					open[name] = []string{}
				}
				said, code := s.Fills(way.ctx, way.conn, m, values)
				refused := slices.Contains(forGuests, name) || code == codes.PermissionDenied
				leak := strings.Contains(said, secret) || strings.Contains(said, private) && !strings.Contains(fmt.Sprint(values), private)
				if leak || !refused {
					open[name] = append(open[name], fmt.Sprintf("over %s about %q: %s %s", door, values, code, said))
				}
			})
		}
	}
	for name, found := range open {
		s.Held(name, len(found) == 0, "%s", strings.Join(found, "\n"))
	}
}

// guestSearches searches for words of a private session, with and without its id.
func guestSearches(s *siege.Siege, private, shared string) {
	search := pb.NewSearchServiceClient(s.Remote(s.Address(), s.Project("ann.token")))
	hits := func(r *pb.SearchRequest) string {
		found, err := search.Search(s, r)
		if err != nil {
			return ""
		}
		return found.String()
	}
	s.Until("the shared session is found", func() bool { return strings.Contains(hits(&pb.SearchRequest{Query: "shared"}), shared) })
	for name, r := range map[string]*pb.SearchRequest{
		"its words": {Query: "nobody"}, "its words and id": {Query: "nobody", SessionIds: []string{private}}, "its id": {SessionIds: []string{private}},
		"two ids": {Query: "in", SessionIds: []string{private, shared}}, "a tool": {Tools: []string{"Bash"}}, "its directory": {Directory: s.World.Project},
		"a token of a page": {Query: "nobody", PageToken: private},
	} {
		found := hits(r)
		s.Held("a search for "+name, !strings.Contains(found, private) && !strings.Contains(found, "nobody else"), "%s", found)
	}
}

// attackStreamsOfGuests keeps streams of a session open while sharing ends or the role changes, and types on them.
func attackStreamsOfGuests(s *siege.Siege) {
	shared := siege.NewSession()
	owner := s.Converse("person", shared)
	s.RunTurn(owner, "echo:there is a session")
	file := s.Project("ann.token")
	s.Write(file, guest(s, "ann", "view", "control", "approve"))
	conn := s.Remote(s.Address(), file)
	for _, role := range []string{"viewer", "none"} {
		shares(s, shared, "ann", "editor")
		typing := over(s, conn, "guest", &pb.StartConversation{SessionId: shared, History: pb.HistoryPolicy_HISTORY_POLICY_NONE})
		follow, err := pb.NewAgentServiceClient(conn).ResumeSession(s, &pb.ResumeSessionRequest{SessionId: shared, Follow: true})
		s.Must(err, "follow the session")
		_, err = follow.Recv()
		s.Must(err, "follow the session")
		stop, done := make(chan struct{}), make(chan struct{})
		go func() { // it types without a pause, so that something is under way when the role changes
			defer close(done)
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
					if typing.Say(siege.NewSession(), "echo:typed") != nil {
						return
					}
				}
			}
		}()
		shares(s, shared, "ann", role)
		s.Must(drained(follow), "the follower ends")
		s.Held("a stream that follows ends with the role "+role, true, "")
		close(stop)
		<-done
		after := siege.NewSession()
		_ = typing.Say(after, "echo:typed afterwards") // the stream may have ended
		s.Held("a stream that types ends with the role "+role, s.Becomes(func() bool { return typing.Say(siege.NewSession(), "echo:x") != nil }), "it is open")
		again := over(s, conn, "guest", &pb.StartConversation{SessionId: shared})
		_ = again.Say(siege.NewSession(), "echo:typed afterwards")
		s.Wait(again, 0, func(e kit.Event) bool { return e.GetError() != nil })
		s.Held("it begins no other with the role "+role, true, "")
	}
	history, err := s.Daemon.Admin().ExportSession(s, &pb.ExportSessionRequest{SessionId: shared})
	s.Must(err, "export the session")
	for {
		e, err := history.Recv()
		if err != nil {
			break
		}
		if strings.Contains(e.GetUserInput().GetContent(), "afterwards") {
			s.Held("nothing was typed afterwards", false, "%v", e)
		}
	}
}

// drained reads a stream to its end, which has to be a refusal.
func drained(stream grpc.ServerStreamingClient[pb.AgentEvent]) error {
	for {
		e, err := stream.Recv()
		switch code := status.Code(err); {
		case err == nil && e != nil:
		case code == codes.NotFound || code == codes.PermissionDenied:
			return nil
		default:
			return fmt.Errorf("it ended with %w", err)
		}
	}
}

// attackListsOfGuests asks as a guest for lists that leave out sessions with nothing to do, and count them.
func attackListsOfGuests(s *siege.Siege) {
	private, shared := siege.NewSession(), siege.NewSession()
	for _, id := range []string{private, shared} {
		c := s.Converse("person", id)
		s.RunTurn(c, "echo:hello")
		c.Close()
	}
	secret := guest(s, "guest", "view", "control")
	shares(s, shared, "guest", "viewer")
	ctx := metadata.AppendToOutgoingContext(s, "x-caller-token", secret)
	for _, resting := range []uint32{0, 1, 10, 1<<32 - 1} {
		for _, limit := range []uint32{0, 1, 1<<32 - 1} {
			list, err := s.Daemon.Agents().ListSessions(ctx, &pb.ListSessionsRequest{Resting: &resting, Limit: limit})
			foreign := false
			for _, one := range list.GetSessions() {
				foreign = foreign || one.GetId() != shared
			}
			seen := uint32(len(list.GetSessions())) + list.GetOmittedIdle() + list.GetOmittedStopped() //nolint:gosec // there are two
			s.Held(fmt.Sprintf("at most %d resting sessions of %d", resting, limit), err == nil && !foreign && list.GetTotal() <= 1 && seen <= 1, "%v, %v", list, err)
		}
	}
}
