package proxy

import (
	"context"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"betcode/gateway/portal/proxy/proxytest"
	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

// line is a [Socket] to a backend, in virtual time.
type line struct {
	peer   *proxytest.Peer
	deaf   atomic.Bool // the backend reads nothing
	mute   atomic.Bool // the backend answers nothing
	gone   chan struct{}
	once   sync.Once
	pings  atomic.Int32
	unread [][]byte

	mu     sync.Mutex
	frames []string // that the proxy wrote
}

// wrote returns the number of frames of the proxy that contain a text.
func (l *line) wrote(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(strings.Join(l.frames, "\n"), text)
}

func (l *line) Read(ctx context.Context) ([]byte, error) {
	for {
		if len(l.unread) > 0 && !l.mute.Load() {
			frame := l.unread[0]
			l.unread = l.unread[1:]
			return frame, nil
		}
		select {
		case <-l.peer.Ready():
			l.unread = append(l.unread, l.peer.Take()...)
		case <-l.gone:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (l *line) Write(ctx context.Context, frame []byte) error {
	if l.deaf.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	l.mu.Lock()
	l.frames = append(l.frames, string(frame))
	l.mu.Unlock()
	l.peer.Receive(frame)
	return nil
}

func (l *line) Ping(context.Context) error {
	l.pings.Add(1)
	return nil
}

func (l *line) Close() {
	l.once.Do(func() {
		l.peer.Close()
		close(l.gone)
	})
}

// still is a daemon whose session sends the events of the test.
type still struct {
	events chan *pb.AgentEvent
	sent   []*pb.AgentRequest
}

func (s *still) Show(context.Context) (Session, error) { return Session{Directory: "/project"}, nil }
func (s *still) Stop(context.Context) error            { return nil }
func (s *still) Converse(uint64) Conversation {
	return &stillTalk{s, make(chan *pb.AgentEvent), make(chan struct{}), sync.Once{}}
}

type stillTalk struct {
	*still
	out  chan *pb.AgentEvent
	end  chan struct{}
	once sync.Once
}

func (s *stillTalk) Events() <-chan *pb.AgentEvent {
	s.once.Do(func() {
		go func() {
			for {
				select {
				case e := <-s.events:
					select {
					case s.out <- e:
					case <-s.end:
						return
					}
				case <-s.end:
					return
				}
			}
		}()
	})
	return s.out
}
func (s *stillTalk) Err() error              { return nil }
func (s *stillTalk) Send(r *pb.AgentRequest) { s.sent = append(s.sent, r) }
func (s *stillTalk) Close()                  { close(s.end) }

type memory struct{ Checkpoint }

func (m *memory) Load() (Checkpoint, error) { return m.Checkpoint, nil }
func (m *memory) Save(c Checkpoint) error {
	m.Checkpoint = c
	return nil
}

// desk is a proxy in virtual time.
type desk struct {
	db     *proxytest.Database
	daemon *still
	lines  []*line
	dials  []time.Duration // since the beginning
	began  time.Time
	cancel context.CancelFunc
	ended  chan error
}

func newDesk(db *proxytest.Database, dial func(*line) error) *desk {
	d := &desk{db: db, daemon: &still{events: make(chan *pb.AgentEvent)}, began: time.Now(), ended: make(chan error, 1)}
	log := zerolog.Nop()
	p := New(Options{
		Config: Config{Session: sessionID, Dialect: wire.Dialect(db.Generation), NewID: func() string { return sessionID }}, //nolint:gosec // 1 to 3
		Daemon: d.daemon, Store: &memory{}, Random: func() float64 { return 0 }, Logger: &log,
		Branch: func(context.Context, string) string { return "main" },
		Dial: func(context.Context) (Socket, error) {
			l := &line{peer: d.db.Connect(), gone: make(chan struct{})}
			d.dials = append(d.dials, time.Since(d.began))
			d.lines = append(d.lines, l)
			return l, dial(l)
		},
	})
	var ctx context.Context
	ctx, d.cancel = context.WithCancel(context.Background())
	go func() { d.ended <- p.Run(ctx) }()
	return d
}

// after advances the time.
func (d *desk) after(t time.Duration) {
	time.Sleep(t)
	synctest.Wait()
}

// end ends the proxy like a signal.
func (d *desk) end(t *testing.T) {
	t.Helper()
	d.cancel()
	if err := <-d.ended; err != nil {
		t.Error(err)
	}
	time.Sleep(time.Second)
}

func seconds(all []time.Duration) (out []int) {
	for _, d := range all {
		out = append(out, int(d.Seconds()))
	}
	return out
}
