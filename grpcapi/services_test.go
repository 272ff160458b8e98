package grpcapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/door"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

func decode(c wire.Codec, raw []byte, v any) error {
	return c.Unmarshal(mem.BufferSlice{mem.SliceBuffer(raw)}, v)
}

func TestResumeSession(t *testing.T) {
	asker := &fakeAsker{stream: newFakeStream()}
	asker.answer = func(r messages.Request) (messages.Reply, error) {
		if _, ok := r.(messages.GetSession); ok {
			return messages.SessionView{Record: messages.SessionRecord{Head: 7}}, nil
		}
		return nil, nil
	}
	conn, _ := serve(t, asker)
	client := pb.NewAgentServiceClient(conn)
	asker.stream.batches <- []messages.Event{textEvent(t, 6, "a"), textEvent(t, 7, "b")}
	asker.stream.end <- nil
	stream, err := client.ResumeSession(as(t, "c"), &pb.ResumeSessionRequest{SessionId: sessionA, FromSequence: 5})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Header(); err != nil {
		t.Fatal(err)
	}
	if seqs, _, err := readAll(t, stream); err != nil || len(seqs) != 2 {
		t.Errorf("%v %v", seqs, err)
	}
	a := asker.sawAttach()[0]
	if a.From != 5 || a.History != messages.HistoryFromSequence || a.Follow != messages.FollowTurn || !a.Observer {
		t.Errorf("attach %+v", a)
	}

	stream, _ = client.ResumeSession(as(t, "c"), &pb.ResumeSessionRequest{SessionId: sessionA, FromSequence: 8})
	if _, _, err := readAll(t, stream); status.Code(err) != codes.OutOfRange {
		t.Errorf("beyond the head: %v", err)
	}
	asker.stream = newFakeStream()
	asker.stream.end <- messages.Errorf("read journal", messages.DataLoss, "page 7 is damaged")
	stream, _ = client.ResumeSession(as(t, "c"), &pb.ResumeSessionRequest{SessionId: sessionA, Follow: true})
	if _, _, err := readAll(t, stream); status.Code(err) != codes.DataLoss {
		t.Errorf("damaged: %v", err)
	}
	if a := asker.sawAttach()[1]; a.Follow != messages.FollowForever || a.History != messages.HistoryFull {
		t.Errorf("attach %+v", a)
	}
}

