package grpcapi

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"betcode/grpcapi/handler"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// serveSmall serves with a limit for requests, and connects with options.
func serveSmall(t *testing.T, a handler.Asker, limit int, options ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	s := New(Options{Asker: a, MaxMessageBytes: limit, Credentials: insecure.NewCredentials()})
	l := bufconn.Listen(1 << 20)
	go s.Serve(l)
	conn, err := grpc.NewClient("passthrough:///test", append(options, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		if err := s.Shutdown(as(t, "")); err != nil {
			t.Errorf("shut down: %v", err)
		}
	})
	return conn
}

// compressions records the compression of answers, by method.
type compressions struct {
	mu   sync.Mutex
	seen map[string]string
}

type methodKey struct{}

func (c *compressions) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	return context.WithValue(ctx, methodKey{}, info.FullMethodName)
}

func (c *compressions) HandleRPC(ctx context.Context, s stats.RPCStats) {
	if header, ok := s.(*stats.InHeader); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.seen[ctx.Value(methodKey{}).(string)] = header.Compression
	}
}

func (c *compressions) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (c *compressions) HandleConn(context.Context, stats.ConnStats)                       {}

// A client that compresses gets compressed answers, on streams too; others do not.
func TestCompression(t *testing.T) {
	for _, want := range []string{"", gzip.Name} {
		asker := &fakeAsker{stream: newFakeStream()}
		seen := &compressions{seen: map[string]string{}}
		options := []grpc.DialOption{grpc.WithStatsHandler(seen)}
		if want != "" {
			options = append(options, grpc.WithDefaultCallOptions(grpc.UseCompressor(want)))
		}
		conn := serveSmall(t, asker, 1<<20, options...)
		must[*pb.ListSessionsResponse](t)(pb.NewAgentServiceClient(conn).ListSessions(t.Context(), &pb.ListSessionsRequest{}))
		stream := converse(t, conn, &pb.StartConversation{SessionId: sessionA})
		text := strings.Repeat("all work and no play ", 1000)
		asker.stream.batches <- []messages.Event{textEvent(t, 1, text)}
		event, err := stream.Recv()
		if err != nil || event.GetTextDelta().GetText() != text {
			t.Fatalf("%q: %v, %v", want, event, err)
		}
		seen.mu.Lock()
		for _, method := range []string{"ListSessions", "Converse"} {
			if got, there := seen.seen["/betcode.v1.AgentService/"+method]; got != want || !there {
				t.Errorf("%s is answered with %q, want %q", method, got, want)
			}
		}
		seen.mu.Unlock()
	}
}

// gRPC itself refuses a request above the limit, and ends the stream.
func TestTooLargeRequests(t *testing.T) {
	asker := &fakeAsker{stream: newFakeStream()}
	conn := serveSmall(t, asker, 64<<10)
	large := strings.Repeat("x", 100<<10)
	err := second(pb.NewAgentServiceClient(conn).RenameSession(t.Context(), &pb.RenameSessionRequest{SessionId: sessionA, Name: large}))
	if status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "65536") {
		t.Errorf("a call: %v", err)
	}
	refused := func(stream pb.AgentService_ConverseClient) {
		t.Helper()
		if _, _, err := readAll(t, stream); status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "65536") {
			t.Errorf("a stream: %v", err)
		}
	}
	refused(converse(t, conn, &pb.StartConversation{SessionId: sessionA, Metadata: map[string]string{"x": large}}))
	stream := converse(t, conn, &pb.StartConversation{SessionId: sessionA})
	if err := stream.Send(messageRequest(large, keyA)); err != nil {
		t.Fatal(err)
	}
	refused(stream)
}

// slowAsker answers requests for the lock only after its caller has given up.
type slowAsker struct {
	fakeAsker
	asked chan struct{}
}

func (s *slowAsker) Ask(ctx context.Context, r messages.Request) (messages.Reply, error) {
	if _, ok := r.(messages.TakeLock); !ok {
		return s.fakeAsker.Ask(ctx, r)
	}
	close(s.asked)
	<-ctx.Done()
	return nil, &messages.Error{Op: "ask", Kind: messages.Canceled, Err: context.Cause(ctx)}
}

// A waiter for the input lock does not delay the end of the daemon.
func TestShutdownEndsWaitingCalls(t *testing.T) {
	asker := &slowAsker{asked: make(chan struct{})}
	conn, s := serve(t, asker)
	answered := make(chan error, 1)
	go func() {
		answered <- second(pb.NewAgentServiceClient(conn).RequestInputLock(t.Context(), &pb.InputLockRequest{SessionId: sessionA}))
	}()
	<-asker.asked
	if err := s.Shutdown(as(t, "")); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-answered:
		if status.Code(err) != codes.Unavailable {
			t.Errorf("it is told %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("it still waits")
	}
}
