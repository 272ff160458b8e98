package foreignportal

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"betcode/gateway/portal/proxy/proxytest"
)

// patience bounds every wait of a test.
const patience = 3 * time.Minute

// Server is a portal on loopback.
type Server struct {
	*proxytest.Database
	URL string // ws://127.0.0.1:PORT

	http *httptest.Server

	mu       sync.Mutex
	sockets  map[*websocket.Conn]bool
	approved bool
	polls    int
	dials    int
}

// NewServer starts a portal of a generation. The caller closes it.
func NewServer(generation int) *Server {
	s := &Server{Database: proxytest.NewDatabase(generation), sockets: map[*websocket.Conn]bool{}}
	routes := http.NewServeMux()
	routes.HandleFunc("/ws/session", s.serve)
	routes.HandleFunc("POST /api/auth/device/code", s.code)
	routes.HandleFunc("POST /api/auth/device/poll", s.poll)
	s.http = httptest.NewServer(routes)
	s.URL = strings.Replace(s.http.URL, "http://", "ws://", 1)
	return s
}

// Close ends the portal.
func (s *Server) Close() {
	s.Cut()
	s.http.Close()
}

// Cut breaks all connections, as a network does.
func (s *Server) Cut() {
	s.mu.Lock()
	all := s.sockets
	s.sockets = map[*websocket.Conn]bool{}
	s.mu.Unlock()
	for conn := range all {
		_ = conn.CloseNow() // it may be closed
	}
}

// Restart breaks all connections and deletes the state in memory.
func (s *Server) Restart() {
	s.Cut()
	s.Forget()
}

// Dials returns how many connections were begun.
func (s *Server) Dials() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dials
}

// Wait waits until a session is as wanted.
func (s *Server) Wait(session string, what string, is func(Session) bool) (Session, error) {
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		changed := s.Changed()
		now, _ := s.Session(session)
		if is(now) {
			return now, nil
		}
		select {
		case <-changed:
		case <-late.C:
			return now, fmt.Errorf("%s: not within %s; %d lines, %d loose, request %v, pending %v", what, patience, len(now.Lines), len(now.Loose), now.Request, now.Pending)
		}
	}
}

// serve serves one proxy.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // it has answered
	}
	defer func() { _ = conn.CloseNow() }() // it may be closed
	conn.SetReadLimit(16 << 20)
	s.mu.Lock()
	s.sockets[conn] = true
	s.dials++
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	peer := s.Connect()
	defer peer.Close()
	go func() {
		for {
			for _, frame := range peer.Take() {
				if conn.Write(ctx, websocket.MessageText, frame) != nil {
					return
				}
			}
			select {
			case <-peer.Ready():
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		_, frame, err := conn.Read(ctx)
		if err != nil {
			return
		}
		peer.Receive(frame)
	}
}

// The codes of a device login, and the token that it gives.
const (
	DeviceCode = "0123456789abcdef0123456789abcdef"
	UserCode   = "ABC-DEF"
	DeviceJWT  = "eyJ0eXAiOiJKV1QifQ.device.token"
)

// Approve approves the device login.
func (s *Server) Approve() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.approved = true
}

func (s *Server) code(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, Frame{
		"device_code": DeviceCode, "user_code": UserCode, "verification_uri": s.http.URL + "/api/auth/device", "expires_in": 300, "interval": 5,
	})
}

func (s *Server) poll(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Code string `json:"device_code"`
	}
	if json.NewDecoder(r.Body).Decode(&asked) != nil || asked.Code != DeviceCode {
		answer(w, http.StatusNotFound, Frame{"error": "not_found", "message": "unknown code"})
		return
	}
	s.mu.Lock()
	s.polls++
	approved := s.approved
	s.mu.Unlock()
	if !approved {
		answer(w, http.StatusOK, Frame{"status": "pending"})
		return
	}
	answer(w, http.StatusOK, Frame{"status": "complete", "access_token": DeviceJWT, "user_id": DeviceCode, "user_email": "a@b.example"})
}

func answer(w http.ResponseWriter, status int, body Frame) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the caller may have gone
}