// TestUnaryCalls tests the other calls of AgentService.
func TestUnaryCalls(t *testing.T) {
	asker := &fakeAsker{}
	asker.answer = func(r messages.Request) (messages.Reply, error) {
		switch r := r.(type) {
		case messages.ListSessions:
			if r.Limit != 100 || r.Offset != 3 || r.WorkingDirectory != "/w" {
				t.Errorf("list %+v", r)
			}
			return messages.SessionList{Total: 42, Sessions: []messages.SessionRecord{{
				ID: sessionA, Name: "n", Phase: messages.PhaseIdle, Usage: messages.Usage{InputTokens: 1 << 40}, UpdatedAt: time.Unix(1, 0),
			}}}, nil
		case messages.TakeLock:
			return messages.LockAnswer{Holder: "web", Previous: "old"}, nil
		case messages.GetSession:
			return messages.SessionView{Record: messages.SessionRecord{Grants: map[string]bool{"b": true, "a": false}}}, nil
		case messages.DeleteSession:
			return nil, messages.Errorf("delete session", messages.NotFound, "no such session").WithCode(messages.SessionNotFound)
		}
		return nil, nil
	}
	conn, _ := serve(t, asker)
	client, ctx := pb.NewAgentServiceClient(conn), as(t, "c")

	list := must[*pb.ListSessionsResponse](t)(client.ListSessions(ctx, &pb.ListSessionsRequest{WorkingDirectory: "/w/", Offset: 3}))
	if s := list.GetSessions()[0]; list.GetTotal() != 42 || s.GetStatus() != "idle" || s.GetTotalInputTokens() != 1<<32-1 || s.GetCreatedAt() != nil {
		t.Errorf("list %v", list)
	}
	lock := must[*pb.InputLockResponse](t)(client.RequestInputLock(ctx, &pb.InputLockRequest{SessionId: sessionA}))
	if lock.GetGranted() || lock.GetPreviousHolder() != "web" {
		t.Errorf("lock %v", lock)
	}
	grants := must[*pb.ListSessionGrantsResponse](t)(client.ListSessionGrants(ctx, &pb.ListSessionGrantsRequest{SessionId: sessionA}))
	if g := grants.GetGrants(); len(g) != 2 || g[0].GetToolName() != "a" || g[0].GetGranted() {
		t.Errorf("grants %v", grants)
	}
	deleted := must[*pb.DeleteSessionResponse](t)(client.DeleteSession(ctx, &pb.DeleteSessionRequest{SessionId: sessionA}))
	if deleted.GetDeleted() {
		t.Error("deleted what was not there")
	}
	must[*pb.RenameSessionResponse](t)(client.RenameSession(ctx, &pb.RenameSessionRequest{SessionId: sessionA, Name: "x"}))
	must[*pb.SetSessionGrantResponse](t)(client.SetSessionGrant(ctx, &pb.SetSessionGrantRequest{SessionId: sessionA, ToolName: "Bash"}))
	must[*pb.ClearSessionGrantsResponse](t)(client.ClearSessionGrants(ctx, &pb.ClearSessionGrantsRequest{SessionId: sessionA}))

	for name, err := range map[string]error{
		"compact": second(client.CompactSession(ctx, &pb.CompactSessionRequest{SessionId: sessionA, IdempotencyKey: "x"})),
		"cancel":  second(client.CancelTurn(ctx, &pb.CancelTurnRequest{})),
		"rename":  second(client.RenameSession(ctx, &pb.RenameSessionRequest{SessionId: "x"})),
		"grant":   second(client.SetSessionGrant(ctx, &pb.SetSessionGrantRequest{SessionId: sessionA})),
		"list":    second(client.ListSessions(ctx, &pb.ListSessionsRequest{WorkingDirectory: "w"})),
	} {
		if status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	v := must[*pb.GetVersionResponse](t)(pb.NewVersionServiceClient(conn).GetVersion(ctx, &pb.GetVersionRequest{}))
	if v.GetApiVersion() != "v1" || v.GetServerVersion() != "1.2.3" {
		t.Errorf("version %v", v)
	}
}

func second[T any](_ T, err error) error { return err }

func TestAdmin(t *testing.T) {
	asker := &fakeAsker{}
	var broken error // error of the journal when a key is looked up
	pending := []messages.PermissionRecord{
		{Request: "req-abc", Session: sessionA, Tool: "Bash", Input: []byte(`{"command":"ls"}`)},
		{Request: "req-abd", Session: sessionA, Tool: "Edit"},
	}
	asker.answer = func(r messages.Request) (messages.Reply, error) {
		switch r := r.(type) {
		case messages.ListPermissions:
			return messages.PermissionList{Permissions: pending}, nil
		case messages.GetSession:
			return messages.SessionView{Record: messages.SessionRecord{ID: sessionA, Name: "demo"}, Run: &messages.RunRecord{Run: 2}, Permissions: pending}, nil
		case messages.AnswerPermission:
			return messages.PermissionAnswered{Applied: r.Request == "req-abc", By: "c"}, nil
		case messages.ResolveRequest:
			if r.Reference != "old" {
				return nil, messages.Errorf("find permission request", messages.NotFound, "no request %q", r.Reference)
			}
			return messages.RequestResolved{Session: elsewhere, Request: "older"}, nil
		case messages.ResolveKey:
			if broken != nil {
				return nil, broken
			}
			return messages.SessionResolved{Session: elsewhere}, nil
		case messages.Once:
			return messages.PermissionAnswered{Applied: r.Key == keyA && r.Target() == elsewhere, By: "c", Request: "req-abx"}, nil
		case messages.GetTree:
			return messages.TreeNode{Name: "daemon", Children: []messages.TreeNode{{Name: "sessions"}, {Name: "journal", Backoff: time.Second}}}, nil
		case messages.ResolveSession:
			if r.Reference != "demo" {
				return nil, messages.Errorf("resolve session", messages.NotFound, "no session %q", r.Reference).WithCode(messages.SessionNotFound)
			}
		}
		return nil, nil
	}
	conn, _ := serve(t, asker)
	client, ctx := pb.NewAdminServiceClient(conn), as(t, "c")

	list := must[*pb.ListPermissionsResponse](t)(client.ListPermissions(ctx, &pb.ListPermissionsRequest{}))
	if p := list.GetPermissions(); len(p) != 2 || p[0].GetSessionName() != "demo" || p[0].GetInput().GetFields()["command"].GetStringValue() != "ls" {
		t.Errorf("permissions %v", list)
	}
	allow := pb.PermissionDecision_ALLOW_ONCE
	answered := must[*pb.AnswerPermissionResponse](t)(client.AnswerPermission(ctx, &pb.AnswerPermissionRequest{RequestId: "req-abc", Decision: allow}))
	if !answered.GetApplied() || answered.GetRequestId() != "req-abc" || answered.GetSessionId() != sessionA {
		t.Errorf("answered %v", answered)
	}
	for ref, want := range map[string]codes.Code{"req-ab": codes.InvalidArgument, "nope": codes.NotFound, "": codes.InvalidArgument} {
		if _, err := client.AnswerPermission(ctx, &pb.AnswerPermissionRequest{RequestId: ref, Decision: allow}); status.Code(err) != want {
			t.Errorf("%q: %v, want %v", ref, err, want)
		}
	}
	late := must[*pb.AnswerPermissionResponse](t)(client.AnswerPermission(ctx, &pb.AnswerPermissionRequest{SessionId: sessionA, RequestId: "gone", Decision: allow}))
	if late.GetApplied() || late.GetResolvedBy() != "c" {
		t.Errorf("late %v", late)
	}
	// A request that no longer waits is found without a session.
	late = must[*pb.AnswerPermissionResponse](t)(client.AnswerPermission(ctx, &pb.AnswerPermissionRequest{RequestId: "old", Decision: allow}))
	if late.GetApplied() || late.GetSessionId() != elsewhere || late.GetRequestId() != "older" {
		t.Errorf("found %v", late)
	}
	// A used key leads to the session in which it was used, whatever waits now.
	again := metadata.AppendToOutgoingContext(ctx, door.IdempotencyKey, keyA)
	before := must[*pb.AnswerPermissionResponse](t)(client.AnswerPermission(again, &pb.AnswerPermissionRequest{RequestId: "req-ab", Decision: allow}))
	if !before.GetApplied() || before.GetSessionId() != elsewhere || before.GetRequestId() != "req-abx" {
		t.Errorf("again %v", before)
	}
	// The look-up of the key must succeed: the request that waits now may be another one.
	broken = messages.Errorf("find key", messages.Unavailable, "the journal fails")
	if _, err := client.AnswerPermission(again, &pb.AnswerPermissionRequest{RequestId: "req-abc", Decision: allow}); status.Code(err) != codes.Unavailable {
		t.Errorf("while nobody knows the key: %v", err)
	}
	show := must[*pb.ShowSessionResponse](t)(client.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: "demo"}))
	if show.GetSummary().GetName() != "demo" || show.GetRun().GetRun() != 2 || len(show.GetPermissions()) != 2 {
		t.Errorf("show %v", show)
	}
	if _, err := client.StopSession(ctx, &pb.StopSessionRequest{SessionId: "nobody"}); status.Code(err) != codes.NotFound {
		t.Errorf("stop: %v", err)
	}
	tree := must[*pb.TreeNode](t)(client.GetTree(ctx, &pb.GetTreeRequest{}))
	if c := tree.GetChildren(); len(c) != 2 || c[0].GetName() != "journal" || c[0].GetBackoffMsLeft() != 1000 {
		t.Errorf("tree %v", tree)
	}
	must[*pb.ShutdownResponse](t)(client.Shutdown(ctx, &pb.ShutdownRequest{KeepAgents: true}))
	if m, ok := asker.saw()[len(asker.saw())-1].(messages.Shutdown); !ok || !m.KeepAgents {
		t.Error("shutdown was not asked")
	}
}

