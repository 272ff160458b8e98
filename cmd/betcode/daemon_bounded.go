package main

import (
	"bytes"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
)

// How long it may take to tell a caller that it is one too many, and how many are told at
// once; the others find the connection closed.
const (
	refusalPatience = time.Second
	refusalsAtOnce  = 16
)

// boundedListener has so many connections at most. One more is told so and closed at
// once: who waits instead does not know what for, and whom it would wait for may never
// go.
type boundedListener struct {
	net.Listener
	most    int64
	open    atomic.Int64
	telling atomic.Int64
	secret  bool              // it speaks TLS: nothing is said in the clear
	refused func(from string) // hears of each that was one too many
}

// Accept implements net.Listener.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) <= l.most {
			return &boundedConn{Conn: conn, listener: l}, nil
		}
		l.open.Add(-1)
		l.refused(conn.RemoteAddr().String())
		go l.refuse(conn, l.telling.Add(1) <= refusalsAtOnce && !l.secret)
	}
}

// refuse ends a connection, if aloud with the answer to its first call.
func (l *boundedListener) refuse(conn net.Conn, aloud bool) {
	defer l.telling.Add(-1)
	defer conn.Close()
	if aloud && conn.SetDeadline(time.Now().Add(refusalPatience)) == nil {
		_ = tellTooMany(conn) // who has left need not know
	}
}

// tellTooMany answers the first call of a connection as gRPC has it, and waits for the
// caller to leave: a connection that is closed before everything on it was read takes
// what was said with it.
func tellTooMany(conn net.Conn) error {
	if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
		return err
	}
	framer := http2.NewFramer(conn, conn)
	if err := framer.WriteSettings(); err != nil {
		return err
	}
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return err
		}
		if frame.Header().Type != http2.FrameHeaders {
			continue
		}
		stream := frame.Header().StreamID
		err = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: tooMany(), EndHeaders: true, EndStream: true})
		if err != nil {
			return err
		}
		if err := framer.WriteGoAway(stream, http2.ErrCodeNo, nil); err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, conn)
		return err
	}
}

// tooMany are the headers of a call's answer that has nothing else.
func tooMany() []byte {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, f := range [][2]string{
		{":status", "200"},
		{"content-type", "application/grpc"},
		{"grpc-status", strconv.Itoa(int(codes.ResourceExhausted))},
		{"grpc-message", "too many connections are open to this daemon; close some, or come again"},
	} {
		_ = encoder.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]}) // a buffer takes everything
	}
	return block.Bytes()
}

// boundedConn gives its place back when it is closed.
type boundedConn struct {
	net.Conn
	listener *boundedListener
	once     sync.Once
}

// Close implements net.Conn.
func (c *boundedConn) Close() error {
	c.once.Do(func() { c.listener.open.Add(-1) })
	return c.Conn.Close()
}
