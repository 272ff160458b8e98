package e2e

import (
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
)

// TestMemoryLimit: health reports whether agents have their limit, and what is missing; agents
// start in any case.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	health := func() string {
		t.Helper()
		said, err := pb.NewBetCodeHealthClient(s.daemon.Conn()).GetHealthDetails(s.Context(), &pb.HealthDetailsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return said.String()
	}
	if said := health(); strings.Contains(said, "memory_limit") {
		t.Errorf("without the setting: %s", said)
	}
	s.cli(0, "config", "set", "agent.memory_max", "1GiB")
	s.eventually("health has the limit", func() bool { return strings.Contains(health(), "memory_limit") })
	said := health()
	missing := strings.Contains(said, "memory_limit_unavailable") && strings.Contains(said, "Delegate") && strings.Contains(said, "without a limit")
	if limited := strings.Contains(said, "agents may use 1024 MiB"); limited == missing {
		t.Errorf("limited %v, unavailable %v: %s", limited, missing, said)
	}
	if said := s.cli(0, "run", "echo:hello"); !strings.Contains(said, "hello") {
		t.Errorf("the agent says %s", said)
	}
	s.killDaemon()
	if said := s.cli(0, "run", "echo:again"); !strings.Contains(said, "again") {
		t.Errorf("the agent of the next daemon says %s", said)
	}
}
