package grpcapi

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/channelz/service"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip" // for clients that ask for it, by compressing themselves
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// maxHeaders bounds the headers of a call, in bytes.
const maxHeaders = 64 << 10

// DefaultMaxMessageBytes is what a request may have unless Options say otherwise.
const DefaultMaxMessageBytes = 64 << 20

const (
	// pingAfter is how long a connection may be quiet before its client is sent a ping, and
	// pingPatience how long the answer may take. Together they are two of the pings that
	// clients send every 30 s: a client that missed both is gone.
	pingAfter    = 40 * time.Second
	pingPatience = 20 * time.Second
	// handshakePatience is how long a connection may take until it speaks HTTP/2: TLS, the
	// preface and the first settings. Who connects and says nothing is closed then.
	handshakePatience = 5 * time.Second
	// maxStreams bounds the calls that are served at once over one connection.
	maxStreams = 4096
)

// Options are what a [Server] needs to know.
type Options struct {
	// Asker answers everything. Required.
	Asker Asker
	// Logger; nil logs nothing.
	Logger *zerolog.Logger
	// Version of the daemon, for VersionService.
	Version string
	// ClaudeVersion returns the version of the agent, empty while it is not known.
	// May be nil.
	ClaudeVersion func() string
	// Features returns what the settings say about feature flags. It is called for
	// every request; nil = nothing is said.
	Features func() map[string]bool
	// GitLab serves GitLabService; nil = nobody does.
	GitLab pb.GitLabServiceServer
	// MaxMessageBytes bounds a request. 0 = DefaultMaxMessageBytes.
	MaxMessageBytes int
	// Credentials of the transport. nil = the Unix socket's peer credentials: only
	// the user who runs the daemon may connect; and tokens over TCP.
	Credentials credentials.TransportCredentials
	// Restricted says whether the process that connects over the Unix socket may
	// only view. After an error it may not do more either. It is called once per
	// connection; nil = nobody is restricted.
	Restricted func(pid int) (bool, error)
	// Audit is the audit log; nil = none is kept.
	Audit Auditor
	// Tokens let callers in over TCP; nil = nobody.
	Tokens Tokens
	// TCP says how they are met.
	TCP TCPOptions
	// Limits bound how much one caller may ask; the zero value is no limit.
	Limits Limits

	intakeBody time.Duration // of tests: how long the rest of a request may take
}

// Server serves betcode.v1, gRPC's health, reflection and channelz.
type Server struct {
	asker   Asker
	log     *zerolog.Logger
	options Options
	limits  limits
	grpc    *grpc.Server

	refusals *summaries
	requests *wire.Reader
	slots    slots
	warned   warned       // of deprecated features
	unknown  atomic.Int64 // fields that were received

	conversing conversing

	mu       sync.Mutex
	ready    bool
	changed  chan struct{} // closed and replaced when ready changes
	draining chan struct{} // closed when the server stops
	drain    sync.Once
}

