package portal

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"betcode/gateway/portal/places"
	"betcode/gateway/portal/proxies"
	"betcode/gateway/portal/voice"
)

// The bounds of a server.
const (
	maxPages     = 1024
	maxHistories = 8    // read and written concurrently
	maxIdle      = 1024 // connections that are not upgraded
	maxBody      = 64 << 10
	bodyTimeout  = 30 * time.Second // for a whole request
	answerTime   = 90 * time.Second // for a request and its answer
	callTimeout  = 10 * time.Second // of one request
	farewell     = 2 * time.Second  // for the last frames when the gateway ends
)

// Options configure a [Server].
type Options struct {
	// Connect connects to the daemon for a caller with a secret; without one, for the user. id is
	// the client id at the daemon. Required.
	Connect func(secret, id string) (Daemon, error)
	// Tokens creates the tokens of logins. Required.
	Tokens Tokens
	// Admit returns why the process at the other end of a connection is refused; nil admits all. It
	// is called once for each connection.
	Admit func(net.Conn) error
	// Names are host names of the portal, besides localhost and addresses.
	Names []string
	// Secure is set if browsers reach the portal over HTTPS.
	Secure bool
	// Dev serves all callers as the user, without a login.
	Dev bool
	// MaxProxies bounds the connected proxies; 0 = [proxies.DefaultMost].
	MaxProxies int
	// Recogniser converts speech to text; nil = none.
	Recogniser voice.Recogniser
	// MaxVoices bounds the concurrent recordings; 0 = [voice.DefaultMost].
	MaxVoices int
	// Keep stores a file for agents on this machine, and returns its path; nil = files are refused. The name comes from
	// [upload.Name]. It is called concurrently.
	Keep func(name string, content []byte) (path string, err error)
	// Lifetime is the validity of a login.
	Lifetime time.Duration
	// Pages has the files of the page; nil = a plain page that explains how to log in.
	Pages fs.FS
	// Version of the program, for pages.
	Version string
	// Hostname of the machine, for pages.
	Hostname string
	// Logger; nil logs nothing.
	Logger *zerolog.Logger
}

// Server serves pages of the portal.
type Server struct {
	options Options
	log     zerolog.Logger
	refused zerolog.Logger // for refusals; drops lines of a flood
	hosts   hosts
	proxies *proxies.Server
	voices  *voice.Service
	ended   context.Context // done when pages must leave
	end     context.CancelFunc

	overflow *overflow // of refused

	accounts accounts
	devices  *devices
	feeds    feeds

	shown     *places.Places // for pages
	histories *places.Places
	uploading *places.Places // for files in progress

	mu    sync.Mutex // protects pages.Add
	pages sync.WaitGroup
}

// New returns a server.
func New(o Options) *Server {
	s := &Server{options: o, log: zerolog.Nop()}
	if o.Logger != nil {
		s.log = *o.Logger
	}
	s.overflow = &overflow{log: s.log}
	noise := &zerolog.BurstSampler{Burst: maxRefusals, Period: refusalPeriod, NextSampler: s.overflow}
	s.refused = s.log.Sample(noise)
	s.shown, s.histories, s.uploading = places.New(maxPages), places.New(maxHistories), places.New(maxUploads)
	s.hosts.secure = o.Secure
	for _, name := range o.Names {
		s.hosts.names = append(s.hosts.names, strings.ToLower(name))
	}
	s.proxies = proxies.New(proxies.Options{
		Connect: func(secret, id string) (proxies.Daemon, error) { return o.Connect(secret, id) },
		Dev:     o.Dev, Most: o.MaxProxies, Logger: o.Logger, Refusals: noise,
	})
	s.devices = newDevices()
	s.voices = voice.New(o.Recogniser, o.MaxVoices, o.Logger)
	s.accounts = accounts{all: map[string]*account{}, connect: func(secret string) (Daemon, error) {
		return o.Connect(secret, "portal-"+uuid.NewString()[:8])
	}}
	s.feeds.all = map[feedKey]*feed{}
	s.ended, s.end = context.WithCancel(context.Background())
	return s
}

// Serve accepts connections until ctx ends, then asks pages to reconnect and returns nil. It closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	defer s.overflow.close()
	h := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: bodyTimeout, WriteTimeout: answerTime,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ConnContext: s.admission, ConnState: places.Bound(maxIdle).State,
	}
	served := make(chan error, 1)
	go func() { served <- h.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	s.end()
	s.proxies.Close()
	s.pages.Wait()
	last, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	if err := h.Shutdown(last); err != nil {
		h.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Handler returns the routes.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/health", s.health)
	mux.HandleFunc("GET /api/config", s.config)
	for _, login := range []string{"google", "github", "login", "device-login"} {
		mux.HandleFunc("GET /api/auth/"+login, s.loginPage)
	}
	mux.HandleFunc("GET /api/auth/dev-login", s.devLogin)
	mux.HandleFunc("POST /api/auth/login", s.login)
	mux.HandleFunc("GET /api/auth/logout", s.logout)
	mux.HandleFunc("GET /api/auth/me", s.with(me))
	mux.HandleFunc("GET /api/sessions", s.with(listSessions))
	mux.HandleFunc("GET /api/sessions/{id}", s.withHistory(showSession))
	mux.HandleFunc("GET /api/sessions/{id}/messages", s.withHistory(listMessages))
	mux.HandleFunc("GET /api/sessions/{id}/members", s.with(listMembers))
	mux.HandleFunc("POST /api/sessions/{id}/members", s.with(addMember))
	mux.HandleFunc("PATCH /api/sessions/{id}/members/{user}", s.with(changeMember))
	mux.HandleFunc("DELETE /api/sessions/{id}/members/{user}", s.with(removeMember))
	mux.HandleFunc("POST /api/sessions/{id}/stop", s.with(stopSession))
	mux.HandleFunc("DELETE /api/sessions/{id}", s.with(deleteSession))
	mux.HandleFunc("GET /api/proxy-tokens", s.with(listProxyTokens))
	mux.HandleFunc("POST /api/proxy-tokens", s.with(createProxyToken))
	mux.HandleFunc("DELETE /api/proxy-tokens/{id}", s.with(revokeProxyToken))
	mux.HandleFunc("POST /api/proxy-tokens/{id}/renew", s.with(renewProxyToken))
	s.deviceRoutes(mux)
	s.steeringRoutes(mux)
	mux.HandleFunc("GET /ws/client", s.client)
	mux.HandleFunc("GET /ws/voice/{id}", s.speak)
	mux.HandleFunc("POST "+transcribePath, s.transcribe)
	mux.Handle("GET "+sessionPath, s.proxies)
	mux.HandleFunc("POST "+resolvePath, s.resolve)
	mux.HandleFunc("/api/", notServed)
	mux.HandleFunc("/ws/", notServed)
	mux.Handle("/", s.files())
	return s.guard(mux)
}

// sessionPath is the route where proxies connect.
const sessionPath = "/ws/session"

// refuse answers with a status and a line of text.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	s.refused.Info().Str("address", r.RemoteAddr).Str("path", r.URL.Path).Int("status", status).Str("why", why).Msg("request refused")
	http.Error(w, why, status)
}

func notServed(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "this portal does not serve that", http.StatusNotFound)
}

// enter takes a place for a page of a login.
func (s *Server) enter(login string) (exit func(), ok bool) {
	leave, ok := s.shown.Take(login)
	if !ok {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended.Err() != nil {
		leave()
		return nil, false
	}
	s.pages.Add(1)
	return func() { leave(); s.pages.Done() }, true
}

// connected returns the number of pages.
func (s *Server) connected() int { return s.shown.Taken() }
