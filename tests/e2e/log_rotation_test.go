package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	pb "betcode/proto/betcode/v1"
)

// The log of a daemon in the background is bounded, the output of a crash is at its end, and later
// daemons append to it, with a changed limit.
func TestLogRotates(t *testing.T) {
	t.Parallel()
	const limit = 64 << 10
	s := newStory(t, binaries.fake, "BETCODE_LOG_MAX_BYTES=64KiB", "BETCODE_LOG_FILES=2", "BETCODE_LOG_LEVEL=debug")
	path := filepath.Join(s.world.StateDir(), "daemon.log")
	read := func(name string) string {
		raw, _ := os.ReadFile(name) // it may not be there
		return string(raw)
	}
	restart := func() int {
		if said, code := s.command(s.world.Binary, []string{"daemon", "restart"}); code != 0 {
			t.Fatalf("exit %d\n%s", code, said)
		}
		pid, err := strconv.Atoi(s.pid())
		if err != nil {
			t.Fatal(err)
		}
		return pid
	}
	fill := func() { // until the file has been rotated
		before := read(path + ".1")
		s.eventually("the log is rotated", func() bool {
			for range 20 {
				if _, err := s.daemon.Agents().ListSessions(t.Context(), &pb.ListSessionsRequest{}); err != nil {
					t.Fatal(err)
				}
			}
			return read(path+".1") != before
		})
	}
	restart()
	fill()
	fill()
	next := fmt.Sprintf(`"pid":%d`, restart())
	s.eventually("the next daemon goes on in the log", func() bool {
		return strings.Contains(read(path), next) || strings.Contains(read(path+".1"), next)
	})
	fill()
	pid := restart()
	fill()
	entries, err := filepath.Glob(path + "*")
	if err != nil || len(entries) != 2 {
		t.Errorf("files %v, %v", entries, err)
	}
	for _, name := range entries {
		if info, err := os.Stat(name); err != nil || info.Size() > limit || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil { // the runtime prints all goroutines
		t.Fatal(err)
	}
	s.eventually("the crash is in the log", func() bool { return strings.Contains(read(path), "SIGQUIT: quit") })
	s.eventually("the daemon has ended", func() bool {
		_, code := s.command(s.world.Binary, []string{"daemon", "status"})
		return code != 0
	})
	if said, code := s.command(s.world.Binary, []string{"daemon", "start"}); code != 0 {
		t.Fatalf("exit %d\n%s", code, said)
	}
	s.pid()
	s.stopBackground()
}