func TestHealth(t *testing.T) {
	asker := &fakeAsker{}
	conn, s := serve(t, asker)
	standard, ours, ctx := healthpb.NewHealthClient(conn), pb.NewHealthClient(conn), as(t, "c")
	for _, service := range []string{"", "betcode.v1.AgentService", "AgentService"} {
		r := must[*healthpb.HealthCheckResponse](t)(standard.Check(ctx, &healthpb.HealthCheckRequest{Service: service}))
		if r.GetStatus() != healthpb.HealthCheckResponse_SERVING {
			t.Errorf("%q is %v", service, r)
		}
	}
	if _, err := standard.Check(ctx, &healthpb.HealthCheckRequest{Service: "x.Y"}); status.Code(err) != codes.NotFound {
		t.Errorf("unknown service: %v", err)
	}
	watch, err := ours.Watch(ctx, &pb.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if r := must[*pb.HealthCheckResponse](t)(watch.Recv()); r.GetStatus() != pb.ServingStatus_SERVING {
		t.Errorf("watch %v", r)
	}
	s.SetReady(false)
	if r := must[*pb.HealthCheckResponse](t)(watch.Recv()); r.GetStatus() != pb.ServingStatus_NOT_SERVING {
		t.Errorf("watch %v", r)
	}
	if r := must[*pb.HealthCheckResponse](t)(ours.Check(ctx, &pb.HealthCheckRequest{})); r.GetStatus() != pb.ServingStatus_NOT_SERVING {
		t.Errorf("check %v", r)
	}
	s.SetReady(true)
	details := must[*pb.HealthDetailsResponse](t)(pb.NewBetCodeHealthClient(conn).GetHealthDetails(ctx, &pb.HealthDetailsRequest{}))
	if c := details.GetComponents(); len(c) != 1 || c[0].GetName() != "local_server" || c[0].GetStatus() != pb.ServingStatus_SERVING {
		t.Errorf("components %v", c)
	}
	s.SetReady(false)
	details = must[*pb.HealthDetailsResponse](t)(pb.NewBetCodeHealthClient(conn).GetHealthDetails(ctx, &pb.HealthDetailsRequest{}))
	if details.GetOverallStatus() != pb.ServingStatus_NOT_SERVING || details.GetDegraded() {
		t.Errorf("before it is ready: %v", details)
	}
	s.SetReady(true)
	asker.mu.Lock()
	asker.answer = func(messages.Request) (messages.Reply, error) { return nil, errors.New("no") }
	asker.mu.Unlock()
	if r := must[*healthpb.HealthCheckResponse](t)(standard.Check(ctx, &healthpb.HealthCheckRequest{})); r.GetStatus() != healthpb.HealthCheckResponse_NOT_SERVING {
		t.Errorf("without an answer: %v", r)
	}
}

// A process of the daemon's user is admitted over a real Unix socket, and two calls of one
// connection come from one client.
func TestPeerCredentials(t *testing.T) {
	socket := socketPath(t)
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	asker := &fakeAsker{}
	s := New(Options{Asker: asker})
	go s.Serve(l)
	defer s.Shutdown(as(t, ""))
	conn, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	client := pb.NewAgentServiceClient(conn)
	for range 2 {
		if _, err = client.CancelTurn(t.Context(), &pb.CancelTurnRequest{SessionId: sessionA}); err != nil {
			t.Fatal(err)
		}
	}
	asked := asker.saw()
	first, second := asked[0].(messages.CancelTurn), asked[1].(messages.CancelTurn)
	if first.Client == "" || first.Client != second.Client {
		t.Errorf("one connection, two clients: %q and %q", first.Client, second.Client)
	}
}

func TestLog(t *testing.T) {
	var log logBuffer
	logger := zerolog.New(&log).Level(zerolog.DebugLevel)
	asker := &fakeAsker{stream: newFakeStream()}
	asker.stream.end <- nil
	s := New(Options{Asker: asker, Logger: &logger, Credentials: insecure.NewCredentials()})
	l := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	go s.Serve(l)
	conn := must[*grpc.ClientConn](t)(grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials())))
	client := pb.NewAgentServiceClient(conn)
	_, _ = client.RenameSession(as(t, "me"), &pb.RenameSessionRequest{SessionId: sessionA, Name: "secret words"})
	_, _ = client.RenameSession(as(t, "me"), &pb.RenameSessionRequest{SessionId: "x"})
	stream := must[converseClient](t)(client.Converse(as(t, "me")))
	_ = stream.Send(startRequest(&pb.StartConversation{SessionId: sessionA}))
	_, _, _ = readAll(t, stream)
	conn.Close()
	_ = s.Shutdown(as(t, ""))

	type line struct {
		Level, Target, Span, Client, Code, Err string
		Session                                string `json:"session_id"`
	}
	var lines []line
	for raw := range bytes.Lines(log.Bytes()) {
		var got line
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		lines = append(lines, got)
	}
	if len(lines) != 3 {
		t.Fatalf("%s", &log)
	}
	want := line{"debug", "betcode/grpcapi", "grpc/AgentService/RenameSession", "me", "OK", "", sessionA}
	if lines[0] != want {
		t.Errorf("got %+v, want %+v", lines[0], want)
	}
	if lines[1].Code != "InvalidArgument" || lines[1].Err == "" {
		t.Errorf("got %+v", lines[1])
	}
	if lines[2].Level != "info" || lines[2].Session != sessionA || lines[2].Span != "grpc/AgentService/Converse" {
		t.Errorf("got %+v", lines[2])
	}
	if strings.Contains(log.String(), "secret") {
		t.Errorf("what a client says is in the log: %s", &log)
	}
}

