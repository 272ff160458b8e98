package socket

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
)

var update = flag.Bool("update", false, "write the golden exchanges")

// An exchange is a file. Its input lines are:
//
//	! keep                          sessions are kept when a client disconnects
//	! find NAME SESSION HEAD BEFORE the daemon has a session
//	A> LINE                         client A, B, … sends a line
//	A/                              client A closes its connection
//	1+ EVENT                        conversation 1, 2, … gets an AgentEvent
//	1/ TEXT                         conversation 1 ends with an error
//	stop                            the gateway shuts down
//
// The expected lines are: A< a line to a client, and = a request to the daemon.

// TestExchanges plays the golden exchanges. They were written from the tables of the protocol.
func TestExchanges(t *testing.T) {
	files, err := filepath.Glob("testdata/exchanges/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no exchanges", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
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

// stage plays an exchange.
type stage struct {
	*testing.T
	server  *Server
	listen  pipes
	clients map[string]net.Conn
	fake    *fakeDaemon

	mu  sync.Mutex
	out strings.Builder
}

func (s *stage) log(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(&s.out, format+"\n", args...)
}

func play(t *testing.T, script string) string {
	s := &stage{T: t, clients: map[string]net.Conn{}, listen: pipes{make(chan net.Conn), make(chan struct{})}}
	s.fake = &fakeDaemon{log: s.log, found: map[string]Found{}}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			s.log("%s", line)
			continue
		}
		switch what := words[0]; {
		case what == "=" || strings.HasSuffix(what, "<"):
			continue // generated again
		default:
			s.log("%s", line)
		}
		switch what := words[0]; {
		case what == "!" && words[1] == "keep":
			s.server = New(Options{Keep: true, Connect: s.connect})
		case what == "!" && words[1] == "find":
			s.fake.found[words[2]] = Found{words[3], number(words[4]), number(words[5])}
		case what == "stop":
			stop()
		case strings.HasSuffix(what, ">"):
			if s.server == nil {
				s.server = New(Options{Connect: s.connect})
			}
			if len(s.clients) == 0 {
				go func() { served <- s.server.Serve(ctx, s.listen) }()
			}
			_, text, _ := strings.Cut(line, "> ")
			s.send(strings.TrimSuffix(what, ">"), text)
		case strings.HasSuffix(what, "+"):
			_, text, _ := strings.Cut(line, "+ ")
			s.fake.event(t, int(number(strings.TrimSuffix(what, "+"))), text)
		case strings.HasSuffix(what, "/") && what[0] <= '9':
			_, text, _ := strings.Cut(line, "/ ")
			s.fake.conversation(int(number(strings.TrimSuffix(what, "/")))).end(fmt.Errorf("%s", text))
		case strings.HasSuffix(what, "/"):
			s.clients[strings.TrimSuffix(what, "/")].Close()
		default:
			t.Fatalf("line %q is not understood", line)
		}
		synctest.Wait()
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	return s.out.String()
}

func number(text string) uint64 {
	n, _ := strconv.ParseUint(text, 10, 64)
	return n
}

func (s *stage) connect(string) (Daemon, error) { return s.fake, nil }

// send sends a line; a new client connects first.
func (s *stage) send(name, text string) {
	conn := s.clients[name]
	if conn == nil {
		ours, theirs := net.Pipe()
		conn = ours
		s.clients[name] = ours
		s.listen.conns <- theirs
		go func() {
			for in := bufio.NewReader(ours); ; {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				s.log("%s< %s", name, strings.TrimSuffix(line, "\n"))
			}
		}()
	}
	if _, err := io.WriteString(conn, text+"\n"); err != nil {
		s.Error(err)
	}
}

// pipes is a listener on net.Pipe.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error {
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	return nil
}

func (p pipes) Addr() net.Addr { return &net.UnixAddr{} }

// fakeDaemon records its requests.
type fakeDaemon struct {
	log   func(string, ...any)
	found map[string]Found
	away  error // of Find

	mu            sync.Mutex
	conversations []*fakeConversation
}

// keys are random: the exchange shows that there is one.
var keys = regexp.MustCompile(`"idempotencyKey":"[0-9a-f-]{36}"`)

func shown(m proto.Message) string {
	raw, _ := protojson.Marshal(m)
	text := strings.ReplaceAll(strings.ReplaceAll(string(raw), `": `, `":`), `, "`, `,"`) // protojson adds random spaces
	return keys.ReplaceAllString(text, `"idempotencyKey":"KEY"`)
}

func (d *fakeDaemon) Converse(start *pb.StartConversation) Conversation {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.conversations) + 1
	id := start.GetSessionId()
	if id == "" {
		id = fmt.Sprintf("00000000-0000-4000-8000-%012d", n)
	}
	c := &fakeConversation{log: d.log, number: n, session: id, events: make(chan *pb.AgentEvent, 100)}
	d.conversations = append(d.conversations, c)
	d.log("= converse %d: %s", n, shown(start))
	return c
}

func (d *fakeDaemon) Find(_ context.Context, reference string) (Found, error) {
	if d.away != nil {
		return Found{}, d.away
	}
	if f, ok := d.found[reference]; ok {
		return f, nil
	}
	return Found{}, ErrNotFound
}

func (d *fakeDaemon) Deny(_ context.Context, session, request, why string) error {
	d.log("= deny %s of %s: %s", request, session, why)
	return nil
}

func (d *fakeDaemon) Stop(_ context.Context, session string) error {
	d.log("= stop %s", session)
	return nil
}

func (d *fakeDaemon) Close() error { return nil }

func (d *fakeDaemon) conversation(n int) *fakeConversation {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.conversations[n-1]
}

func (d *fakeDaemon) event(t *testing.T, n int, text string) {
	e := &pb.AgentEvent{}
	if err := protojson.Unmarshal([]byte(text), e); err != nil {
		t.Fatal(err)
	}
	d.conversation(n).events <- e
}

type fakeConversation struct {
	log     func(string, ...any)
	number  int
	session string
	events  chan *pb.AgentEvent

	mu    sync.Mutex
	ended bool
	err   error
}

func (c *fakeConversation) Session() string { return c.session }

func (c *fakeConversation) Next(wait bool) *pb.AgentEvent {
	if wait {
		return <-c.events
	}
	select {
	case e := <-c.events:
		return e
	default:
		return nil
	}
}

func (c *fakeConversation) Send(r *pb.AgentRequest) { c.log("= send %d: %s", c.number, shown(r)) }

func (c *fakeConversation) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *fakeConversation) Close() { c.end(nil) }

func (c *fakeConversation) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.ended, c.err = true, err
		close(c.events)
	}
}
