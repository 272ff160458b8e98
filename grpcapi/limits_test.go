package grpcapi

import (
	"strconv"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// A client over the limit is told when to retry. Other clients, answers and probes are not
// affected, and the refusals are logged once.
func TestRateLimit(t *testing.T) {
	audit := &fakeAudit{}
	conn, _ := serveOptions(t, Options{Asker: &fakeAsker{}, Audit: audit, Limits: auth.Limits{PerSecond: 0.001, Burst: 2}})
	agent, admin := pb.NewAgentServiceClient(conn), pb.NewAdminServiceClient(conn)
	list := func(client string) error {
		_, err := agent.ListSessions(as(t, client), &pb.ListSessionsRequest{})
		return err
	}
	var err error
	for range 4 {
		err = list("wild")
	}
	if status.Code(err) != codes.ResourceExhausted {
		t.Fatalf("%v", err)
	}
	var told, retry bool
	for _, d := range status.Convert(err).Details() {
		switch d := d.(type) {
		case *errdetails.ErrorInfo:
			told = d.GetReason() == "RATE_LIMITED" && d.GetMetadata()["retry_after_ms"] != ""
		case *errdetails.RetryInfo:
			retry = d.GetRetryDelay().AsDuration() > time.Second
		}
	}
	if !told || !retry {
		t.Errorf("%v", status.Convert(err).Details())
	}
	if err := list("other"); err != nil {
		t.Errorf("another client: %v", err)
	}
	for range 5 {
		must[*healthpb.HealthCheckResponse](t)(healthpb.NewHealthClient(conn).Check(as(t, "wild"), &healthpb.HealthCheckRequest{}))
		if _, err := admin.AnswerPermission(as(t, "wild"), &pb.AnswerPermissionRequest{SessionId: sessionA, RequestId: "r", Decision: pb.PermissionDecision_ALLOW_ONCE}); err != nil {
			t.Errorf("an answer: %v", err)
		}
	}
	entries := audit.recorded()
	if len(entries) != 1 || entries[0].Type != messages.AuditRateLimited || entries[0].ActorID != "wild" {
		t.Errorf("%+v", entries)
	}
}

// Requests on a stream are counted one by one, and the stream stays open.
func TestRateLimitOnAStream(t *testing.T) {
	asker := &fakeAsker{stream: newFakeStream()}
	conn, _ := serveOptions(t, Options{Asker: asker, Limits: auth.Limits{PerSecond: 0.001, Burst: 3}})
	stream := must[grpc.BidiStreamingClient[pb.AgentRequest, pb.AgentEvent]](t)(pb.NewAgentServiceClient(conn).Converse(as(t, "c")))
	start := &pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: &pb.StartConversation{SessionId: sessionA, WorkingDirectory: "/"}}}
	say := &pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{Content: "hello"}}}
	for _, r := range []*pb.AgentRequest{start, say, say} { // the call itself was the first
		if err := stream.Send(r); err != nil {
			t.Fatal(err)
		}
	}
	if e := must[*pb.AgentEvent](t)(stream.Recv()); e.GetError().GetCode() != "RATE_LIMITED" || e.GetError().GetIsFatal() || e.GetError().GetDetails()["retry_after_ms"] == "" {
		t.Errorf("%v", e)
	}
}

// Repeated calls without a token are not logged each time, and a valid token is still admitted.
func TestFailuresAreLimited(t *testing.T) {
	tokens, audit := &fakeTokens{}, &fakeAudit{}
	tokens.Create(messages.Token{Name: "a", Rights: messages.MayEverything})
	s, dial := serveTCPServer(t, Options{Asker: &fakeAsker{}, Tokens: tokens, Audit: audit})
	agent := pb.NewAgentServiceClient(dial())
	counted := map[codes.Code]int{}
	for range 3 * auth.FailuresBurst {
		_, err := agent.ListSessions(bearing(t, "c", "wrong"), &pb.ListSessionsRequest{})
		counted[status.Code(err)]++
	}
	if counted[codes.Unauthenticated] < auth.FailuresBurst || counted[codes.ResourceExhausted] == 0 || len(counted) != 2 {
		t.Errorf("%v", counted)
	}
	if _, err := agent.ListSessions(bearing(t, "c", "a"), &pb.ListSessionsRequest{}); err != nil {
		t.Errorf("with a right token: %v", err)
	}
	written := func() (types, calls map[messages.AuditType]int) {
		types, calls = map[messages.AuditType]int{}, map[messages.AuditType]int{}
		for _, e := range audit.recorded() {
			more, _ := strconv.Atoi(e.Context["calls"])
			types[e.Type]++
			calls[e.Type] += max(more, 1)
		}
		return types, calls
	}
	if types, _ := written(); types[messages.AuditAuthFailure] != 1 || types[messages.AuditRateLimited] != 0 {
		t.Errorf("before the summary: %v", types)
	}
	s.interceptor.Close()
	types, calls := written()
	if types[messages.AuditAuthFailure] != 2 || types[messages.AuditRateLimited] != 1 {
		t.Errorf("with the summary: %v", types)
	}
	if calls[messages.AuditAuthFailure] != counted[codes.Unauthenticated] || calls[messages.AuditRateLimited] != counted[codes.ResourceExhausted] {
		t.Errorf("calls %v, want %v", calls, counted)
	}
}
