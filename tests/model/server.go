package model

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server answers according to its script. Create it with [New]; all methods may be called from any
// goroutine.
type Server struct {
	// URL is what ANTHROPIC_BASE_URL is to be.
	URL string

	script   Script
	started  int64 // distinguishes the ids of servers
	http     *http.Server
	stopped  chan struct{}
	mu       sync.Mutex
	changed  chan struct{} // closed and renewed at every change below
	requests []Request
	used     map[string]int // how often a rule answered, by session and rule
	gates    map[string]*gate
}

// gate is a named place where replies wait.
type gate struct {
	open chan struct{}
	held int // replies that wait there now
}

// Request is a request for a message, as the model saw it.
type Request struct {
	Number       int // from 1
	At           time.Time
	Session      string // Claude Code's session id
	Model        string
	Stream       bool
	Rule         string // name of the rule that answered, or empty
	Conversation Conversation
	Body         json.RawMessage // only of the last bodiesKept requests
}

// bodiesKept bounds the memory of a long-lived server; a body has 50 KB or more.
const bodiesKept = 256

// New starts a server on a free port of the loopback interface.
func New(script Script) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the model: %w", err)
	}
	return NewOn(listener, script), nil
}

// NewOn starts a server on a listener, which it closes at its end.
func NewOn(listener net.Listener, script Script) *Server {
	s := &Server{
		URL: "http://" + listener.Addr().String(), script: script, started: time.Now().UnixMilli(),
		stopped: make(chan struct{}), changed: make(chan struct{}),
		used: map[string]int{}, gates: map[string]*gate{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", s.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", countTokens)
	mux.HandleFunc("GET /{$}", func(http.ResponseWriter, *http.Request) {}) // and HEAD
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "not_found_error", "the scripted model has no "+r.URL.Path)
	})
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() {
		defer close(s.stopped)
		_ = s.http.Serve(listener) // always ends with an error, at Close
	}()
	return s
}

// Close cuts all connections, so that replies that wait are cut too, and returns
// when the server has stopped.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.stopped
	if err != nil {
		return fmt.Errorf("close the model: %w", err)
	}
	return nil
}

// Release opens a gate permanently: replies that hold there go on, later ones do
// not stop.
func (s *Server) Release(gate string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.gate(gate)
	select {
	case <-g.open:
	default:
		close(g.open)
	}
}

// Held waits until a reply holds at a gate.
func (s *Server) Held(ctx context.Context, gate string) error {
	return s.until(ctx, "a reply at gate "+gate, func() bool { return s.gate(gate).held > 0 })
}

// gate returns the gate of that name. The caller holds mu.
func (s *Server) gate(name string) *gate {
	g, ok := s.gates[name]
	if !ok {
		g = &gate{open: make(chan struct{})}
		s.gates[name] = g
	}
	return g
}

// hold waits at a gate.
func (s *Server) hold(ctx context.Context, name string) error {
	s.mu.Lock()
	g := s.gate(name)
	g.held++
	s.announce()
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		g.held--
		s.mu.Unlock()
	}()
	select {
	case <-g.open:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("hold at %s: %w", name, ctx.Err())
	}
}

// Requests returns all requests for messages so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Latest is the last request of a session's main agent, which holds its whole
// conversation; an empty session means any.
func (s *Server) Latest(session string) (Request, bool) {
	all := s.Requests()
	for i := len(all) - 1; i >= 0; i-- {
		if c := all[i].Conversation; !c.Subagent && !c.Summary && (session == "" || all[i].Session == session) {
			return all[i], true
		}
	}
	return Request{}, false
}

// Wait returns the first request that matches, now or later.
func (s *Server) Wait(ctx context.Context, match func(Request) bool) (found Request, err error) {
	next := 0
	err = s.until(ctx, "a request", func() bool {
		for ; next < len(s.requests); next++ {
			if match(s.requests[next]) {
				found = s.requests[next]
				return true
			}
		}
		return false
	})
	return found, err
}

// until waits for a condition on what mu guards.
func (s *Server) until(ctx context.Context, what string, holds func() bool) error {
	for {
		s.mu.Lock()
		ok, changed := holds(), s.changed
		s.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, ctx.Err())
		case <-s.stopped:
			return fmt.Errorf("wait for %s: %w", what, http.ErrServerClosed)
		}
	}
}

// announce wakes all waiters. The caller holds mu.
func (s *Server) announce() {
	close(s.changed)
	s.changed = make(chan struct{})
}
