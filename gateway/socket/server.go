package socket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"
)

// The bounds of a server.
const (
	maxConnections = 256
	maxSessions    = 256 // of a connection
)

// Options configure a [Server].
type Options struct {
	// Connect connects to the daemon for one client. Required.
	Connect func(client string) (Daemon, error)
	// Admit identifies the process at the other end and returns the connection to use, or an error
	// to refuse it. Only the text of an [AdmissionError] is sent to the client. nil admits all.
	Admit func(net.Conn) (net.Conn, error)
	// Keep leaves sessions running when their client disconnects. Otherwise, as in the document,
	// waiting requests are denied and agents are stopped.
	Keep bool
	// Logger; nil logs nothing.
	Logger *zerolog.Logger
}

// Server serves clients of the agent socket.
type Server struct {
	options Options
	log     zerolog.Logger

	mu          sync.Mutex
	connections int
	owners      map[ref]*owned           // ids that are in use, over all connections
	stopping    map[string]chan struct{} // sessions of the daemon that are being stopped; closed at the end
}

// AdmissionError is an error whose text a refused client gets.
type AdmissionError string

// Error implements error.
func (r AdmissionError) Error() string { return string(r) }

// New returns a server.
func New(o Options) *Server {
	s := &Server{options: o, log: zerolog.Nop(), owners: map[ref]*owned{}, stopping: map[string]chan struct{}{}}
	if o.Logger != nil {
		s.log = *o.Logger
	}
	return s
}

// Serve accepts clients until ctx ends, then closes or keeps their sessions according to
// Options.Keep, and returns nil. It closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	var clients sync.WaitGroup
	defer clients.Wait()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	defer l.Close()
	for {
		conn, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				conn.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("accept client: %w", err)
		case err != nil: // out of descriptors, for example
			s.log.Warn().Err(err).Msg("client not accepted")
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
			}
			continue
		}
		clients.Go(func() { s.serve(ctx, conn) })
	}
}

// serve serves one client.
func (s *Server) serve(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	raw := conn
	if !s.enter() {
		refuse(conn, "Too many connections")
		return
	}
	defer s.exit()
	if s.options.Admit != nil {
		admitted, err := s.options.Admit(conn)
		if err != nil {
			s.log.Warn().Err(err).Msg("client refused")
			var why AdmissionError
			if errors.As(err, &why) {
				refuse(conn, why.Error())
			}
			return
		}
		conn = admitted
		defer conn.Close()
	}
	client := "socket-" + uuid.NewString()[:8]
	daemon, err := s.options.Connect(client)
	if err != nil {
		refuse(conn, err.Error())
		return
	}
	c := &connection{
		server: s, client: client, conn: conn, raw: raw, daemon: daemon, sessions: map[ref]*session{}, log: s.log.With().Str("client", client).Logger(),
	}
	defer context.AfterFunc(ctx, func() { // setting a deadline fails only on a connection that has ended
		_ = conn.SetWriteDeadline(time.Now().Add(farewellTimeout)) // for a client that does not read
		_ = conn.SetReadDeadline(time.Unix(1, 0))                  // ends serve
	})()
	c.log.Info().Msg("client connected")
	c.serve(ctx)
	c.log.Info().Msg("client left")
}

// refuse sends a client the reason why it is refused.
func refuse(conn net.Conn, why string) {
	_ = conn.SetWriteDeadline(time.Now().Add(farewellTimeout))
	_, _ = conn.Write(encode(nil, failure(noRef, why))) // best effort: the connection is closed in any case
}

func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.connections >= maxConnections {
		return false
	}
	s.connections++
	return true
}

func (s *Server) exit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connections--
}
