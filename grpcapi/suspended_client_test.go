package grpcapi

import (
	"context"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// laptop is the client's end of connections, which the test can suspend.
type laptop struct {
	mu     sync.Mutex
	asleep chan struct{} // closed while it is awake
}

func (l *laptop) sleep() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asleep = make(chan struct{})
}

func (l *laptop) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.asleep)
}

func (l *laptop) awake() {
	l.mu.Lock()
	asleep := l.asleep
	l.mu.Unlock()
	<-asleep
}

type sleepyConn struct {
	net.Conn
	laptop *laptop
}

func (c sleepyConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.laptop.awake()
	return n, err
}

func (c sleepyConn) Write(b []byte) (int, error) {
	c.laptop.awake()
	return c.Conn.Write(b)
}

// The server disconnects a sleeping laptop, so that it keeps no lock. When it wakes, its stream has
// ended with a retryable status, and the next call works.
func TestClientThatSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asker := &fakeAsker{stream: newFakeStream()}
		s := New(Options{Asker: asker, Credentials: insecure.NewCredentials()})
		s.SetReady(true)
		listener := bufconn.Listen(1 << 20)
		done := make(chan error, 1)
		go func() { done <- s.Serve(listener) }()
		open := make(chan struct{})
		close(open)
		mine := &laptop{asleep: open}
		conn, err := grpc.NewClient("passthrough:///laptop", grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
				c, err := listener.DialContext(ctx)
				return sleepyConn{c, mine}, err
			}))
		if err != nil {
			t.Fatal(err)
		}
		stream, err := pb.NewAgentServiceClient(conn).Converse(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.Send(startRequest(&pb.StartConversation{SessionId: sessionA})); err != nil {
			t.Fatal(err)
		}
		asker.stream.batches <- []messages.Event{textEvent(t, 1, "good night")}
		if _, err := stream.Recv(); err != nil {
			t.Fatal(err)
		}

		mine.sleep()
		time.Sleep(pingAfter + pingTimeout + time.Second)
		synctest.Wait()
		select {
		case <-asker.stream.closed:
		default:
			t.Error("the stream of a client that sleeps goes on")
		}
		time.Sleep(8 * time.Hour)
		mine.wake()
		if _, err := stream.Recv(); status.Code(err) != codes.Unavailable {
			t.Errorf("when it wakes it is told %v", err)
		}
		if _, err := pb.NewAgentServiceClient(conn).ListSessions(t.Context(), &pb.ListSessionsRequest{}, grpc.WaitForReady(true)); err != nil {
			t.Errorf("the next call: %v", err)
		}

		conn.Close()
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		<-done
	})
}
