package grpcapi

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	grpcgzip "google.golang.org/grpc/encoding/gzip"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// rawCall begins a call with a part of its request, as only a raw client can, and returns the connection.
func rawCall(t *testing.T, address, method string, header map[string]string, body []byte, end bool) net.Conn {
	t.Helper()
	conn := must[net.Conn](t)(net.Dial("tcp", address))
	t.Cleanup(func() { conn.Close() })
	must[int](t)(io.WriteString(conn, http2.ClientPreface))
	framer := http2.NewFramer(conn, conn)
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, f := range [][2]string{{":method", "POST"}, {":scheme", "http"}, {":path", method}, {":authority", "localhost"}, {"content-type", "application/grpc"}, {"te", "trailers"}} {
		encoder.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
	}
	for name, value := range header {
		encoder.WriteField(hpack.HeaderField{Name: name, Value: value})
	}
	for _, err := range []error{
		framer.WriteSettings(),
		framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for len(body) > 0 {
		n := min(len(body), 16<<10)
		if err := framer.WriteData(1, end && n == len(body), body[:n]); err != nil {
			t.Fatal(err)
		}
		body = body[n:]
	}
	return conn
}

// rawStatus reads the final status of a call.
func rawStatus(t *testing.T, conn net.Conn) codes.Code {
	t.Helper()
	conn.SetReadDeadline(time.Now().Add(time.Minute))
	framer := http2.NewFramer(io.Discard, conn)
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		if headers, ok := frame.(*http2.MetaHeadersFrame); ok {
			for _, f := range headers.Fields {
				if f.Name == "grpc-status" {
					var code codes.Code
					if err := code.UnmarshalJSON([]byte(f.Value)); err != nil {
						t.Fatal(err)
					}
					return code
				}
			}
		}
	}
}

// framed returns a message as on the wire, or the beginning of one with a greater length in its prefix.
func framed(packed bool, length int, data []byte) []byte {
	out := make([]byte, 5, 5+len(data))
	if packed {
		out[0] = 1
	}
	binary.BigEndian.PutUint32(out[1:], uint32(length))
	return append(out, data...)
}

// bomb returns compressed zero bytes.
func bomb(t *testing.T, size int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range size >> 20 {
		must[int](t)(w.Write(zeros))
	}
	w.Close()
	return out.Bytes()
}

