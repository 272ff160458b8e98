package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/eventtest"
	pb "betcode/proto/betcode/v1"
)

const (
	sessionA = "3f2a0000-0000-4000-8000-000000000001"
	sessionB = "7c810000-0000-4000-8000-000000000002"
)

// fakeDaemon answers with the fields that a test sets.
type fakeDaemon struct {
	pb.UnimplementedAgentServiceServer
	pb.UnimplementedAdminServiceServer
	pb.UnimplementedVersionServiceServer
	pb.UnimplementedBetCodeHealthServer

	socket   string
	server   *grpc.Server
	sessions []*pb.SessionSummary
	pending  []*pb.PendingPermission
	show     *pb.ShowSessionResponse
	health   *pb.HealthDetailsResponse
	gitlab   pb.GitLabServiceServer
	commands pb.CommandServiceServer
	talk     func(d *fakeDaemon, s *script) error

	mu       sync.Mutex
	starts   []*pb.StartConversation
	before   map[string]*pb.AnswerPermissionResponse // decisions about requests that are no longer pending
	answered []*pb.AnswerPermissionRequest
	calls    []string
}

// serveFake starts d on a socket and points the environment of the test at it.
func serveFake(t *testing.T, d *fakeDaemon) *fakeDaemon {
	t.Helper()
	isolate(t)
	d.socket = os.Getenv("BETCODE_SOCKET")
	l, err := net.Listen("unix", d.socket)
	if err != nil {
		t.Fatal(err)
	}
	d.server = grpc.NewServer()
	pb.RegisterAgentServiceServer(d.server, d)
	pb.RegisterAdminServiceServer(d.server, d)
	pb.RegisterVersionServiceServer(d.server, d)
	pb.RegisterBetCodeHealthServer(d.server, d)
	if d.commands != nil {
		pb.RegisterCommandServiceServer(d.server, d.commands)
	}
	if d.gitlab != nil {
		pb.RegisterGitLabServiceServer(d.server, d.gitlab)
	}
	healthpb.RegisterHealthServer(d.server, health.NewServer())
	go d.server.Serve(l)
	t.Cleanup(d.server.Stop)
	return d
}

// isolate keeps a test away from the user's own files and daemon.
func isolate(t *testing.T) {
	t.Helper()
	parent := os.TempDir()
	if len(parent) > 60 {
		parent = "/tmp" // a socket's path has 107 bytes
	}
	dir, err := os.MkdirTemp(parent, "bc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "BETCODE_") || strings.HasPrefix(name, "XDG_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HOME", dir)
	t.Setenv("BETCODE_SOCKET", filepath.Join(dir, "s"))
}

func (d *fakeDaemon) call(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, name)
}

func (d *fakeDaemon) find(ref string) (*pb.SessionSummary, error) {
	for _, s := range d.sessions {
		if strings.HasPrefix(s.GetId(), ref) || s.GetName() == ref {
			return s, nil
		}
	}
	if len(ref) == len(sessionA) { // made by the client itself
		return &pb.SessionSummary{Id: ref, Status: "active"}, nil
	}
	return nil, catalogued(codes.NotFound, "SESSION_NOT_FOUND", `resolve session: there is no session "`+ref+`".`)
}

// catalogued is an error as the gateway makes it.
func catalogued(c codes.Code, reason, message string) error {
	s, err := status.New(c, message).WithDetails(&errdetails.ErrorInfo{Reason: reason, Domain: "betcode"})
	if err != nil {
		return err
	}
	return s.Err()
}

func (d *fakeDaemon) ListSessions(_ context.Context, r *pb.ListSessionsRequest) (*pb.ListSessionsResponse, error) {
	d.call("list " + r.GetWorkingDirectory())
	out := &pb.ListSessionsResponse{}
	for _, s := range d.sessions {
		if r.GetWorkingDirectory() == "" || r.GetWorkingDirectory() == s.GetWorkingDirectory() {
			out.Sessions = append(out.Sessions, s)
		}
	}
	out.Total = uint32(len(out.Sessions))
	if n := int(r.GetLimit()); n > 0 && n < len(out.Sessions) {
		out.Sessions = out.Sessions[:n]
	}
	return out, nil
}

func (d *fakeDaemon) Resolve(_ context.Context, r *pb.ResolveRequest) (*pb.ResolveResponse, error) {
	s, err := d.find(r.GetRef())
	return &pb.ResolveResponse{SessionId: s.GetId()}, err
}