func TestExplainPermission(t *testing.T) {
	asker := &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		if _, ok := r.(messages.GetSession); ok {
			return messages.SessionView{Record: messages.SessionRecord{WorkingDirectory: "/w"}}, nil
		}
		return nil, nil
	}}
	conn, _ := serve(t, asker)
	client := pb.NewAdminServiceClient(conn)
	for name, c := range map[string]struct {
		request *pb.ExplainPermissionRequest
		why     string // empty: refused
	}{
		"argument":     {&pb.ExplainPermissionRequest{ToolName: "Bash", Argument: "ls", WorkingDirectory: "/x"}, "ls in /x"},
		"input":        {&pb.ExplainPermissionRequest{ToolName: "Bash", Input: translate.StructOut([]byte(`{"a":"<"}`)), WorkingDirectory: "/x"}, `{"a":"<"} in /x`},
		"session":      {&pb.ExplainPermissionRequest{ToolName: "Bash", Argument: "ls", SessionId: sessionA}, "ls in /w"},
		"no tool":      {&pb.ExplainPermissionRequest{Argument: "ls", WorkingDirectory: "/x"}, ""},
		"no argument":  {&pb.ExplainPermissionRequest{ToolName: "Bash", WorkingDirectory: "/x"}, ""},
		"nowhere":      {&pb.ExplainPermissionRequest{ToolName: "Bash", Argument: "ls"}, ""},
		"two places":   {&pb.ExplainPermissionRequest{ToolName: "Bash", Argument: "ls", SessionId: sessionA, WorkingDirectory: "/x"}, ""},
		"relative one": {&pb.ExplainPermissionRequest{ToolName: "Bash", Argument: "ls", WorkingDirectory: "x"}, ""},
	} {
		got, err := client.ExplainPermission(as(t, "c"), c.request)
		if (err == nil) != (c.why != "") || (err != nil && status.Code(err) != codes.InvalidArgument) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.GetWhy() != c.why || (err == nil && (got.GetEffect() != "allow" || got.GetKnownRules() != 3 || len(got.GetRules()) != 1 || len(got.GetProblems()) != 1)) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestTrustDirectory(t *testing.T) {
	conn, _ := serve(t, &fakeAsker{})
	client := pb.NewAdminServiceClient(conn)
	for want, r := range map[string]*pb.TrustDirectoryRequest{
		"/x true": {Directory: "/x"}, "/x false": {Directory: "/x", Remove: true}, " true": {},
	} {
		got, err := client.TrustDirectory(as(t, "c"), r)
		if err != nil || strings.Join(got.GetDirectories(), " ") != want {
			t.Errorf("%q: %v, %v", want, got, err)
		}
	}
	if _, err := client.TrustDirectory(as(t, "c"), &pb.TrustDirectoryRequest{Directory: "x"}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a relative directory: %v", err)
	}
	got, err := client.TrustDirectory(as(t, "c"), &pb.TrustDirectoryRequest{Directory: "/x", Inspect: true})
	if r := got.GetReview(); err != nil || r.GetDirectory() != "/x" || r.GetDigest() != "d" || !r.GetKnown() || len(r.GetFindings()) != 1 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := client.TrustDirectory(as(t, "c"), &pb.TrustDirectoryRequest{Inspect: true}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("inspect nothing: %v", err)
	}
}

func TestTestRules(t *testing.T) {
	asker := &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		switch r := r.(type) {
		case messages.ListSessions:
			if r.Offset > 0 {
				return messages.SessionList{}, nil
			}
			return messages.SessionList{Sessions: []messages.SessionRecord{{ID: "gone"}, {ID: sessionA}}}, nil
		case messages.TestRules:
			if r.Session == "gone" {
				return nil, messages.Errorf("x", messages.NotFound, "gone")
			}
			err := r.Found(messages.TestedCall{Seq: 7, Tool: "Bash", Was: "DENY", By: "ann", Effect: "allow", Rules: r.Rules.Allow})
			return messages.RulesTested{Calls: 1, Problems: r.Rules.Deny}, err
		}
		return nil, nil
	}}
	conn, _ := serve(t, asker)
	for _, session := range []string{"", sessionA} {
		stream := must[pb.AdminService_TestRulesClient](t)(pb.NewAdminServiceClient(conn).TestRules(as(t, "c"), &pb.TestRulesRequest{
			SessionId: session, Allow: []string{"Bash"}, Deny: []string{"Read"},
		}))
		call, summary := must[*pb.TestRulesResponse](t)(stream.Recv()), must[*pb.TestRulesResponse](t)(stream.Recv())
		if call.GetSessionId() != sessionA || call.GetSequence() != 7 || call.GetResolvedBy() != "ann" || call.GetRules()[0] != "Bash" {
			t.Errorf("call %v", call)
		}
		if summary.GetSessionId() != "" || summary.GetCalls() != 1 || summary.GetProblems()[0] != "Read" {
			t.Errorf("summary %v", summary)
		}
	}
	stream := must[pb.AdminService_TestRulesClient](t)(pb.NewAdminServiceClient(conn).TestRules(as(t, "c"), &pb.TestRulesRequest{Ask: []string{" "}}))
	if _, err := stream.Recv(); status.Code(err) != codes.InvalidArgument {
		t.Errorf("an empty rule: %v", err)
	}
}
