package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/coder/websocket"

	"betcode/tests/kit"
)

// patience is how long a frame may take. Only an exchange that differs takes it.
const patience = 60 * time.Second

// peer is a client of a gateway.
type peer interface {
	send(frame string) error
	// receive returns the next frame; io.EOF if the gateway has closed the connection.
	receive() (string, error)
	close()
}

// linePeer is a client of the agent socket.
type linePeer struct {
	net.Conn
	in *bufio.Reader
}

func dialLines(path string) (peer, error) {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return nil, err
	}
	return linePeer{conn, bufio.NewReader(conn)}, nil
}

func (p linePeer) send(frame string) error {
	_, err := io.WriteString(p.Conn, frame+"\n")
	return err
}

func (p linePeer) receive() (string, error) {
	if err := p.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return "", err
	}
	line, err := p.in.ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err
}

func (p linePeer) close() { _ = p.Close() } // it may be closed

// framePeer is a page or a proxy.
type framePeer struct{ *websocket.Conn }

func dialFrames(b *kit.Browser, path string) (peer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	socket, _, err := websocket.Dial(ctx, b.Base+path, &websocket.DialOptions{HTTPHeader: b.Header}) //nolint:bodyclose // the library has read it
	if err != nil {
		return nil, err
	}
	socket.SetReadLimit(-1)
	return framePeer{socket}, nil
}

func (p framePeer) send(frame string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return p.Write(ctx, websocket.MessageText, []byte(frame))
}

func (p framePeer) receive() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, raw, err := p.Read(ctx)
	var closed websocket.CloseError
	if errors.As(err, &closed) || err != nil && ctx.Err() == nil {
		return "", io.EOF
	}
	return string(raw), err
}

func (p framePeer) close() { _ = p.CloseNow() } // it may be closed