func (d *fakeDaemon) ShowSession(_ context.Context, r *pb.ShowSessionRequest) (*pb.ShowSessionResponse, error) {
	if d.show != nil {
		return d.show, nil
	}
	s, err := d.find(r.GetSessionId())
	return &pb.ShowSessionResponse{Summary: s}, err
}

func (d *fakeDaemon) RenameSession(_ context.Context, r *pb.RenameSessionRequest) (*pb.RenameSessionResponse, error) {
	d.call("rename " + r.GetSessionId() + " " + r.GetName())
	return &pb.RenameSessionResponse{}, nil
}

func (d *fakeDaemon) StopSession(_ context.Context, r *pb.StopSessionRequest) (*pb.StopSessionResponse, error) {
	d.call("stop " + r.GetSessionId())
	return &pb.StopSessionResponse{}, nil
}

func (d *fakeDaemon) ContinueSession(_ context.Context, r *pb.ContinueSessionRequest) (*pb.ContinueSessionResponse, error) {
	d.call("resume " + r.GetSessionId())
	return &pb.ContinueSessionResponse{}, nil
}

func (d *fakeDaemon) RestartSession(_ context.Context, r *pb.RestartSessionRequest) (*pb.RestartSessionResponse, error) {
	d.call("restart " + r.GetSessionId())
	return &pb.RestartSessionResponse{Queued: true}, nil
}

func (d *fakeDaemon) ForkSession(_ context.Context, r *pb.ForkSessionRequest) (*pb.ForkSessionResponse, error) {
	d.call("fork " + r.GetSessionId() + " as " + r.GetName())
	return &pb.ForkSessionResponse{SessionId: "new", Origin: &pb.ForkOrigin{SessionId: r.GetSessionId(), Sequence: 7}}, nil
}

func (d *fakeDaemon) DeleteSession(_ context.Context, r *pb.DeleteSessionRequest) (*pb.DeleteSessionResponse, error) {
	d.call("delete " + r.GetSessionId())
	return &pb.DeleteSessionResponse{Deleted: true}, nil
}

func (d *fakeDaemon) ExplainPermission(_ context.Context, r *pb.ExplainPermissionRequest) (*pb.ExplainPermissionResponse, error) {
	return &pb.ExplainPermissionResponse{Effect: "none", Why: r.GetToolName() + " " + r.GetArgument() + r.GetSessionId(), Rules: []string{"allow x"}, Problems: []string{"y"}}, nil
}

func (d *fakeDaemon) TrustDirectory(_ context.Context, r *pb.TrustDirectoryRequest) (*pb.TrustDirectoryResponse, error) {
	answer := &pb.TrustDirectoryResponse{Directories: []string{"/trusted", r.GetDirectory()}}
	if r.GetInspect() {
		answer.Review = reviewOf(r.GetDirectory())
	} else if r.GetDirectory() != "" && !r.GetRemove() && r.GetDigest() != "seen" {
		return nil, status.Error(codes.Aborted, "not what was reviewed")
	}
	return answer, nil
}

func (d *fakeDaemon) ListPermissions(context.Context, *pb.ListPermissionsRequest) (*pb.ListPermissionsResponse, error) {
	return &pb.ListPermissionsResponse{Permissions: d.pending}, nil
}

func (d *fakeDaemon) AnswerPermission(_ context.Context, r *pb.AnswerPermissionRequest) (*pb.AnswerPermissionResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if before := d.before[r.GetRequestId()]; before != nil {
		return before, nil
	}
	if !slices.ContainsFunc(d.pending, func(p *pb.PendingPermission) bool { return p.GetRequestId() == r.GetRequestId() }) && len(d.pending) > 0 {
		return nil, status.Error(codes.NotFound, "nothing pending")
	}
	d.answered = append(d.answered, r)
	return &pb.AnswerPermissionResponse{Applied: len(d.answered) == 1, ResolvedBy: "web"}, nil
}

func (d *fakeDaemon) GetTree(context.Context, *pb.GetTreeRequest) (*pb.TreeNode, error) {
	return exampleTree(), nil
}

func (d *fakeDaemon) GetVersion(context.Context, *pb.GetVersionRequest) (*pb.GetVersionResponse, error) {
	return &pb.GetVersionResponse{ApiVersion: "v1", ServerVersion: "9.9.9"}, nil
}

func (d *fakeDaemon) GetHealthDetails(context.Context, *pb.HealthDetailsRequest) (*pb.HealthDetailsResponse, error) {
	if d.health == nil {
		return exampleHealth(), nil
	}
	return d.health, nil
}

