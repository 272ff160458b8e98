package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// An audit log that cannot be written any more is a component that does not serve: the
// daemon works on and calls itself degraded, until entries can be written again.
func TestAuditLogFails(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	if _, err := s.daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	// The file has room for the next daemon's first entry; the one after that is /dev/full.
	file := func(first int) string {
		return filepath.Join(s.world.StateDir(), "audit", fmt.Sprintf("%020d.jsonl", first))
	}
	raw, err := os.ReadFile(file(1))
	if err != nil {
		t.Fatal(err)
	}
	filler := bytes.Repeat([]byte{' '}, 8<<20-len(raw)-2)
	if err := os.WriteFile(file(1), append(append(raw, filler...), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", file(3)); err != nil {
		t.Fatal(err)
	}
	s.start()
	if c, _, degraded := s.auditHealth(); c.GetStatus() != pb.ServingStatus_SERVING || degraded {
		t.Fatalf("at first %v, degraded %v", c, degraded)
	}

	a := s.converse("a", session())
	s.say(a, "echo:all the same")
	s.wait(a, 0, kit.IsTurnComplete)
	s.eventually("health reports the failing audit log", func() bool {
		c, why, degraded := s.auditHealth()
		return c.GetStatus() == pb.ServingStatus_NOT_SERVING && degraded &&
			strings.Contains(c.GetMessage(), "no space left") && strings.Contains(why, "Audit log cannot be written")
	})
	if said := s.cli(0, "daemon", "status"); !strings.Contains(said, "Daemon: SERVING (degraded)") || !strings.Contains(said, "audit_log: NOT_SERVING") {
		t.Errorf("%s", said)
	}

	if err := os.Remove(file(3)); err != nil {
		t.Fatal(err)
	}
	s.eventually("health reports the recovered audit log", func() bool {
		c, _, degraded := s.auditHealth()
		return c.GetStatus() == pb.ServingStatus_SERVING && !degraded
	})
	if got := types(s.audited()); got != "audit_open audit_open audit_lost" {
		t.Errorf("it has %s", got)
	}
}

// auditHealth is how the audit log is, and the daemon.
func (s *story) auditHealth() (log *pb.ComponentHealth, why string, degraded bool) {
	s.Helper()
	details, err := pb.NewBetCodeHealthClient(s.daemon.Conn()).GetHealthDetails(s.Context(), &pb.HealthDetailsRequest{})
	if err != nil {
		s.Fatal(err)
	}
	for _, c := range details.GetComponents() {
		if c.GetName() == "audit_log" {
			log = c
		}
	}
	return log, details.GetDegradedReason(), details.GetDegraded()
}
