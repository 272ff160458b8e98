package e2e

import (
	"fmt"
	"os"
	"testing"

	pb "betcode/proto/betcode/v1"
)

// No other process of the user reads the daemon's environment, memory or descriptors;
// what follows it asks it (TestRestart).
func TestDaemonIsNotDumpable(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may look at everything")
	}
	s := newStory(t, binaries.fake)
	for _, file := range []string{"environ", "mem", "fd/0", "maps"} {
		if f, err := os.Open(fmt.Sprintf("/proc/%d/%s", s.daemon.PID(), file)); err == nil {
			f.Close()
			t.Errorf("%s can be opened", file)
		}
	}
	told, err := s.daemon.Admin().GetStartup(t.Context(), &pb.GetStartupRequest{})
	if err != nil || len(told.GetEnvironment()) == 0 {
		t.Errorf("%v, %v", told, err)
	}
}
