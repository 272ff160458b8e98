package grpcapi

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/channelz/service"
	_ "google.golang.org/grpc/encoding/gzip" // for clients that send compressed requests
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/fleet"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/listing"
	"betcode/grpcapi/proxy"
	"betcode/grpcapi/repository"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/version"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// maxHeaders bounds the headers of a call, in bytes.
const maxHeaders = 64 << 10

const (
	// pingAfter is the idle time after which the server sends a ping, and pingTimeout how long the
	// answer may take. Their sum is twice the ping interval of clients.
	pingAfter   = 40 * time.Second
	pingTimeout = 20 * time.Second
	// handshakeTimeout bounds the handshake of a connection: TLS, the HTTP/2 preface and the first settings.
	handshakeTimeout = 5 * time.Second
	// maxStreams bounds the concurrent calls over one connection.
	maxStreams = 4096
)

// Server serves betcode.v1, gRPC's health, reflection and channelz.
type Server struct {
	asker       handler.Asker
	log         *zerolog.Logger
	options     Options
	interceptor *auth.Interceptor
	grpc        *grpc.Server

	version    *version.Service
	conversing conversing
	summaries  listing.Cache

	mu       sync.Mutex
	ready    bool
	changed  chan struct{} // closed and replaced when ready changes
	draining chan struct{} // closed when the server stops
	drain    sync.Once
}

// New returns a server. It answers health checks with NOT_SERVING until [Server.SetReady].
func New(o Options) *Server {
	s := &Server{
		asker: o.Asker, log: o.Logger, options: o,
		changed: make(chan struct{}), draining: make(chan struct{}),
	}
	if s.log == nil {
		nop := zerolog.Nop()
		s.log = &nop
	}
	if s.options.MaxMessageBytes == 0 {
		s.options.MaxMessageBytes = DefaultMaxMessageBytes
	}
	s.version = version.New(version.Options{
		Logger: s.log, Server: o.Version, MaxMessageBytes: s.options.MaxMessageBytes, Claude: o.ClaudeVersion, Flags: o.Features,
		Serves: s.registered, Reports: s.reports,
	})
	s.interceptor = auth.New(auth.Options{
		Logger: s.log, Restricted: o.Restricted, Fleet: o.Fleet, Audit: o.Audit, Tokens: o.Tokens, TCP: o.TCP, Limits: o.Limits,
		MaxMessageBytes: s.options.MaxMessageBytes, BodyTimeout: o.bodyTimeout, Gate: s.version.Gate, Exists: s.exists,
	})
	creds := o.Credentials
	if creds == nil {
		creds = s.interceptor.Credentials()
	}
	s.grpc = grpc.NewServer(
		grpc.Creds(creds),
		grpc.ForceServerCodecV2(wire.NewCodec()),
		grpc.MaxRecvMsgSize(s.options.MaxMessageBytes),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.MaxHeaderListSize(maxHeaders), // read before the token is checked; gRPC's default is 16 MiB a call
		grpc.ConnectionTimeout(handshakeTimeout),
		// Published clients ping every 30 s, even without a stream. gRPC's default would close
		// their connections after two minutes.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 10 * time.Second, PermitWithoutStream: true}),
		// The server disconnects a sleeping client, so that it does not keep the input lock. The
		// client attaches again when it wakes. A slow reader answers pings and stays connected.
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: pingAfter, Timeout: pingTimeout}),
		grpc.InTapHandle(auth.Tap),
		grpc.StreamInterceptor(s.interceptor.Intercept),
		grpc.WaitForHandlers(true),
	)
	all := wire.Streams{Server: s.grpc, Intercept: s.interceptor.Intercept}
	pb.RegisterAgentServiceServer(all, agentService{server: s})
	pb.RegisterAdminServiceServer(all, adminService{asker: s.asker, one: &expensive{}})
	pb.RegisterConfigServiceServer(all, configService{asker: s.asker})
	pb.RegisterAccessServiceServer(all, accessService{server: s})
	pb.RegisterVersionServiceServer(all, s.version)
	pb.RegisterBetCodeHealthServer(all, detailsService{server: s})
	if s.options.GitLab == nil {
		s.options.GitLab = pb.UnimplementedGitLabServiceServer{}
	}
	pb.RegisterGitLabServiceServer(all, s.options.GitLab)
	pb.RegisterCommandServiceServer(all, commandService{server: s})
	pb.RegisterMachineServiceServer(all, machineService{server: s})
	pb.RegisterSearchServiceServer(all, searchService{server: s})
	pb.RegisterFleetServiceServer(all, fleet.NewService(s.asker))
	pb.RegisterGitRepoServiceServer(all, repository.NewRepositories(s.patient()))
	pb.RegisterWorktreeServiceServer(all, repository.NewWorktrees(s.patient()))
	pb.RegisterSubagentServiceServer(all, fleet.NewSubagents(s.patient()))
	pb.RegisterProxyServiceServer(all, proxy.NewService(s.asker, s.draining))
	pb.RegisterHealthServer(all, healthService{server: s})
	healthpb.RegisterHealthServer(all, standardHealth{server: s})
	reflection.Register(s.grpc)
	service.RegisterChannelzServiceToServer(all)
	return s
}

