package grpcapi

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// A token without the scope that floods Shutdown is limited before anything is logged, and causes two entries.
func TestFloodOfRefusedCalls(t *testing.T) {
	tokens, audit := &fakeTokens{}, &fakeAudit{}
	tokens.Create(messages.Token{Name: "v", Rights: messages.MayView})
	var log logBuffer
	logger := zerolog.New(&log)
	s, dial := serveTCPServer(t, Options{Asker: &fakeAsker{}, Tokens: tokens, Audit: audit, Logger: &logger, Limits: auth.Limits{PerSecond: 0.001, Burst: 20}})
	admin := pb.NewAdminServiceClient(dial())
	counted := map[codes.Code]int{}
	for i := range 200 { // another client each time
		_, err := admin.Shutdown(bearing(t, fmt.Sprint("c", i), "v"), &pb.ShutdownRequest{})
		counted[status.Code(err)]++
	}
	if counted[codes.PermissionDenied] != 20 || counted[codes.ResourceExhausted] != 180 {
		t.Errorf("%v", counted)
	}
	if entries := audit.recorded(); len(entries) != 1 || entries[0].Type != messages.AuditAdmin || entries[0].Outcome != messages.OutcomeDenied {
		t.Errorf("%+v", entries)
	}
	s.interceptor.Close()
	if entries := audit.recorded(); len(entries) != 3 { // one summary for each type
		t.Errorf("%+v", entries)
	}
	if lines := strings.Count(log.String(), "\n"); lines != 2 {
		t.Errorf("%d lines: %s", lines, &log)
	}
}

// The process of a caller that only checks health, or has no valid token, is not looked up. That of
// a caller with a valid token is, once per connection.
func TestAncestryIsLookedUpBehindTheToken(t *testing.T) {
	tokens := &fakeTokens{}
	tokens.Create(messages.Token{Name: "a", Rights: messages.MayEverything})
	var asked atomic.Int64
	_, dial := serveTCP(t, Options{Asker: &fakeAsker{}, Tokens: tokens, TCP: auth.TCPOptions{Restricted: func(_, _ netip.AddrPort) (bool, error) {
		asked.Add(1)
		return false, nil
	}}})
	conn := dial()
	agent := pb.NewAgentServiceClient(conn)
	must[*healthpb.HealthCheckResponse](t)(healthpb.NewHealthClient(conn).Check(as(t, "c"), &healthpb.HealthCheckRequest{}))
	if _, err := agent.ListSessions(bearing(t, "c", "wrong"), &pb.ListSessionsRequest{}); status.Code(err) != codes.Unauthenticated || asked.Load() != 0 {
		t.Errorf("%v, asked %d times", err, asked.Load())
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := agent.ListSessions(bearing(t, "c", "a"), &pb.ListSessionsRequest{}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
}

// A connection without calls is neither looked up nor logged. Repeated connections of agents are logged once.
func TestConnectionsLeaveNoLines(t *testing.T) {
	var log logBuffer
	logger := zerolog.New(&log)
	var asked atomic.Int64
	s := New(Options{Asker: &fakeAsker{}, Logger: &logger, Restricted: func(int) (bool, error) {
		asked.Add(1)
		return true, nil
	}})
	s.SetReady(true)
	socket := socketPath(t)
	l := must[net.Listener](t)(net.Listen("unix", socket))
	go s.Serve(l)
	for range 5 {
		conn := must[*grpc.ClientConn](t)(grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials())))
		must[*healthpb.HealthCheckResponse](t)(healthpb.NewHealthClient(conn).Check(as(t, "c"), &healthpb.HealthCheckRequest{}))
		must[*pb.ListSessionsResponse](t)(pb.NewAgentServiceClient(conn).ListSessions(as(t, "c"), &pb.ListSessionsRequest{}))
		conn.Close()
	}
	s.Shutdown(as(t, ""))
	if n := strings.Count(log.String(), "it descends from an agent"); n > 1 {
		t.Errorf("%d lines: %s", n, &log)
	}
	if n := asked.Load(); n > 5 {
		t.Errorf("asked %d times", n)
	}
}
