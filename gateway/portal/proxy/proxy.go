package proxy

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"betcode/gateway/portal/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// The limits of texts in Register, from the columns of the backends.
const (
	maxName    = 255
	maxVersion = 32
)

// The errors of a [Daemon] that callers distinguish.
var (
	// ErrNotFound is the error for a deleted session.
	ErrNotFound = errors.New("there is no such session")
	// ErrRestored is the error if the daemon has another journal than before.
	ErrRestored = errors.New("the daemon has another journal")
)

// Daemon is the daemon as a proxy of one session sees it.
type Daemon interface {
	// Show returns the session. The error is [ErrNotFound] if there is none.
	Show(ctx context.Context) (Session, error)
	// Converse attaches to the session after an event. The caller closes it.
	Converse(after uint64) Conversation
	// Stop ends the agent of the session.
	Stop(ctx context.Context) error
}

// Session is a session of the daemon.
type Session struct {
	Model, Directory string
	Head             uint64 // number of its newest event
	Before           uint64 // events up to here are not replayed
}

// Conversation is the session as one connection sees it. It reconnects to the daemon by itself.
type Conversation interface {
	// Events returns the events in order, each once. The channel is closed at the end.
	Events() <-chan *pb.AgentEvent
	// Err returns why the conversation ended; nil if it was closed.
	Err() error
	// Send sends a request. It does not wait.
	Send(*pb.AgentRequest)
	// Close detaches. The session continues.
	Close()
}

// Socket is a connection to the backend. Read and Write may run concurrently.
type Socket interface {
	// Read returns the next text frame.
	Read(ctx context.Context) ([]byte, error)
	// Write writes a text frame.
	Write(ctx context.Context, frame []byte) error
	// Ping returns when the peer has answered.
	Ping(ctx context.Context) error
	// Close ends the connection.
	Close()
}

// Config is what a proxy reports about its session, and what it allows the backend.
type Config struct {
	Backend  string // its URL
	Session  string // a UUID, the same at the daemon and at the backend
	Name     string // of the session, for people
	Hostname string
	Version  string // of this program
	Token    string // empty for none
	Dialect  wire.Dialect
	Client   string // client id of the proxy at the daemon

	ReadOnly  bool   // the backend may only view
	Detach    bool   // a session that the backend terminates continues here
	MaxUpload uint64 // bytes of a file; 0 = files are refused

	NewID func() string // returns a random UUID
}

// Options configure a proxy.
type Options struct {
	Config
	Daemon Daemon
	Store  Store
	Dial   func(ctx context.Context) (Socket, error)
	// Branch returns the branch of a directory; empty if there is none.
	Branch func(ctx context.Context, directory string) string
	// Keep stores a file under a name derived from name, and returns its path.
	Keep func(name string, data []byte) (string, error)
	// Registered is called after the first registration.
	Registered func() error
	Random     func() float64 // from 0 to 1
	Logger     *zerolog.Logger
}

// Proxy registers a session of the daemon at a foreign backend.
type Proxy struct {
	Options
	saved  Checkpoint
	before bool // the session was registered before, perhaps by an earlier process
}

// New returns a proxy.
func New(o Options) *Proxy {
	o.Name, o.Hostname, o.Version = clip(o.Name, maxName), clip(o.Hostname, maxName), clip(o.Version, maxVersion)
	return &Proxy{Options: o}
}

// Run keeps the session registered until ctx ends, the backend terminates it, or the session is deleted.
func (p *Proxy) Run(ctx context.Context) (err error) {
	if p.saved, err = p.Store.Load(); err != nil {
		return err
	}
	p.before = p.saved.Reserved > 0
	for attempt := 0; ; {
		began := time.Now()
		end, registered := p.connect(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // ctx has ended
		}
		if end.final {
			return end.err
		}
		if registered && time.Since(began) >= goodConnection || end.after > 0 || end.now {
			attempt = 0
		}
		wait := end.after
		if wait == 0 && !end.now {
			wait = backoff(attempt, p.Random())
			attempt++
		}
		log := p.Logger.Warn().Err(end.err).Stringer("wait", wait)
		if e := (*messages.Error)(nil); errors.As(end.err, &e) && e.Hint != "" {
			log = log.Str("hint", e.Hint)
		}
		log.Msg("connection to the portal ended")
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
	}
}

// save makes the checkpoint durable.
func (p *Proxy) save(c Checkpoint) error {
	if err := p.Store.Save(c); err != nil {
		return messages.Errorf("save the state of the proxy", messages.Internal, "%w", err)
	}
	p.saved = c
	return nil
}

// register returns the first message of a connection.
func (p *Proxy) register(found Session, branch string) wire.Register {
	m := wire.Register{
		SessionID: wire.UUID(p.Session), SessionName: p.Name, WorkingDirectory: found.Directory, Resuming: p.before,
		ClientVersion: &p.Version, AgentType: agentType, ClaudeArgs: []string{}, Capabilities: []string{},
	}
	if p.Token != "" {
		m.AuthToken = &p.Token
	}
	if p.Hostname != "" {
		m.Hostname = &p.Hostname
	}
	if branch != "" {
		m.GitBranch = &branch
	}
	return m
}
