package proxies

import (
	"context"
	"net/http"
	"sync"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"betcode/gateway/portal/wire"
)

// The bounds of a server.
const (
	// DefaultMost is the default bound of connected proxies.
	DefaultMost = 256
	// mostUnregistered bounds the unregistered connections, which need no token.
	mostUnregistered = 64
)

// Options configure a [Server].
type Options struct {
	// Connect connects to the daemon with the secret of a token; without one, as the user. id is the
	// client id at the daemon. Required.
	Connect func(secret, id string) (Daemon, error)
	// Dev registers proxies without a valid token as the user.
	Dev bool
	// Most bounds the proxies; 0 = DefaultMost.
	Most int
	// Logger; nil logs nothing.
	Logger *zerolog.Logger
	// Refusals selects the refusals that are logged; nil = all.
	Refusals zerolog.Sampler
}

// Server serves /ws/session.
type Server struct {
	options Options
	log     zerolog.Logger
	budget  budget
	ended   context.Context // done when proxies must reconnect later
	end     context.CancelFunc

	mu           sync.Mutex
	unregistered int
	registered   int
	serving      map[wire.UUID]*proxy // by session
	proxies      sync.WaitGroup
}

// New returns a server.
func New(o Options) *Server {
	if o.Most <= 0 {
		o.Most = DefaultMost
	}
	s := &Server{options: o, log: zerolog.Nop(), budget: newBudget(), serving: map[wire.UUID]*proxy{}}
	if o.Logger != nil {
		s.log = *o.Logger
	}
	s.ended, s.end = context.WithCancel(context.Background())
	return s
}

// ServeHTTP serves the connection of one proxy. The caller has checked Host and Origin.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		refusals := s.log.Sample(s.options.Refusals)
		refusals.Warn().Str("address", r.RemoteAddr).Msg("proxy refused: too many have not registered")
		http.Error(w, "too many proxies", http.StatusServiceUnavailable)
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // the caller has checked the origin
	if err != nil {
		s.leave(false)
		return // Accept has answered
	}
	s.serve(r.Context(), newWebSocket(conn, s.budget), r.RemoteAddr)
}

// serve serves a socket, which has taken a place, until it is closed.
func (s *Server) serve(ctx context.Context, socket Socket, address string) {
	p := &proxy{
		Server: s, socket: socket, log: s.log.With().Str("address", address).Logger(), decided: make(chan string, 1), ignored: map[string]bool{},
	}
	s.leave(p.serve(ctx))
}

// Close asks all proxies to reconnect later and waits until they have left.
func (s *Server) Close() {
	s.mu.Lock()
	s.end()
	s.mu.Unlock()
	s.proxies.Wait()
}

// enter takes a place for an unregistered connection.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unregistered >= mostUnregistered || s.ended.Err() != nil {
		return false
	}
	s.unregistered++
	s.proxies.Add(1)
	return true
}

// full reports whether all places of proxies are taken.
func (s *Server) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.registered >= s.options.Most
}

// admit takes the place of a proxy for a connection that the daemon has accepted. Connections that are not
// accepted, which anybody can open, take no such place.
func (s *Server) admit() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.registered >= s.options.Most {
		return false
	}
	s.unregistered--
	s.registered++
	return true
}

// attend records the newest proxy of a session. forget removes it.
func (s *Server) attend(p *proxy) (forget func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	session := p.translator.session
	s.serving[session] = p
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.serving[session] == p {
			delete(s.serving, session)
		}
	}
}

// Connected returns the number of registered proxies.
func (s *Server) Connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.registered
}

func (s *Server) leave(registered bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if registered {
		s.registered--
	} else {
		s.unregistered--
	}
	s.proxies.Done()
}
