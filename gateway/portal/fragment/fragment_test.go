package fragment

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// frame is one frame on the wire.
type frame struct {
	final   bool
	opcode  byte
	payload []byte
}

const (
	continuation = 0
	text         = 1
	ping         = 9
	pong         = 10
)

// readFrame reads a frame of a server: it has no mask.
func readFrame(t *testing.T, r io.Reader) frame {
	t.Helper()
	head := make([]byte, 2)
	if _, err := io.ReadFull(r, head); err != nil {
		t.Fatal(err)
	}
	size := uint64(head[1])
	extended := make([]byte, map[uint64]int{126: 2, 127: 8}[size])
	if _, err := io.ReadFull(r, extended); err != nil {
		t.Fatal(err)
	}
	if len(extended) > 0 {
		size = 0
		for _, b := range extended {
			size = size<<8 | uint64(b)
		}
	}
	f := frame{final: head[0]&0x80 != 0, opcode: head[0] & 0xf, payload: make([]byte, size)}
	if _, err := io.ReadFull(r, f.payload); err != nil {
		t.Fatal(err)
	}
	return f
}

// writes has a server write a message, and returns the client's end of the connection.
func writes(t *testing.T, message string) (net.Conn, *bufio.Reader) {
	t.Helper()
	return connect(t, func(conn *websocket.Conn) {
		ctx := conn.CloseRead(t.Context()) // answers pings
		if Write(ctx, conn, []byte(message)) == nil {
			<-ctx.Done()
		} // else the client misses the rest
	})
}

// connect has a server serve a connection, and returns the client's end.
func connect(t *testing.T, serve func(*websocket.Conn)) (net.Conn, *bufio.Reader) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return // the client gets no upgrade
		}
		defer conn.CloseNow()
		serve(conn)
	}))
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	request, _ := http.NewRequest(http.MethodGet, server.URL, nil)
	for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="} {
		request.Header.Set(name, value)
	}
	if err := request.Write(conn); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	answer, err := http.ReadResponse(in, request) //nolint:bodyclose // an upgrade has no body
	if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(answer, err)
	}
	return conn, in
}

func TestWrite(t *testing.T) {
	for _, n := range []int{0, 1, Size, Size + 1, 2 * Size, 20<<20 + 7} {
		want := strings.Repeat("é", n/2) + strings.Repeat("x", n%2)
		_, in := writes(t, want)
		var got []byte
		opcode := byte(text)
		for last := false; !last; opcode = continuation {
			f := readFrame(t, in)
			if f.opcode != opcode || len(f.payload) > Size {
				t.Fatalf("%d bytes: a frame with opcode %d and %d bytes", n, f.opcode, len(f.payload))
			}
			got, last = append(got, f.payload...), f.final
		}
		if !bytes.Equal(got, []byte(want)) {
			t.Errorf("%d bytes: another text arrived, of %d bytes", n, len(got))
		}
	}
}

// A ping that arrives in the middle of a message is answered before its end. The message is larger than the buffers between the
// two ends, so it is not written before it is read.
func TestPingIsAnsweredWithin(t *testing.T) {
	conn, in := writes(t, strings.Repeat("x", 64<<20))
	readFrame(t, in)
	mask := []byte{0, 0, 0, 0}
	if _, err := conn.Write(append([]byte{0x80 | ping, 0x80 | 2}, append(mask, binary.BigEndian.AppendUint16(nil, 0xbeef)...)...)); err != nil {
		t.Fatal(err)
	}
	for {
		switch f := readFrame(t, in); {
		case f.opcode == pong:
			return
		case f.final:
			t.Fatal("the message ended before the ping was answered")
		}
	}
}

// Nothing can follow a part of a message, so the connection is closed.
func TestAbandonedWithin(t *testing.T) {
	ctx, abandon := context.WithCancel(t.Context())
	written, after := make(chan error, 1), make(chan error, 1)
	_, in := connect(t, func(conn *websocket.Conn) {
		written <- Write(ctx, conn, []byte(strings.Repeat("x", 64<<20)))
		after <- Write(t.Context(), conn, []byte("next"))
	})
	readFrame(t, in)
	abandon()
	if err := <-written; err == nil {
		t.Error("an abandoned message was written")
	}
	if err := <-after; err == nil {
		t.Error("a message was written behind a part of another one")
	}
}
