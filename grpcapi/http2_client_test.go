package grpcapi

import (
	"bytes"
	"io"
	"net"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
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
