package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// guestScenarios attack what docs/security.md says of logins that are limited to shared sessions.
var guestScenarios = []scenario{
	{name: "guests: every call", env: listening, attack: attackEveryCall},
	{name: "guests: streams after sharing has ended", env: listening, attack: attackStreamsOfGuests},
}

// forGuests are the calls that serve a guest. Every other one is to be refused, so that a call which is added later is tried as well.
var forGuests = []string{
	"AgentService/Converse", "AgentService/ResumeSession", "AgentService/CancelTurn", "AgentService/ListSessions",
	"AdminService/ShowSession", "AdminService/ExportSession", "AdminService/StopSession", "AdminService/AnswerPermission",
	"AccessService/ListMembers", "AccessService/GetCaller", "VersionService/GetVersion", "VersionService/NegotiateCapabilities",
	"SearchService/Search",         // in shared sessions
	"Health/Check", "Health/Watch", // these need no scope, and know no sessions
}

// guest makes a login that is limited to shared sessions and returns its secret.
func (s *siege) guest(name string, scopes ...string) string {
	made, err := pb.NewAccessServiceClient(s.daemon.Conn()).CreateAccessToken(s, &pb.CreateAccessTokenRequest{
		Name: name + "-login", Person: name, Scopes: scopes, Shared: true,
	})
	s.must(err, "make a guest's token")
	return made.GetSecret()
}

// shares makes a person a member of a session; with the role none it is one no longer.
func (s *siege) shares(id, person, role string) {
	printed, exit := s.cli("gateway", "share", id, person, "--role", role)
	s.held("the role "+role, exit == 0, "%s", printed)
}

// attackEveryCall makes each published call as a guest: with the id of a private session in every text, and with a shared session
// beside it. Requests, plans, worktrees and tokens of others are asked for under their names.
func attackEveryCall(s *siege) {
	const secret = "of nobody else"
	private, shared := session(), session()
	for _, id := range []string{private, shared} {
		c := s.converse("person", id)
		text := "echo:in the shared one"
		if id == private {
			text = "echo:" + secret
		}
		s.runTurn(c, text)
	}
	keeper := s.converse("person", private)
	s.say(keeper, "run:touch approved.txt")
	asked, _ := s.wait(keeper, len(keeper.Events()), kit.IsPermission)
	request := asked.GetPermissionRequest().GetRequestId()
	s.guestsAsk(s.guest("ann", "view", "control", "approve"), private, shared, request, secret)
	s.guestSearches(private, shared)
	s.held("the private request still waits", !s.exists(s.project("approved.txt")), "it was answered")
	shown, err := s.daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: private})
	s.must(err, "show the private session")
	s.held("the private session is as before", len(shown.GetPermissions()) == 1 && shown.GetRun().GetState() == pb.RunState_RUN_STATE_STARTED, "%v", shown)
}

// guestsAsk makes all calls over both doors of the daemon.
func (s *siege) guestsAsk(login, private, shared, request, secret string) {
	s.shares(shared, "ann", "editor")
	file := s.project("ann.token")
	s.write(file, login)
	doors := map[string]struct {
		ctx  context.Context //nolint:containedctx // of the calls of one door
		conn *grpc.ClientConn
	}{
		"TCP":        {s, s.remote(s.address(), file)},
		"the socket": {metadata.AppendToOutgoingContext(s, "x-caller-token", login), s.daemon.Conn()},
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
			eachMethod(func(m protoreflect.MethodDescriptor, name string) {
				if open[name] == nil {
					open[name] = []string{}
				}
				said, code := s.fills(way.ctx, way.conn, m, values)
				refused := slices.Contains(forGuests, name) || code == codes.PermissionDenied
				leak := strings.Contains(said, secret) || strings.Contains(said, private) && !strings.Contains(fmt.Sprint(values), private)
				if leak || !refused {
					open[name] = append(open[name], fmt.Sprintf("over %s about %q: %s %s", door, values, code, said))
				}
			})
		}
	}
	for name, found := range open {
		s.held(name, len(found) == 0, "%s", strings.Join(found, "\n"))
	}
}

// guestSearches searches for words of a private session, with and without its id.
func (s *siege) guestSearches(private, shared string) {
	search := pb.NewSearchServiceClient(s.remote(s.address(), s.project("ann.token")))
	hits := func(r *pb.SearchRequest) string {
		found, err := search.Search(s, r)
		if err != nil {
			return ""
		}
		return found.String()
	}
	s.until("the shared session is found", func() bool { return strings.Contains(hits(&pb.SearchRequest{Query: "shared"}), shared) })
	for name, r := range map[string]*pb.SearchRequest{
		"its words": {Query: "nobody"}, "its words and id": {Query: "nobody", SessionIds: []string{private}}, "its id": {SessionIds: []string{private}},
		"two ids": {Query: "in", SessionIds: []string{private, shared}}, "a tool": {Tools: []string{"Bash"}}, "its directory": {Directory: s.world.Project},
		"a token of a page": {Query: "nobody", PageToken: private},
	} {
		found := hits(r)
		s.held("a search for "+name, !strings.Contains(found, private) && !strings.Contains(found, "nobody else"), "%s", found)
	}
}

