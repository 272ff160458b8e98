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
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

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
		case messages.Idempotent:
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
	again := metadata.AppendToOutgoingContext(ctx, auth.IdempotencyKey, keyA)
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