func (d *fakeDaemon) Shutdown(context.Context, *pb.ShutdownRequest) (*pb.ShutdownResponse, error) {
	go d.server.Stop()
	return &pb.ShutdownResponse{}, nil
}

func (d *fakeDaemon) Converse(stream grpc.BidiStreamingServer[pb.AgentRequest, pb.AgentEvent]) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.starts = append(d.starts, first.GetStart())
	d.mu.Unlock()
	return d.talk(d, &script{stream: stream, start: first.GetStart(), seq: first.GetStart().GetFromSequence()})
}

// script is the daemon's side of a conversation, with methods for tests.
type script struct {
	stream grpc.BidiStreamingServer[pb.AgentRequest, pb.AgentEvent]
	start  *pb.StartConversation
	seq    uint64
}

// next returns the next request of the client; an empty one after the last.
func (s *script) next() *pb.AgentRequest {
	r, err := s.stream.Recv()
	if err != nil {
		return &pb.AgentRequest{}
	}
	return r
}

// accept takes a message and acknowledges it.
func (s *script) accept() (content, key string) {
	m := s.next().GetMessage()
	s.send(&pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: m.GetContent(), IdempotencyKey: m.GetIdempotencyKey()}}})
	return m.GetContent(), m.GetIdempotencyKey()
}

// send journals events and sends them.
func (s *script) send(events ...*pb.AgentEvent) {
	for _, e := range events {
		s.seq++
		e.Sequence = s.seq
		_ = s.stream.Send(e)
	}
}

// wait keeps the stream open until the client disconnects or half-closes.
func (s *script) wait() error {
	for {
		if _, err := s.stream.Recv(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// turnOf is an ordinary turn.
func turnOf(texts ...string) func(*fakeDaemon, *script) error {
	return func(_ *fakeDaemon, s *script) error {
		_, key := s.accept()
		s.send(eventtest.Status(pb.AgentStatus_THINKING))
		for _, text := range texts {
			s.send(eventtest.Text(text))
		}
		s.send(eventtest.TurnOver(key)...)
		return s.wait()
	}
}

func exampleTree() *pb.TreeNode {
	return &pb.TreeNode{Name: "daemon", State: "running", Children: []*pb.TreeNode{
		{Name: "journal", State: "running", Mailbox: 2},
		{Name: "sessions", State: "running", Children: []*pb.TreeNode{
			{
				Name: "session/3f2a", State: "backing off", Restarts: 2, BackoffMsLeft: 1500, LastError: "boom\x1b[2J",
				Details: map[string]string{"phase": "idle", "head": "7"},
			},
		}},
	}}
}

func exampleHealth() *pb.HealthDetailsResponse {
	return &pb.HealthDetailsResponse{
		OverallStatus: pb.ServingStatus_SERVING, Degraded: true, DegradedReason: "Relay tunnel not connected. Remote access unavailable.",
		Components: []*pb.ComponentHealth{
			{Name: "subprocess_pool", Status: pb.ServingStatus_SERVING, Message: "3/5 slots used"},
			{Name: "sqlite", Status: pb.ServingStatus_SERVING},
			{Name: "local_server", Status: pb.ServingStatus_SERVING},
			{Name: "tunnel", Status: pb.ServingStatus_NOT_SERVING, Message: "relay connection failed, retrying"},
		},
		Metadata: map[string]string{"uptime_seconds": "9240", "version": "0.1.0-alpha.1", "degraded_states": "relay_down,agents_frozen"},
	}
}

func exampleSessions(dir string) []*pb.SessionSummary {
	at := timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	return []*pb.SessionSummary{
		{
			Id: sessionA, Name: "demo", Status: "idle", Model: "opus", MessageCount: 4, TotalCostUsd: 0.5,
			CreatedAt: at, UpdatedAt: at, WorkingDirectory: dir, LastMessagePreview: "done\tand done",
		},
		{Id: sessionB, Status: "active", WorkingDirectory: "/elsewhere", UpdatedAt: at},
	}
}

// testBuild is the build of the program in tests.
var testBuild = Build{Version: "dev", Commit: "unknown", Date: "unknown"}

// command runs the program as a shell would.
func command(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	code = Run(ctx, testBuild, append([]string{"betcode"}, args...), strings.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

// refuse refuses a request, as the daemon does: by an event that is not journaled.
func (s *script) refuse(code, message, key string) {
	details := map[string]string{}
	if key != "" {
		details["idempotency_key"] = key
	}
	_ = s.stream.Send(&pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{Code: code, Message: message, Details: details}}})
}
