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
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
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

	mu   sync.Mutex
	step []string // what the present line of the script has caused
	out  strings.Builder
}

func (s *stage) log(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.step = append(s.step, fmt.Sprintf(format, args...))
}

// settle waits until nothing happens any more, and writes what a line of the script has caused: requests to the daemon, then the
// lines to each client. Requests and lines have no order among each other: different goroutines write them.
func (s *stage) settle() {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortStableFunc(s.step, func(a, b string) int {
		from, _, _ := strings.Cut(a, " ")
		other, _, _ := strings.Cut(b, " ")
		return strings.Compare(from, other) // "=" comes before names
	})
	for _, line := range s.step {
		fmt.Fprintln(&s.out, line)
	}
	s.step = nil
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
			fmt.Fprintln(&s.out, line)
			continue
		}
		switch what := words[0]; {
		case what == "=" || strings.HasSuffix(what, "<"):
			continue // generated again
		default:
			fmt.Fprintln(&s.out, line)
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
		s.settle()
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	s.settle()
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
