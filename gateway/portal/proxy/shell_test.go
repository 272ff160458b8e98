package proxy

import (
	"context"
	"errors"
	"io"
	"slices"
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

// The proxy retries a backend that cannot be reached or does not answer, with growing delays.
func TestBackoff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(proxytest.NewDatabase(3), func(*line) error { return errors.New("no route") })
		d.after(95 * time.Second)
		if got, want := seconds(d.dials), []int{0, 1, 3, 7, 15, 31, 61, 91}; !slices.Equal(got, want) {
			t.Errorf("dials at %v, want %v", got, want)
		}
		d.end(t)
	})
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(proxytest.NewDatabase(1), func(l *line) error {
			l.mute.Store(true)
			return nil
		})
		d.after(30 * time.Second)
		if got, want := seconds(d.dials), []int{0, 11, 23}; !slices.Equal(got, want) { // 10 s for RegisterAck
			t.Errorf("dials at %v, want %v", got, want)
		}
		d.end(t)
	})
	if backoff(2, 0) != 4*time.Second || backoff(2, 1) >= 4*time.Second || backoff(99, 0.5) != 27*time.Second {
		t.Error(backoff(2, 0), backoff(2, 1), backoff(99, 0.5))
	}
}

// A good connection resets the delays; a refused one does not.
func TestBackoffIsReset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(proxytest.NewDatabase(2), func(*line) error { return nil })
		d.after(time.Second)
		for range 3 { // short ones
			d.lines[len(d.lines)-1].Close()
			d.after(20 * time.Second)
		}
		d.after(40 * time.Second)
		d.lines[len(d.lines)-1].Close()
		d.after(20 * time.Second)
		got := seconds(d.dials)
		if len(got) != 5 || got[4]-got[3] > 60 {
			t.Errorf("dials at %v", got)
		}
		last := d.dials[4] - (time.Since(d.began) - 20*time.Second)
		if last.Round(time.Second) != time.Second {
			t.Errorf("the connection after a good one came after %s", last)
		}
		d.end(t)
	})
}

// Proxies of G2 and G3 send a heartbeat each second, and leave a silent backend. Those of G1
// neither send nor answer heartbeats: two peers of that generation would answer each other without
// end.
func TestHeartbeats(t *testing.T) {
	t.Parallel()
	for generation := 1; generation <= 3; generation++ {
		synctest.Test(t, func(t *testing.T) {
			d := newDesk(proxytest.NewDatabase(generation), func(*line) error { return nil })
			d.after(time.Minute)
			d.db.Send(sessionID, proxytest.Frame{"type": "Heartbeat"})
			d.after(time.Minute)
			s, _ := d.db.Session(sessionID)
			beats := d.lines[0].wrote(`"Heartbeat"`)
			switch {
			case generation == 1 && (beats != 0 || d.lines[0].pings.Load() < 7):
				t.Errorf("%d heartbeats, %d pings", beats, d.lines[0].pings.Load())
			case generation > 1 && (beats < 118 || s.Heartbeats != beats):
				t.Errorf("%d heartbeats in two minutes", beats)
			}
			d.lines[0].mute.Store(true)
			d.after(20 * time.Second)
			if want := min(generation, 2); len(d.dials) != want { // G1 has pings instead
				t.Errorf("G%d: %d connections, want %d", generation, len(d.dials), want)
			}
			d.end(t)
			for _, c := range d.db.Complaints() {
				t.Error(c)
			}
		})
	}
}

// A backend that does not read stops the stream of events, and the proxy leaves it after 30 seconds.
func TestSlowBackend(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(proxytest.NewDatabase(2), func(*line) error { return nil })
		d.after(time.Second)
		d.lines[0].deaf.Store(true)
		put := 0
		for n := range uint64(100) {
			select {
			case d.daemon.events <- &pb.AgentEvent{Sequence: n + 1, Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "x"}}}:
				put++
			case <-time.After(100 * time.Millisecond):
			}
		}
		if put > 3 {
			t.Errorf("%d events were taken for a backend that reads nothing", put)
		}
		d.after(40 * time.Second)
		if len(d.dials) < 2 {
			t.Error("it holds on to the backend")
		}
		d.end(t)
	})
}

// While the daemon does not accept inputs, the backend is not read, and not considered silent.
func TestManyInputs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(proxytest.NewDatabase(3), func(*line) error { return nil })
		d.after(time.Second)
		for range 3 * maxInputs {
			d.db.Say(sessionID, "x", "", "")
		}
		d.after(time.Minute)
		if len(d.daemon.sent) != maxInputs || len(d.dials) != 1 {
			t.Errorf("%d inputs were sent to the daemon on %d connections", len(d.daemon.sent), len(d.dials))
		}
		d.end(t)
	})
}

// A permanently refused proxy ends; a temporarily refused one retries.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		generation int
		text       string
		retryable  bool
		final      bool
	}{
		{1, "Authentication failed - please re-authenticate", false, false},
		{2, "Authentication failed - please re-authenticate", false, false},
		{3, "Session not found or not authorized", false, true},
		{3, "Server temporarily unavailable - retrying", true, false},
		{3, "Database connection failed", false, false}, // of an older backend
	} {
		synctest.Test(t, func(t *testing.T) {
			db := proxytest.NewDatabase(c.generation)
			db.Refuse, db.Retryable = c.text, c.retryable
			d := newDesk(db, func(*line) error { return nil })
			d.after(10 * time.Second)
			select {
			case err := <-d.ended:
				if !c.final || err == nil || !strings.Contains(err.Error(), c.text) {
					t.Errorf("%v: ended with %v", c, err)
				}
			default:
				if c.final || len(d.dials) < 3 {
					t.Errorf("%v: %d connections", c, len(d.dials))
				}
				d.end(t)
			}
			d.cancel()
			time.Sleep(time.Second)
		})
	}
}
