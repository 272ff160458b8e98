package proxies

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
)

var update = flag.Bool("update", false, "write the golden exchanges")

// An exchange is a file. Its input lines are:
//
//	! dev                  the server runs in dev mode
//	! most N               the server has places for N proxies
//	! refuse SECRET ERROR  the daemon refuses a token: unauthenticated, denied, notfound, invalid, ended
//	! away, ! back         the daemon goes away with all of its calls, and comes back
//	A> FRAME               proxy A, B, … sends a text frame; A>b FRAME sends a binary one
//	A pong                 proxy A answers all pings
//	A/                     proxy A closes its connection
//	1+ EVENT               call 1, 2, … gets a ProxyEvent
//	1/ ERROR               call 1 ends with an error: also eof, takenover, ended
//	wait DURATION          time passes
//	stop                   the gateway shuts down
//
// The expected lines are: A< a frame to a proxy, and = a request to the daemon. ID stands for the session's id.

const sessionID = "0b0e8a10-0000-4000-8000-00000000000a"

// TestExchanges plays the golden exchanges. They were written from the tables of the protocol.
func TestExchanges(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/exchanges/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no exchanges", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got string
			synctest.Test(t, func(t *testing.T) { got = play(t, string(raw)) })
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(raw) {
				t.Errorf("%s differs; the exchange is now:\n%s", file, got)
			}
		})
	}
}

var failures = map[string]error{
	"unauthenticated": ErrUnauthenticated, "denied": ErrDenied, "notfound": ErrNotFound, "invalid": fmt.Errorf("%w: the name is too long", ErrInvalid),
	"takenover": ErrTakenOver, "ended": ErrEnded, "eof": io.EOF, "away": errors.New("no daemon answers"),
}

// stage plays an exchange.
type stage struct {
	*testing.T
	options Options
	server  *Server
	proxies map[string]*fakeSocket
	daemon  *fakeDaemon

	mu  sync.Mutex
	out strings.Builder
}

func (s *stage) log(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), sessionID, "ID")
	s.out.WriteString(text + "\n")
}

func play(t *testing.T, script string) string {
	s := &stage{T: t, proxies: map[string]*fakeSocket{}}
	s.daemon = &fakeDaemon{log: s.log, refuses: map[string]error{}}
	s.options.Connect = s.daemon.connect
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		words := strings.Fields(line)
		if len(words) > 0 && (words[0] == "=" || strings.HasSuffix(words[0], "<")) {
			continue // generated again
		}
		s.log("%s", line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		s.step(strings.ReplaceAll(line, "ID", sessionID), words)
		synctest.Wait()
	}
	for _, p := range s.proxies {
		p.hangUp()
	}
	synctest.Wait()
	if s.server != nil {
		s.server.Close()
	}
	return s.out.String()
}

func (s *stage) step(line string, words []string) {
	switch what := words[0]; {
	case what == "!":
		s.setting(words[1:])
	case what == "wait":
		d, err := time.ParseDuration(words[1])
		if err != nil {
			s.Fatal(err)
		}
		time.Sleep(d)
	case what == "stop":
		go s.server.Close()
	case strings.HasSuffix(what, ">"), strings.HasSuffix(what, ">b"):
		name, text := strings.TrimRight(what, ">b"), !strings.HasSuffix(what, "b")
		_, frame, _ := strings.Cut(line, " ")
		s.socket(name).in <- fakeFrame{text, []byte(frame)}
	case len(words) > 1 && words[1] == "pong":
		s.socket(what).pong()
	case strings.HasSuffix(what, "+"):
		_, text, _ := strings.Cut(line, " ")
		e := &pb.ProxyEvent{}
		if err := protojson.Unmarshal([]byte(text), e); err != nil {
			s.Fatal(err)
		}
		s.daemon.call(number(what)).events <- e
	case strings.HasSuffix(what, "/") && what[0] <= '9':
		s.daemon.call(number(what)).fail(failures[words[1]])
	case strings.HasSuffix(what, "/"):
		s.socket(strings.TrimSuffix(what, "/")).hangUp()
	default:
		s.Fatalf("line %q is not understood", line)
	}
}

func (s *stage) setting(words []string) {
	switch words[0] {
	case "dev":
		s.options.Dev = true
	case "most":
		s.options.Most = number(words[1])
	case "refuse":
		s.daemon.refuses[words[1]] = failures[words[2]]
	case "away":
		s.daemon.goAway()
	case "back":
		s.daemon.comeBack()
	}
}

func number(text string) int {
	n, _ := strconv.Atoi(strings.TrimRight(text, "+/"))
	return n
}

