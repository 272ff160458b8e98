package e2e

import (
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
)

// TestMemoryLimit: health says whether agents have their limit, and what is missing; agents start in any case.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	limit := func() *pb.ComponentHealth {
		t.Helper()
		health, err := pb.NewBetCodeHealthClient(s.daemon.Conn()).GetHealthDetails(s.Context(), &pb.HealthDetailsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range health.GetComponents() {
			if c.GetName() == "memory_limit" {
				return c
			}
		}
		return nil
	}
	if c := limit(); c != nil {
		t.Errorf("without the setting: %v", c)
	}
	s.cli(0, "config", "set", "agent.memory_max", "1GiB")
	s.eventually("health has the limit", func() bool { return limit() != nil })
	switch said := limit().String(); {
	case strings.Contains(said, "memory_limit_unavailable"):
		if !strings.Contains(said, "Delegate") || !strings.Contains(said, "without a limit") {
			t.Errorf("unavailable: %s", said)
		}
	case !strings.Contains(said, "1024 MiB"):
		t.Errorf("limited: %s", said)
	}
	if said := s.cli(0, "run", "echo:hello"); !strings.Contains(said, "hello") {
		t.Errorf("the agent says %s", said)
	}
	s.killDaemon()
	if said := s.cli(0, "run", "echo:again"); !strings.Contains(said, "again") {
		t.Errorf("the agent of the next daemon says %s", said)
	}
}