// New makes a server. It answers health checks with NOT_SERVING until
// [Server.SetReady].
func New(o Options) *Server {
	s := &Server{
		asker: o.Asker, log: o.Logger, options: o, limits: newLimits(o.Limits),
		changed: make(chan struct{}), draining: make(chan struct{}),
	}
	if s.log == nil {
		nop := zerolog.Nop()
		s.log = &nop
	}
	if s.options.MaxMessageBytes == 0 {
		s.options.MaxMessageBytes = DefaultMaxMessageBytes
	}
	s.refusals, s.requests = newSummaries(s.refusedMany), wire.NewReader(s.options.MaxMessageBytes)
	if o.intakeBody > 0 {
		s.requests.SetBodyPatience(o.intakeBody)
	}
	creds := o.Credentials
	if creds == nil {
		creds = newDoorCredentials(o, s.log, s.refusals)
	}
	s.grpc = grpc.NewServer(
		grpc.Creds(creds),
		grpc.ForceServerCodecV2(wire.NewCodec()),
		grpc.MaxRecvMsgSize(s.options.MaxMessageBytes),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.MaxHeaderListSize(maxHeaders), // read before anybody's token is known; gRPC's default is 16 MiB a call
		grpc.ConnectionTimeout(handshakePatience),
		// Clients in the field ping every 30 s, also without a stream; gRPC's default
		// would close their connections after two minutes.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 10 * time.Second, PermitWithoutStream: true}),
		// A client that fell asleep is noticed, so that it does not keep the input lock; it
		// attaches again when it wakes. One that is merely slow to read answers pings.
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: pingAfter, Timeout: pingPatience}),
		grpc.InTapHandle(tapNewcomer),
		grpc.StreamInterceptor(s.takeIn),
		grpc.WaitForHandlers(true),
	)
	all := wire.Streams{Server: s.grpc, Intercept: s.takeIn}
	pb.RegisterAgentServiceServer(all, agentService{server: s})
	pb.RegisterAdminServiceServer(all, adminService{asker: s.asker, one: &expensive{}})
	pb.RegisterConfigServiceServer(all, configService{asker: s.asker})
	pb.RegisterAccessServiceServer(all, accessService{server: s})
	pb.RegisterVersionServiceServer(all, versionService{server: s})
	pb.RegisterBetCodeHealthServer(all, detailsService{server: s})
	if s.options.GitLab == nil {
		s.options.GitLab = pb.UnimplementedGitLabServiceServer{}
	}
	pb.RegisterGitLabServiceServer(all, s.options.GitLab)
	pb.RegisterCommandServiceServer(all, commandService{server: s})
	pb.RegisterMachineServiceServer(all, machineService{server: s})
	pb.RegisterHealthServer(all, healthService{server: s})
	healthpb.RegisterHealthServer(all, standardHealth{server: s})
	reflection.Register(s.grpc)
	service.RegisterChannelzServiceToServer(all)
	return s
}

// Serve accepts connections until [Server.Shutdown]; then it returns nil. It may
// be called for several listeners at once.
func (s *Server) Serve(l net.Listener) error { return s.grpc.Serve(l) }

// SetReady says whether the daemon is ready to work: after recovery, and until it
// shuts down. Health checks tell.
func (s *Server) SetReady(ready bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready != ready {
		s.ready = ready
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

// readiness returns what was last set, and a channel that is closed at the next
// change.
func (s *Server) readiness() (bool, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready, s.changed
}

// Shutdown stops accepting, ends the streams with UNAVAILABLE and waits for the
// calls that are being served. When ctx ends first they are cut off, and its
// error is returned.
func (s *Server) Shutdown(ctx context.Context) error {
	s.SetReady(false)
	s.drain.Do(func() { close(s.draining) })
	defer s.refusals.close()
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

// errDraining ends the streams when the daemon shuts down.
func errDraining() error {
	return messages.Errorf("serve", messages.Unavailable, "the daemon is shutting down").WithCode(messages.DaemonStopping).
		WithHint("Reconnect with your last sequence; nothing is lost.")
}

// askPatiently is [ask] for what may take long to be answered: it does not hold up the
// end of the daemon.
func askPatiently[R messages.Reply](ctx context.Context, s *Server, r messages.Request) (R, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		select {
		case <-s.draining:
			cancel()
		case <-ctx.Done():
		}
	}()
	answer, err := ask[R](ctx, s.asker, r)
	select {
	case <-s.draining:
		if messages.KindOf(err) == messages.Canceled {
			err = errDraining()
		}
	default:
	}
	cancel()
	<-drained
	return answer, err
}

// tell tells the client of a stream why it ends, unless it is gone. That the daemon is
// away for a moment the status says alone, and clients come back without a word to
// people.
func tell(ctx context.Context, stream interface{ Send(*pb.AgentEvent) error }, err error) error {
	e := wire.AsError(err)
	away := e.Kind == messages.Unavailable && e.Code != messages.DaemonStopping
	if ctx.Err() == nil && e.Kind != messages.Canceled && !away {
		_ = stream.Send(wire.ErrorEvent(err, true)) // the status says it too
	}
	return err
}