// Serve accepts connections until [Server.Shutdown]; then it returns nil. It may
// be called for several listeners at once.
func (s *Server) Serve(l net.Listener) error { return s.grpc.Serve(l) }

// SetReady sets whether the daemon is ready to work, which health checks report: after
// recovery, and until it shuts down.
func (s *Server) SetReady(ready bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready != ready {
		s.ready = ready
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

// readiness returns whether the daemon is ready, and a channel that is closed at the next change.
func (s *Server) readiness() (bool, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready, s.changed
}

// SetLimits changes the rate limits, also of connected callers.
func (s *Server) SetLimits(l auth.Limits) { s.interceptor.SetLimits(l) }

// exists reports whether a session exists. It is false for a malformed id.
func (s *Server) exists(ctx context.Context, id string) (bool, error) {
	session, err := translate.SessionIn("start conversation", id)
	if err != nil {
		return false, nil //nolint:nilerr // the request would create a session
	}
	_, err = handler.Ask[messages.SessionView](ctx, s.asker, messages.GetSession{Session: session})
	switch {
	case err == nil:
		return true, nil
	case messages.KindOf(err) == messages.NotFound:
		return false, nil
	}
	return false, err
}

// registered reports whether a service is registered, by its full name.
func (s *Server) registered(service string) bool {
	_, ok := s.grpc.GetServiceInfo()[service]
	return ok
}

// reports returns the newest reports of agents.
func (s *Server) reports(ctx context.Context, limit int) (messages.AgentReports, error) {
	return handler.Ask[messages.AgentReports](ctx, s.asker, messages.GetAgentReports{Limit: limit})
}

// patient returns the Asker for requests that may take long.
func (s *Server) patient() handler.Patient {
	return handler.Patient{Asker: s.asker, Draining: s.draining}
}

// Shutdown stops accepting connections, ends the streams with UNAVAILABLE and waits for running
// calls. If ctx ends first, it aborts them and returns the cause.
func (s *Server) Shutdown(ctx context.Context) error {
	s.SetReady(false)
	s.drain.Do(func() { close(s.draining) })
	defer s.interceptor.Close()
	done := make(chan struct{})
	go func() {
		s.grpc.GracefulStop()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.grpc.Stop()
		<-done
		return context.Cause(ctx)
	}
}

// sendFatal sends the error that ends a stream to its client, unless the client is gone, and
// returns it. A short absence of the daemon is reported by the status only, so that clients
// reconnect without showing an error.
func sendFatal(ctx context.Context, stream interface{ Send(*pb.AgentEvent) error }, err error) error {
	e := wire.AsError(err)
	away := e.Kind == messages.Unavailable && e.Code != messages.DaemonStopping
	if ctx.Err() == nil && e.Kind != messages.Canceled && !away {
		_ = stream.Send(wire.ErrorEvent(err, true)) // best effort: the status has the same error
	}
	return err
}