// peak returns the maximum memory in use while a function runs.
func peak(do func()) uint64 {
	runtime.GC()
	var before, most runtime.MemStats
	runtime.ReadMemStats(&before)
	stop, stopped := make(chan struct{}), make(chan struct{})
	top := before.HeapInuse
	go func() {
		defer close(stopped)
		for {
			runtime.ReadMemStats(&most)
			top = max(top, most.HeapInuse)
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	do()
	close(stop)
	<-stopped
	return top - before.HeapInuse
}

// Health checks of unauthenticated callers are not decompressed, and not read beyond 4 KiB.
func TestProbesAreSmall(t *testing.T) {
	s, dial := serveTCPServer(t, Options{Asker: &fakeAsker{}, Tokens: &fakeTokens{}})
	const method = "/grpc.health.v1.Health/Check"
	packed := bomb(t, 60<<20)
	grown := peak(func() {
		var all sync.WaitGroup
		for range 16 {
			conn := rawCall(t, s.listening, method, map[string]string{"grpc-encoding": "gzip"}, framed(true, len(packed), packed), true)
			all.Go(func() {
				if code := rawStatus(t, conn); code != codes.Unimplemented {
					t.Errorf("a bomb: %v", code)
				}
			})
		}
		all.Wait()
	})
	if grown > 32<<20 {
		t.Errorf("16 bombs took %d MiB", grown>>20)
	}
	t.Logf("16 bombs of %d KiB took %d KiB", len(packed)>>10, grown>>10)
	conn := rawCall(t, s.listening, method, nil, framed(false, 1<<20, nil), false)
	if code := rawStatus(t, conn); code != codes.ResourceExhausted {
		t.Errorf("a long probe: %v", code)
	}
	_, err := healthpb.NewHealthClient(dial()).Check(as(t, "c"), &healthpb.HealthCheckRequest{Service: strings.Repeat("x", 4000)})
	if status.Code(err) != codes.NotFound { // it was read
		t.Errorf("a probe of 4 KB: %v", err)
	}
}

// A caller with a token may compress; the decompressed size of all its requests together is bounded.
func TestBombsOfACaller(t *testing.T) {
	tokens := &fakeTokens{}
	tokens.Create(messages.Token{Name: "a", Rights: messages.MayEverything})
	const most = 8 << 20
	s, dial := serveTCPServer(t, Options{Asker: &fakeAsker{}, Tokens: tokens, MaxMessageBytes: most})
	if _, err := pb.NewAgentServiceClient(dial()).ListSessions(bearing(t, "c", "a"), &pb.ListSessionsRequest{}, grpc.UseCompressor(grpcgzip.Name)); err != nil {
		t.Errorf("compressed: %v", err)
	}
	packed := bomb(t, 64<<20)
	header := map[string]string{"grpc-encoding": "gzip", "authorization": "Bearer secret-a"}
	grown := peak(func() {
		var all sync.WaitGroup
		for range 16 {
			conn := rawCall(t, s.listening, "/betcode.v1.AgentService/RenameSession", header, framed(true, len(packed), packed), true)
			all.Go(func() {
				if code := rawStatus(t, conn); code != codes.ResourceExhausted {
					t.Errorf("a bomb: %v", code)
				}
			})
		}
		all.Wait()
	})
	if grown > 8*most {
		t.Errorf("16 bombs took %d MiB", grown>>20)
	}
}

// A request that stays incomplete is aborted, so that it does not keep its memory, and so is one that does not end.
func TestSlowRequests(t *testing.T) {
	tokens := &fakeTokens{}
	tokens.Create(messages.Token{Name: "a", Rights: messages.MayEverything})
	for name, c := range map[string]struct {
		method string
		body   []byte
	}{
		"nothing comes":             {"/betcode.v1.AgentService/RenameSession", nil},
		"the rest does not come":    {"/betcode.v1.AgentService/RenameSession", framed(false, 100, []byte("x"))},
		"it does not end":           {"/betcode.v1.AgentService/ListSessions", framed(false, 0, nil)},
		"the rest, on a stream":     {"/betcode.v1.AgentService/Converse", framed(false, 100<<10, []byte("x"))},
		"the rest, without a scope": {"/grpc.health.v1.Health/Check", framed(false, 100, []byte("x"))},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := serveTCPServer(t, Options{Asker: &fakeAsker{}, Tokens: tokens, bodyTimeout: 50 * time.Millisecond})
			conn := rawCall(t, s.listening, c.method, map[string]string{"authorization": "Bearer secret-a"}, c.body, false)
			if code := rawStatus(t, conn); code != codes.DeadlineExceeded {
				t.Errorf("%v", code)
			}
			if small, large, probes := s.interceptor.Requests().InUse(); small+large+probes != 0 {
				t.Errorf("%d, %d and %d bytes are still reserved", small, large, probes)
			}
		})
	}
}

// Two tokens with unfinished large requests take no more than their shares: a third caller's large
// request is served, and so are answers, which are small.
func TestTwoTokensCannotFillTheRoom(t *testing.T) {
	tokens := &fakeTokens{}
	for _, name := range []string{"a", "b", "owner"} {
		tokens.Create(messages.Token{Name: name, Rights: messages.MayEverything})
	}
	const most = 1 << 20
	s, dial := serveTCPServer(t, Options{Asker: &fakeAsker{}, Tokens: tokens, MaxMessageBytes: most, bodyTimeout: 2 * time.Minute})
	for _, name := range []string{"a", "b"} {
		for range 8 {
			rawCall(t, s.listening, "/betcode.v1.AgentService/RenameSession", map[string]string{"authorization": "Bearer secret-" + name}, framed(false, most, []byte("x")), false)
		}
	}
	until := time.Now().Add(time.Minute)
	for full := false; !full; time.Sleep(time.Millisecond) {
		_, large, _ := s.interceptor.Requests().InUse()
		full = large == 2*most
		if time.Now().After(until) {
			t.Fatal("the two did not take their shares")
		}
	}
	agent := pb.NewAgentServiceClient(dial())
	_, err := agent.RenameSession(bearing(t, "c", "owner"), &pb.RenameSessionRequest{SessionId: sessionA, Name: strings.Repeat("x", most/2)})
	if status.Code(err) != codes.InvalidArgument { // it was read, and is too long for a name
		t.Errorf("a large request of another: %v", err)
	}
	if _, err := agent.ListSessions(bearing(t, "c", "a"), &pb.ListSessionsRequest{}); err != nil {
		t.Errorf("a small request of the same: %v", err)
	}
}
