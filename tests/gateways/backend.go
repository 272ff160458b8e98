package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// heartbeat is answered by backends, and is no step of an exchange.
const heartbeat = `{"type":"Heartbeat"}`

// backendPeer is a backend at which a proxy registers; the exchange defines its frames. Each
// connection begins with "(connected)" and ends with "(closed)".
type backendPeer struct {
	*httptest.Server
	url string

	frames chan string
	mu     sync.Mutex
	socket *websocket.Conn // the newest; nil = none
}

func newBackend() *backendPeer {
	b := &backendPeer{frames: make(chan string, 10_000)}
	routes := http.NewServeMux()
	routes.HandleFunc("/ws/session", b.serve)
	b.Server = httptest.NewServer(routes)
	b.url = strings.Replace(b.URL, "http://", "ws://", 1)
	return b
}

func (b *backendPeer) serve(w http.ResponseWriter, r *http.Request) {
	socket, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // it has answered
	}
	defer func() { _ = socket.CloseNow() }() // it may be closed
	socket.SetReadLimit(-1)
	b.mu.Lock()
	b.socket = socket
	b.mu.Unlock()
	b.frames <- "(connected)"
	for {
		_, frame, err := socket.Read(context.Background())
		if err != nil {
			b.frames <- "(closed)"
			return
		}
		if string(frame) == heartbeat {
			_ = b.send(heartbeat) // the connection may have ended
			continue
		}
		b.frames <- string(frame)
	}
}

func (b *backendPeer) current() *websocket.Conn {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.socket
}

func (b *backendPeer) send(frame string) error {
	socket := b.current()
	if socket == nil {
		return errors.New("no proxy is connected")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return socket.Write(ctx, websocket.MessageText, []byte(frame))
}

func (b *backendPeer) receive() (string, error) {
	select {
	case frame := <-b.frames:
		return frame, nil
	case <-time.After(patience):
		return "", errors.New("no frame came")
	}
}

// close breaks the connection of the proxy, as a network does.
func (b *backendPeer) close() {
	if socket := b.current(); socket != nil {
		_ = socket.CloseNow() // it may be closed
	}
}

// end ends the backend.
func (b *backendPeer) end() {
	b.close()
	b.CloseClientConnections()
	b.Close()
}
