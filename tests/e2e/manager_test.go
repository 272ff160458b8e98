package e2e

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// TestManagerIsTold: the daemon reports to a process manager that it serves, lives and ends; its
// agents do not get the variables for that.
func TestManagerIsTold(t *testing.T) {
	t.Parallel()
	s, socket := managed(t, 200*time.Millisecond)
	hear := hears(t, socket)
	if said := hear(); said != "READY=1" {
		t.Errorf("first %q", said)
	}
	for range 3 {
		if said := hear(); said != "WATCHDOG=1" {
			t.Errorf("then %q", said)
		}
	}
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:hello")
	s.wait(c, 0, kit.IsIdle)
	environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.agent(id)), "environ"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(environ), "NOTIFY_SOCKET") || strings.Contains(string(environ), "WATCHDOG") {
		t.Error("the agent got the variables of the process manager")
	}
	c.Close()
	if _, err := s.daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	s.daemon = nil
	for said := hear(); said != "STOPPING=1"; said = hear() {
		if said != "WATCHDOG=1" {
			t.Errorf("at the end %q", said)
		}
	}
}

// managed starts a daemon whose process manager wants to hear of it within a time, and returns the socket of the manager.
func managed(t *testing.T, within time.Duration) (*story, *net.UnixConn) {
	t.Helper()
	w, err := kit.NewWorld(binaries.betcode, binaries.fake)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.Root, "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	w.Extra = append(w.Extra, "NOTIFY_SOCKET="+path, "WATCHDOG_USEC="+strconv.FormatInt(within.Microseconds(), 10))
	return storyIn(t, w), socket
}

// hears reads everything that arrives at a socket, as a process manager does, and returns a function that waits for the next
// message.
func hears(t *testing.T, socket *net.UnixConn) func() string {
	t.Helper()
	messages := make(chan string, 1<<16)
	go func() {
		defer close(messages)
		for buffer := make([]byte, 4096); ; {
			n, err := socket.Read(buffer)
			if err != nil {
				return // the test closes it
			}
			messages <- string(buffer[:n])
		}
	}()
	return func() string {
		t.Helper()
		select {
		case message := <-messages:
			return message
		case <-time.After(patience):
			t.Fatal("the daemon does not notify the process manager")
			return ""
		}
	}
}

// TestManagerThatDoesNotRead: a process manager that reads nothing does not hold up the end of the daemon.
func TestManagerThatDoesNotRead(t *testing.T) {
	t.Parallel()
	s, _ := managed(t, 2*time.Millisecond)
	s.logs("process manager was not notified", "WATCHDOG=1") // the socket's queue is full
	if _, err := s.daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	s.daemon = nil
}

// TestHealthProbe: the exit code of the probe command is the health of the daemon; so is that of
// `daemon status`, which shows the components of the API document.
func TestHealthProbe(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "BETCODE_MEMORY_LIMIT=1MiB")
	for _, probe := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"health"}, 0, "SERVING\n"},
		{[]string{"health", "AgentService"}, 0, "SERVING\n"},
		{[]string{"health", "betcode.v1.BetCodeHealth"}, 0, "SERVING\n"},
		{[]string{"health", "Nobody"}, 6, "Nobody"},
		{[]string{"health", "a", "b"}, 5, "takes"},
		{[]string{"daemon", "status"}, 0, "Daemon: SERVING (degraded)\n  subprocess_pool: SERVING (0/5 slots used)\n  journal: SERVING\n"},
	} {
		if said, code := s.command(binaries.betcode, probe.args); code != probe.code || !strings.Contains(said, probe.says) {
			t.Errorf("%q: exit %d\n%s", probe.args, code, said)
		}
	}
	details, err := pb.NewBetCodeHealthClient(s.daemon.Conn()).GetHealthDetails(t.Context(), &pb.HealthDetailsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if !details.GetDegraded() || !strings.HasPrefix(details.GetDegradedReason(), "Memory usage > 80%.") ||
		details.GetMetadata()["degraded_states"] != "high_memory" || details.GetMetadata()["uptime"] == "" || details.GetMetadata()["version"] == "" {
		t.Errorf("%v", details)
	}
	standard := healthpb.NewHealthClient(s.daemon.Conn())
	watch, err := standard.Watch(t.Context(), &healthpb.HealthCheckRequest{Service: "AgentService"})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := watch.Recv(); err != nil || r.GetStatus() != healthpb.HealthCheckResponse_SERVING {
		t.Errorf("watched: %v %v", r, err)
	}
	if _, err := s.daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	s.daemon = nil
	for _, args := range [][]string{{"health"}, {"daemon", "status"}} {
		if said, code := s.command(binaries.betcode, args); code != 2 {
			t.Errorf("%q without a daemon: exit %d\n%s", args, code, said)
		}
	}
}
