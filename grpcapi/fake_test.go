package grpcapi

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/test/bufconn"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// logBuffer is a log that may be read while it is written: a call's last line may be written after
// its caller has the status.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) Bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.text.Bytes())
}

func (b *logBuffer) String() string { return string(b.Bytes()) }

const (
	sessionA  = "3f2a0000-0000-4000-8000-000000000001"
	elsewhere = "22222222-2222-4222-8222-222222222222"
	keyA      = "aaaa0000-0000-4000-8000-000000000001"
)

// fakeAsker answers with functions. Without a function it answers with the zero value of the right reply.
type fakeAsker struct {
	mu       sync.Mutex
	asked    []messages.Request
	attached []messages.Attach

	answer func(messages.Request) (messages.Reply, error) // nil, nil = the zero value
	stream *fakeStream
}

func (f *fakeAsker) Ask(_ context.Context, r messages.Request) (messages.Reply, error) {
	f.mu.Lock()
	f.asked = append(f.asked, r)
	answer := f.answer
	f.mu.Unlock()
	if answer != nil {
		if reply, err := answer(r); reply != nil || err != nil {
			return reply, err
		}
	}
	switch r := r.(type) {
	case messages.StartSession:
		return messages.SessionStarted{}, nil
	case messages.SendInput:
		return messages.InputAcknowledged{Key: r.Key}, nil
	case messages.AnswerPermission:
		return messages.PermissionAnswered{Applied: true}, nil
	case messages.CancelTurn:
		return messages.TurnCanceling{WasActive: true}, nil
	case messages.TakeLock, messages.ReleaseLock, messages.RefuseLock:
		return messages.LockAnswer{Granted: true}, nil
	case messages.GetSession:
		return messages.SessionView{}, nil
	case messages.ListSessions:
		return messages.SessionList{}, nil
	case messages.ExplainPermission:
		return messages.PermissionExplained{Effect: "allow", Rules: []string{"allow " + r.Tool}, Why: r.Argument + string(r.Input) + " in " + r.WorkingDirectory, Known: 3, Problems: []string{"p"}}, nil
	case messages.ReviewDirectory:
		return messages.DirectoryReview{Directory: r.Directory, Digest: "d", Known: true, Findings: []messages.DirectoryFinding{{Kind: "hook", Path: "/p", Text: "t"}}}, nil
	case messages.TrustDirectory:
		return messages.TrustedDirectories{Directories: []string{r.Directory, strconv.FormatBool(r.Trusted)}}, nil
	case messages.ListPermissions:
		return messages.PermissionList{}, nil
	case messages.ResolveSession:
		return messages.SessionResolved{Session: sessionA}, nil
	case messages.StopSession:
		return messages.SessionStopped{}, nil
	case messages.GetHealth:
		return messages.HealthView{}, nil
	case messages.GetTree:
		return messages.TreeNode{}, nil
	case messages.GetAgentReports:
		return messages.AgentReports{}, nil
	default:
		return messages.Done{}, nil
	}
}

func (f *fakeAsker) Attach(_ context.Context, a messages.Attach) (handler.Stream, messages.Attached, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.attached = append(f.attached, a)
	if f.stream == nil {
		f.stream = newFakeStream()
	}
	return f.stream, messages.Attached{}, nil
}

// saw returns the requests so far.
func (f *fakeAsker) saw() []messages.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]messages.Request(nil), f.asked...)
}

func (f *fakeAsker) sawAttach() []messages.Attach {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]messages.Attach(nil), f.attached...)
}

// serve starts a server over an in-memory listener and returns a connection to it.
func serve(t testing.TB, a handler.Asker) (*grpc.ClientConn, *Server) {
	t.Helper()
	return serveOptions(t, Options{Asker: a, Version: "1.2.3"})
}

// serveOptions is serve with other options; callers have every right.
func serveOptions(t testing.TB, o Options) (*grpc.ClientConn, *Server) {
	t.Helper()
	o.Credentials = insecure.NewCredentials()
	s := New(o)
	s.SetReady(true)
	l := bufconn.Listen(1 << 20)
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	conn, err := grpc.NewClient("passthrough:///test", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("shut down: %v", err)
		}
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return conn, s
}

// serveFeature serves a fake asker with a feature on.
func serveFeature(t *testing.T, feature string, answer func(messages.Request) (messages.Reply, error)) (*grpc.ClientConn, *fakeAsker) {
	t.Helper()
	asker := &fakeAsker{answer: answer}
	conn, _ := serveOptions(t, Options{Asker: asker, Features: func() map[string]bool { return map[string]bool{feature: true} }})
	return conn, asker
}

// socketPath returns a path in a directory with a short name, because the path of a socket has at most 107 bytes.
func socketPath(t testing.TB) string {
	t.Helper()
	parent := os.TempDir()
	if len(parent) > 60 {
		parent = "/tmp"
	}
	dir, err := os.MkdirTemp(parent, "bc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// as returns a context with a client id.
func as(t testing.TB, client string) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return metadata.AppendToOutgoingContext(ctx, auth.ClientIDKey, client)
}

func startRequest(s *pb.StartConversation) *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: s}}
}

func messageRequest(text, key string) *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{Content: text, IdempotencyKey: key}}}
}

// must fails the test on an error.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// grpcStream names the interface that a fake embeds.
type grpcStream = grpc.ServerStream