// socket returns the socket of a proxy; a new one connects first.
func (s *stage) socket(name string) *fakeSocket {
	if p := s.proxies[name]; p != nil {
		return p
	}
	if s.server == nil {
		s.server = New(s.options)
	}
	p := &fakeSocket{log: s.log, name: name, in: make(chan fakeFrame, 100), closed: make(chan struct{}), pongs: make(chan struct{})}
	s.proxies[name] = p
	if !s.server.enter() {
		s.log("%s< (no place)", name)
		return p
	}
	go s.server.serve(s.Context(), p, name)
	return p
}

type fakeFrame struct {
	text  bool
	bytes []byte
}

// fakeSocket is the socket of a proxy.
type fakeSocket struct {
	log    func(string, ...any)
	name   string
	in     chan fakeFrame
	closed chan struct{}
	once   sync.Once

	mu    sync.Mutex
	pongs chan struct{} // closed when pings are answered
}

func (f *fakeSocket) Read(ctx context.Context) (text bool, frame []byte, held int, err error) {
	select {
	case in := <-f.in:
		return in.text, in.bytes, 0, nil
	case <-f.closed:
		return false, nil, 0, io.EOF
	case <-ctx.Done():
		return false, nil, 0, ctx.Err()
	}
}

func (f *fakeSocket) Write(_ context.Context, frame []byte) error {
	f.log("%s< %s", f.name, frame)
	return nil
}

func (f *fakeSocket) Ping(ctx context.Context) error {
	f.log("%s< (ping)", f.name)
	f.mu.Lock()
	pongs := f.pongs
	f.mu.Unlock()
	select {
	case <-pongs:
		return nil
	case <-f.closed:
		return io.EOF
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *fakeSocket) pong() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.pongs)
	f.pongs = make(chan struct{})
}

func (f *fakeSocket) Registered() {}

func (f *fakeSocket) Busy() bool { return false }

func (f *fakeSocket) Close(code websocket.StatusCode, reason string) {
	f.once.Do(func() {
		f.log("%s< (closed %d: %s)", f.name, code, reason)
		close(f.closed)
	})
}

func (f *fakeSocket) hangUp() { f.once.Do(func() { close(f.closed) }) }

// fakeDaemon records its requests.
type fakeDaemon struct {
	log     func(string, ...any)
	refuses map[string]error

	mu    sync.Mutex
	away  bool
	calls []*fakeCall
}

func (d *fakeDaemon) connect(secret, _ string) (Daemon, error) {
	d.log("= connect with %q", secret)
	return fakeDaemonOf{d, secret}, nil
}

func (d *fakeDaemon) call(n int) *fakeCall {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls[n-1]
}

func (d *fakeDaemon) goAway() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.away = true
	for _, c := range d.calls {
		c.fail(failures["away"])
	}
}

func (d *fakeDaemon) comeBack() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.away = false
}

// fakeDaemonOf is the daemon for a token.
type fakeDaemonOf struct {
	*fakeDaemon
	secret string
}

func (d fakeDaemonOf) Close() error { return nil }

func (d fakeDaemonOf) Proxy(ctx context.Context) (Call, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.away {
		return nil, failures["away"]
	}
	c := &fakeCall{fakeDaemonOf: d, ctx: ctx, number: len(d.calls) + 1, events: make(chan *pb.ProxyEvent, 100), ended: make(chan struct{})}
	d.calls = append(d.calls, c)
	return c, nil
}

type fakeCall struct {
	fakeDaemonOf
	ctx    context.Context
	number int
	events chan *pb.ProxyEvent
	ended  chan struct{}
	once   sync.Once
	err    error
}

func shown(m proto.Message) string {
	raw, _ := protojson.Marshal(m)
	return strings.ReplaceAll(strings.ReplaceAll(string(raw), `": `, `":`), `, "`, `,"`) // protojson adds random spaces
}

func (c *fakeCall) Send(r *pb.ProxyRequest) error {
	select {
	case <-c.ended:
		return io.EOF
	default:
	}
	c.log("= %d: %s", c.number, shown(r))
	if r.GetRegister() != nil {
		if err := c.refuses[c.secret]; err != nil {
			c.fail(err)
			return nil
		}
		c.events <- &pb.ProxyEvent{Event: &pb.ProxyEvent_Registered{Registered: &pb.ProxyRegistered{SessionId: r.GetRegister().GetSessionId()}}}
	}
	return nil
}

func (c *fakeCall) Recv() (*pb.ProxyEvent, error) {
	select {
	case e := <-c.events:
		return e, nil
	case <-c.ended:
		return nil, c.err
	case <-c.ctx.Done():
		return nil, context.Canceled
	}
}

func (c *fakeCall) fail(err error) {
	c.once.Do(func() {
		c.err = err
		close(c.ended)
	})
}
