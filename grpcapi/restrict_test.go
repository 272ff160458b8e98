package grpcapi

import (
	"context"
	"errors"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// callerIs is credentials that give every caller the same restriction.
type callerIs struct {
	credentials.TransportCredentials
	restriction auth.Restriction
}

func (c callerIs) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return conn, auth.AuthInfo{
		CommonAuthInfo: credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity},
		Peer:           auth.Peer{PID: 1, Connection: "x"}.RestrictedBy(func() auth.Restriction { return c.restriction }),
	}, nil
}

func (c callerIs) Clone() credentials.TransportCredentials { return c }

// serveAs returns a connection whose caller has a restriction.
func serveAs(t *testing.T, a handler.Asker, r auth.Restriction) (*grpc.ClientConn, *Server) {
	t.Helper()
	return serveCaller(t, Options{Asker: a}, r)
}

// serveCaller is serveAs with other options.
func serveCaller(t *testing.T, o Options, r auth.Restriction) (*grpc.ClientConn, *Server) {
	t.Helper()
	o.Credentials = callerIs{insecure.NewCredentials(), r}
	s := New(o)
	s.SetReady(true)
	l := bufconn.Listen(1 << 20)
	go s.Serve(l)
	conn, err := grpc.NewClient("passthrough:///test", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); s.Shutdown(as(t, "")) })
	return conn, s
}

// Every RPC has a row in the table of rights. Restricted callers are denied all calls that
// need more than the right to view.
func TestEveryCallHasARule(t *testing.T) {
	conn, s := serveAs(t, &fakeAsker{}, auth.BelowAgent)
	known := map[string]bool{}
	for service, info := range s.grpc.GetServiceInfo() {
		for _, m := range info.Methods {
			method := "/" + service + "/" + m.Name
			known[method], known["/"+service+"/"] = true, true
			need, decided := auth.Needs(method)
			if !decided {
				t.Errorf("%s: the table of rights has no row for it", method)
			}
			if need == auth.Anyone || need&messages.MayView != 0 {
				continue
			}
			stream, err := conn.NewStream(as(t, "c"), &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, method)
			if err == nil {
				_ = stream.SendMsg(&pb.GetTreeRequest{}) // has no fields, so it decodes as any request
				_ = stream.CloseSend()
				err = stream.RecvMsg(&pb.ShutdownResponse{})
			}
			if status.Code(err) != codes.PermissionDenied || !strings.Contains(err.Error(), "agent") {
				t.Errorf("%s: %v", method, err)
			}
		}
	}
	for _, method := range auth.Methods() {
		if !known[method] && !strings.Contains(method, "v1alpha") {
			t.Errorf("no service has the method %s", method)
		}
	}
	for _, unknown := range []string{"/betcode.v1.AdminService/Later", "/x/y", "/", "/betcode.v1.AgentService/"} {
		if _, decided := auth.Needs(unknown); decided {
			t.Errorf("%s is in the table", unknown)
		}
	}
}

func TestRestrictedViews(t *testing.T) {
	for name, r := range map[string]auth.Restriction{"below an agent": auth.BelowAgent, "unknown": auth.Unknown, "free": auth.Unrestricted} {
		t.Run(name, func(t *testing.T) {
			asker := &fakeAsker{stream: newFakeStream()}
			asker.stream.end <- nil
			conn, _ := serveAs(t, asker, r)
			agent, admin := pb.NewAgentServiceClient(conn), pb.NewAdminServiceClient(conn)
			must[*pb.ListSessionsResponse](t)(agent.ListSessions(as(t, "c"), &pb.ListSessionsRequest{}))
			must[*pb.ListPermissionsResponse](t)(admin.ListPermissions(as(t, "c"), &pb.ListPermissionsRequest{}))
			must[*pb.ResolveResponse](t)(admin.Resolve(as(t, "c"), &pb.ResolveRequest{Ref: "@last"}))
			must[*healthpb.HealthCheckResponse](t)(healthpb.NewHealthClient(conn).Check(as(t, "c"), &healthpb.HealthCheckRequest{}))
			stream := must[grpc.ServerStreamingClient[pb.AgentEvent]](t)(agent.ResumeSession(as(t, "c"), &pb.ResumeSessionRequest{SessionId: sessionA}))
			if _, _, err := readAll(t, stream); err != nil {
				t.Error(err)
			}
			before := len(asker.saw())
			_, err := admin.AnswerPermission(as(t, "c"), &pb.AnswerPermissionRequest{
				SessionId: sessionA, RequestId: "r", Decision: pb.PermissionDecision_ALLOW_ONCE,
			})
			want := codes.PermissionDenied
			if r == auth.Unrestricted {
				want = codes.OK
			}
			if status.Code(err) != want {
				t.Errorf("answer: %v", err)
			}
			if asked := len(asker.saw()) > before; asked != (r == auth.Unrestricted) {
				t.Errorf("the daemon was asked: %v", asked)
			}
		})
	}
}

// Over a real Unix socket Restricted is called once per connection, with the pid of the
// process that connects.
func TestRestricted(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not report the process of a connection")
	}
	for name, test := range map[string]struct {
		below bool
		err   error
		want  codes.Code
	}{
		"a person": {false, nil, codes.OK},
		"an agent": {true, nil, codes.PermissionDenied},
		"unknown":  {false, errors.New("no such process"), codes.PermissionDenied},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []int
			var log logBuffer
			logger := zerolog.New(&log)
			s := New(Options{Asker: &fakeAsker{}, Logger: &logger, Restricted: func(pid int) (bool, error) {
				asked = append(asked, pid)
				return test.below, test.err
			}})
			socket := socketPath(t)
			l := must[net.Listener](t)(net.Listen("unix", socket))
			go s.Serve(l)
			conn := must[*grpc.ClientConn](t)(grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials())))
			for range 3 {
				_, err := pb.NewAgentServiceClient(conn).CancelTurn(as(t, "c"), &pb.CancelTurnRequest{SessionId: sessionA})
				if status.Code(err) != test.want {
					t.Errorf("%v, want %v", err, test.want)
				}
			}
			conn.Close()
			s.Shutdown(as(t, ""))
			if len(asked) != 1 || asked[0] != os.Getpid() {
				t.Errorf("asked about %v", asked)
			}
			if said := strings.Contains(log.String(), "may only view"); said != (test.want != codes.OK) {
				t.Errorf("log: %s", &log)
			}
		})
	}
}
