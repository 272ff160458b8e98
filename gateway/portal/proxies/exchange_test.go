package proxies

import (
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

	"google.golang.org/protobuf/encoding/protojson"

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