// eachMethod calls f for each published call.
func eachMethod(f func(m protoreflect.MethodDescriptor, name string)) {
	protoregistry.GlobalFiles.RangeFilesByPackage("betcode.v1", func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			methods := file.Services().Get(i).Methods()
			for j := range methods.Len() {
				m := methods.Get(j)
				f(m, fmt.Sprintf("%s/%s", m.Parent().Name(), m.Name()))
			}
		}
		return true
	})
}

// fills makes a call whose texts are all filled, by their names or with the value of the empty name. It returns what came back, and
// the status. Of a stream it reads what comes within a moment.
func (s *siege) fills(ctx context.Context, conn *grpc.ClientConn, m protoreflect.MethodDescriptor, values map[string]string) (string, codes.Code) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	in := dynamicpb.NewMessage(m.Input())
	fill(in, values, 0)
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: m.IsStreamingClient()}, fmt.Sprintf("/%s/%s", m.Parent().FullName(), m.Name()))
	if err == nil {
		_ = stream.SendMsg(in) // RecvMsg has the reason
		_ = stream.CloseSend()
	}
	var said strings.Builder
	for n := 0; err == nil && n < 50; n++ {
		out := dynamicpb.NewMessage(m.Output())
		if err = stream.RecvMsg(out); err == nil {
			raw, _ := protojson.Marshal(out) // what it cannot encode is not told either
			said.Write(raw)
			if m.Name() == "Watch" {
				break
			}
		}
	}
	if err == io.EOF { //nolint:errorlint // gRPC returns it as it is
		err = nil
	}
	if err != nil {
		said.WriteString(status.Convert(err).Message())
	}
	return said.String(), status.Code(err)
}

// fill sets all texts of a message and of the messages in it, and of choices the first. Of a oneof the first member is set.
func fill(m protoreflect.Message, values map[string]string, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if o := f.ContainingOneof(); o != nil && !o.IsSynthetic() && o.Fields().Get(0) != f {
			continue
		}
		value, ok := values[string(f.Name())]
		if !ok {
			value = values[""]
		}
		switch {
		case f.IsMap(), f.Kind() == protoreflect.MessageKind && (depth > 2 || strings.HasPrefix(string(f.Message().FullName()), "google.")):
		case f.Kind() == protoreflect.StringKind && f.IsList():
			m.Mutable(f).List().Append(protoreflect.ValueOfString(value))
		case f.Kind() == protoreflect.StringKind:
			m.Set(f, protoreflect.ValueOfString(value))
		case f.Kind() == protoreflect.EnumKind && !f.IsList() && f.Enum().Values().Len() > 1:
			m.Set(f, protoreflect.ValueOfEnum(f.Enum().Values().Get(1).Number()))
		case f.Kind() == protoreflect.MessageKind && f.IsList():
			fill(m.Mutable(f).List().AppendMutable().Message(), values, depth+1)
		case f.Kind() == protoreflect.MessageKind:
			fill(m.Mutable(f).Message(), values, depth+1)
		}
	}
}

// attackStreamsOfGuests keeps streams of a session open while sharing ends or the role changes, and types on them.
func attackStreamsOfGuests(s *siege) {
	shared := session()
	owner := s.converse("person", shared)
	s.runTurn(owner, "echo:there is a session")
	file := s.project("ann.token")
	s.write(file, s.guest("ann", "view", "control", "approve"))
	conn := s.remote(s.address(), file)
	for _, role := range []string{"viewer", "none"} {
		s.shares(shared, "ann", "editor")
		typing := s.over(conn, "guest", &pb.StartConversation{SessionId: shared, History: pb.HistoryPolicy_HISTORY_POLICY_NONE})
		follow, err := pb.NewAgentServiceClient(conn).ResumeSession(s, &pb.ResumeSessionRequest{SessionId: shared, Follow: true})
		s.must(err, "follow the session")
		_, err = follow.Recv()
		s.must(err, "follow the session")
		stop, done := make(chan struct{}), make(chan struct{})
		go func() { // it types without a pause, so that something is under way when the role changes
			defer close(done)
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
					if typing.Say(session(), "echo:typed") != nil {
						return
					}
				}
			}
		}()
		s.shares(shared, "ann", role)
		s.must(drained(follow), "the follower ends")
		s.held("a stream that follows ends with the role "+role, true, "")
		close(stop)
		<-done
		after := session()
		_ = typing.Say(after, "echo:typed afterwards") // the stream may have ended
		s.held("a stream that types ends with the role "+role, s.becomes(func() bool { return typing.Say(session(), "echo:x") != nil }), "it is open")
		again := s.over(conn, "guest", &pb.StartConversation{SessionId: shared})
		_ = again.Say(session(), "echo:typed afterwards")
		s.wait(again, 0, func(e kit.Event) bool { return e.GetError() != nil })
		s.held("it begins no other with the role "+role, true, "")
	}
	history, err := s.daemon.Admin().ExportSession(s, &pb.ExportSessionRequest{SessionId: shared})
	s.must(err, "export the session")
	for {
		e, err := history.Recv()
		if err != nil {
			break
		}
		if strings.Contains(e.GetUserInput().GetContent(), "afterwards") {
			s.held("nothing was typed afterwards", false, "%v", e)
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
