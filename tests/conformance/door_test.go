package conformance

import (
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	pb "betcode/proto/betcode/v1"
)

// doorStories are about who comes in.
var doorStories = []story{
	{name: "tcp", env: []string{"BETCODE_LISTEN_TCP=127.0.0.1:0"}, run: tcp},
}

// tcp: callers without a token are refused; probes need none.
func tcp(s *stage) {
	address := fmt.Sprint(s.logged("daemon listens on TCP")["address"])
	conn, err := grpc.NewClient(address, append(s.record.options(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	s.must(err)
	defer conn.Close()
	_, err = pb.NewAgentServiceClient(conn).ListSessions(s.Context(), &pb.ListSessionsRequest{})
	s.refused(err, codes.Unauthenticated, "token")
	probe, err := healthpb.NewHealthClient(conn).Check(s.Context(), &healthpb.HealthCheckRequest{Service: "AgentService"})
	s.must(err)
	if probe.GetStatus() != healthpb.HealthCheckResponse_SERVING {
		s.Errorf("probed: %v", probe)
	}
}
