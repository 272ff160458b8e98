package grpcapi

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// link is one HTTP/2 connection to a server, frame by frame, for behaviour that a gRPC client does not have.
type link struct {
	*testing.T
	conn   net.Conn
	framer *http2.Framer
	frames chan any // frames of the server, as the types below; closed with the connection
}

// dialLink serves, and connects.
func dialLink(t *testing.T) *link {
	t.Helper()
	s := New(Options{Asker: &fakeAsker{}, Credentials: insecure.NewCredentials()})
	s.SetReady(true)
	l := bufconn.Listen(1 << 20)
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	conn, err := l.Dial()
	if err != nil {
		t.Fatal(err)
	}
	w := &link{T: t, conn: conn, framer: http2.NewFramer(conn, conn), frames: make(chan any, 3*maxStreams)}
	t.Cleanup(func() {
		conn.Close()
		for range w.frames { // until its reader has ended
		}
		if err := s.Shutdown(t.Context()); err != nil && t.Context().Err() == nil {
			t.Errorf("shut down: %v", err)
		}
		<-done
	})
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	if err := w.framer.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	go w.read()
	return w
}

// read copies the relevant parts of control frames: a frame is valid until the next read.
func (w *link) read() {
	defer close(w.frames)
	for {
		frame, err := w.framer.ReadFrame()
		if err != nil {
			return
		}
		switch f := frame.(type) {
		case *http2.SettingsFrame:
			if f.IsAck() {
				continue
			}
			most, _ := f.Value(http2.SettingMaxConcurrentStreams)
			w.frames <- announced(most)
		case *http2.GoAwayFrame:
			w.frames <- goneAway{code: f.ErrCode, why: string(f.DebugData())}
		case *http2.PingFrame:
			w.frames <- pinged{answer: f.IsAck()}
		case *http2.RSTStreamFrame:
			w.frames <- reset{f.StreamID, f.ErrCode}
		}
	}
}

type (
	announced uint32                // how many streams the server accepts
	pinged    struct{ answer bool } // otherwise it is a ping
	reset     struct {
		stream uint32
		code   http2.ErrCode
	}
	goneAway struct {
		code http2.ErrCode
		why  string
	}
)

// received returns the next frame of a kind; ok is false if the connection ends first.
func received[F any](w *link) (found F, ok bool) {
	w.Helper()
	for frame := range w.frames {
		if found, ok = frame.(F); ok {
			return found, true
		}
	}
	return found, false
}

func (w *link) ping() {
	w.Helper()
	if err := w.framer.WritePing(false, [8]byte{1}); err != nil {
		w.Fatal(err)
	}
}

// A client that pings too often gets the reason, and its connection is closed.
func TestImpatientPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dialLink(t)
		for range 5 {
			w.ping()
		}
		if gone, ok := received[goneAway](w); !ok || gone.code != http2.ErrCodeEnhanceYourCalm || gone.why != "too_many_pings" {
			t.Errorf("it is told %+v", gone)
		}
		if _, more := received[goneAway](w); more {
			t.Error("and told again")
		}
	})
}

// A published client pings every 30 s, with a stream or without one.
func TestPatientPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dialLink(t)
		for n := range 120 {
			w.ping()
			if pong, ok := received[pinged](w); !ok || !pong.answer {
				t.Fatalf("ping %d is not answered: %+v", n, pong)
			}
			time.Sleep(30 * time.Second)
		}
	})
}

// A connection without answers to pings is closed.
func TestClientThatAnswersNoPing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dialLink(t)
		began := time.Now()
		if ping, ok := received[pinged](w); !ok || ping.answer || time.Since(began) != pingAfter {
			t.Fatalf("after %v it is asked %v", time.Since(began), ping)
		}
		if _, ok := received[pinged](w); ok {
			t.Error("it is asked again")
		}
		if gone := time.Since(began); gone != pingAfter+pingTimeout {
			t.Errorf("the connection ended after %v", gone)
		}
	})
}

// The server announces the limit of concurrent calls on a connection, and refuses calls beyond it.
func TestMostStreams(t *testing.T) {
	w := dialLink(t)
	if most, ok := received[announced](w); !ok || most != maxStreams {
		t.Fatalf("%d streams are announced", most)
	}
	for n := range uint32(maxStreams + 1) {
		w.watch(2*n + 1)
	}
	if got, _ := received[reset](w); got != (reset{2*maxStreams + 1, http2.ErrCodeRefusedStream}) {
		t.Errorf("refused is %+v", got)
	}
}

// watch opens a stream that lasts: it watches the health of the daemon.
func (w *link) watch(stream uint32) {
	w.Helper()
	var headers bytes.Buffer
	encoder := hpack.NewEncoder(&headers)
	encoder.SetMaxDynamicTableSize(0) // the same bytes on each stream
	for _, f := range [][2]string{
		{":method", "POST"},
		{":scheme", "http"},
		{":path", "/grpc.health.v1.Health/Watch"},
		{":authority", "localhost"},
		{"content-type", "application/grpc"},
		{"te", "trailers"},
	} {
		if err := encoder.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]}); err != nil {
			w.Fatal(err)
		}
	}
	if err := w.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: headers.Bytes(), EndHeaders: true}); err != nil {
		w.Fatal(err)
	}
	if err := w.framer.WriteData(stream, true, []byte{0, 0, 0, 0, 0}); err != nil {
		w.Fatal(err)
	}
}

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
