package socket

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	pb "betcode/proto/betcode/v1"
)

// serving starts a server in a bubble. dial connects a client; stop ends the server.
func serving(t *testing.T, o Options) (dial func() net.Conn, stop func()) {
	listen := pipes{make(chan net.Conn), make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- New(o).Serve(ctx, listen) }()
	return func() net.Conn {
			ours, theirs := net.Pipe()
			listen.conns <- theirs
			return ours
		}, func() {
			cancel()
			if err := <-served; err != nil {
				t.Error(err)
			}
		}
}

func quiet() *fakeDaemon { return &fakeDaemon{log: func(string, ...any) {}, found: map[string]Found{}} }

func connecting(d Daemon) func(string) (Daemon, error) {
	return func(string) (Daemon, error) { return d, nil }
}

// A client that does not read blocks only its own conversation, and neither another client nor the end of the gateway.
func TestClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	fake := quiet()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- New(Options{Connect: connecting(fake)}).Serve(ctx, l) }()
	dial := func() (net.Conn, *bufio.Reader) {
		c, err := net.Dial("unix", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c, bufio.NewReader(c)
	}
	slow, in := dial()
	fmt.Fprintln(slow, `{"type":"start_session","sessionId":"s1","cwd":"/p","prompt":"x"}`)
	fmt.Fprintln(slow, `[]`) // its answer arrives when the session exists
	if _, err := in.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	fake.conversation(1).events <- &pb.AgentEvent{Sequence: 1, Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: strings.Repeat("x", 8<<20)}}}
	other, in := dial()
	fmt.Fprintln(other, `{"type":"close_session","sessionId":"unknown"}`)
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "not found") {
		t.Errorf("another client got %q %v", line, err)
	}
	cancel()
	if err := <-served; err != nil { // a wait for the client would never end
		t.Error(err)
	}
}

// Clients and sessions beyond the bounds are refused.
func TestBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := quiet()
		dial, stop := serving(t, Options{Connect: connecting(fake), Keep: true})
		first := dial()
		in := bufio.NewReader(first)
		for i := range maxSessions {
			fmt.Fprintf(first, `{"type":"start_session","sessionId":"s%d","cwd":"/p","prompt":"x"}`+"\n", i)
		}
		fmt.Fprintln(first, `{"type":"start_session","sessionId":"more","cwd":"/p","prompt":"x"}`)
		if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, tooManySessions) {
			t.Errorf("one session more: %q %v", line, err)
		}
		all := []net.Conn{first}
		for range maxConnections - 1 {
			all = append(all, dial())
		}
		synctest.Wait()
		if line, err := bufio.NewReader(dial()).ReadString('\n'); err != nil || !strings.Contains(line, "Too many connections") {
			t.Errorf("one client more: %q %v", line, err)
		}
		for _, c := range all {
			c.Close()
		}
		synctest.Wait()
		again := dial()
		fmt.Fprintln(again, `[]`)
		if line, err := bufio.NewReader(again).ReadString('\n'); err != nil || !strings.Contains(line, "must have") {
			t.Errorf("a client after the others: %q %v", line, err)
		}
		stop()
	})
}

// While the daemon is away, a client is not told that its session does not exist.
func TestFindWhileTheDaemonIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := quiet()
		fake.away = errors.New("the daemon is away")
		dial, stop := serving(t, Options{Connect: connecting(fake)})
		c := dial()
		in := bufio.NewReader(c)
		for _, request := range []string{`{"type":"attach_session","sessionId":"s1"}`, `{"type":"resume_session","sessionId":"s1","claudeSessionId":"x","cwd":"/p","prompt":"x"}`} {
			fmt.Fprintln(c, request)
			if line, err := in.ReadString('\n'); err != nil || line != `{"sessionId":"s1","type":"error","error":"the daemon is away"}`+"\n" {
				t.Errorf("%s: %q %v", request, line, err)
			}
		}
		if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "idle") {
			t.Errorf("a session that is not resumed: %q %v", line, err)
		}
		c.Close()
		stop()
	})
}

// Only the text of an AdmissionError is sent to the client.
func TestRefusedClients(t *testing.T) {
	t.Parallel()
	for why, want := range map[error]string{
		AdmissionError("agents may only view"): `{"sessionId":"","type":"error","error":"agents may only view"}` + "\n",
		errors.New("user 7"):                   "",
	} {
		synctest.Test(t, func(t *testing.T) {
			dial, stop := serving(t, Options{
				Connect: connecting(quiet()), Admit: func(net.Conn) (net.Conn, error) { return nil, why },
			})
			if got, err := io.ReadAll(dial()); err != nil || string(got) != want {
				t.Errorf("told %q %v", got, err)
			}
			stop()
		})
	}
}

// While no daemon answers, the gateway retries to stop the session of a client that has left, and finally gives up.
func TestStopIsTriedAgain(t *testing.T) {
	t.Parallel()
	for away, tries := range map[time.Duration]int{0: 1, 3 * time.Second: 4, time.Hour: 32} {
		synctest.Test(t, func(t *testing.T) {
			d := &absent{fakeDaemon: quiet(), back: time.Now().Add(away)}
			dial, stop := serving(t, Options{Connect: connecting(d)})
			client := dial()
			fmt.Fprintln(client, `{"type":"start_session","sessionId":"s1","cwd":"/p","prompt":"x"}`)
			synctest.Wait()
			client.Close()
			time.Sleep(time.Minute)
			synctest.Wait()
			if d.tries < tries-1 || d.tries > tries {
				t.Errorf("away for %s: tried %d times, not %d", away, d.tries, tries)
			}
			stop()
		})
	}
}

// absent is a daemon that does not answer for some time.
type absent struct {
	*fakeDaemon
	back  time.Time
	tries int
}

func (d *absent) Stop(context.Context, string) error {
	d.tries++
	if time.Now().Before(d.back) {
		return errors.New("no daemon answers")
	}
	return nil
}

// A client that asks for the input lock gets it at once: clients of this protocol do not know that they hold it.
func TestLockIsReleased(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := quiet()
		var mu sync.Mutex
		var sent []string
		fake.log = func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			if line := fmt.Sprintf(format, args...); strings.Contains(line, "lock") {
				sent = append(sent, line)
			}
		}
		var client string
		dial, stop := serving(t, Options{Connect: func(name string) (Daemon, error) { client = name; return fake, nil }})
		conn := dial()
		go func() { _, _ = io.Copy(io.Discard, conn) }() // until the gateway closes it
		fmt.Fprintln(conn, `{"type":"start_session","sessionId":"s1","cwd":"/p","prompt":"x"}`)
		synctest.Wait()
		for _, change := range []*pb.LockChange{
			{Holder: client},
			{Holder: "terminal", RequestedBy: "phone"},
			{Holder: client, RequestedBy: "terminal"},
			{Holder: "terminal", PreviousHolder: client},
		} {
			fake.conversation(1).events <- &pb.AgentEvent{Event: &pb.AgentEvent_Lock{Lock: change}}
		}
		synctest.Wait()
		mu.Lock()
		if want := `= send 1: {"lock":{"action":"LOCK_ACTION_RELEASE"}}`; len(sent) != 1 || sent[0] != want {
			t.Errorf("sent %q, want %q", sent, want)
		}
		mu.Unlock()
		conn.Close()
		stop()
	})
}
