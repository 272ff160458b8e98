package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"betcode/tests/kit"
)

// damage flips bits of the last place in the journal's logs that holds a text; one bit alone would be corrected.
func (s *story) damage(text string) {
	s.Helper()
	for _, name := range []string{"1.log", "2.log"} {
		path := filepath.Join(s.world.StateDir(), "journal", name)
		data, err := os.ReadFile(path)
		if err != nil {
			s.Fatal(err)
		}
		if at := bytes.LastIndex(data, []byte(text)); at >= 0 {
			for i := range 3 {
				data[at+i] ^= 1 << i
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				s.Fatal(err)
			}
			return
		}
	}
	s.Fatalf("no log holds %q", text)
}

// TestDamagedSession damages a group of the log of one session while its agent
// lives. The daemon starts, ends that agent, shows the session as damaged, exports
// and deletes it, and refuses the rest at once.
func TestDamagedSession(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id, other := session(), session()
	first := s.converse("a", id)
	s.say(first, "echo:an-answer-before")
	_, at := s.wait(first, 0, kit.IsIdle)
	s.say(first, "echo:a-damaged-answer")
	s.wait(first, at, kit.IsIdle)
	second := s.converse("b", other)
	s.say(second, "echo:sound")
	s.wait(second, 0, kit.IsIdle)
	agent := s.agent(id)
	s.daemon.Kill()
	s.damage("a-damaged-answer")
	s.start()

	s.eventually("the agent of the damaged session is ended", func() bool { return !alive(agent) || zombie(agent) })
	if list := s.cli(0, "session", "list"); !strings.Contains(list, "damaged") || !strings.Contains(list, other[:8]) {
		t.Errorf("list:\n%s", list)
	}
	began := time.Now()
	if out, code := s.command(binaries.betcode, []string{"run", "-r", id, "echo:more"}); code == 0 || !strings.Contains(out, "session export") {
		t.Errorf("a message: exit %d, %s", code, out)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it was refused after %s", took)
	}
	health := s.cliJSON(0, "daemon", "status")
	if text := strings.ToLower(s.cli(0, "daemon", "status")); health["degraded"] != true || !strings.Contains(text, "damaged") {
		t.Errorf("health: %v\n%s", health, text)
	}
	if export := s.cli(0, "session", "export", id); !strings.Contains(export, "an-answer-before") {
		t.Errorf("export:\n%s", export)
	}
	s.cli(0, "session", "show", id)
	s.cli(0, "session", "stop", id)
	s.eventually("the stop is in the audit log, with the damage", func() bool {
		entries := s.cli(0, "audit", "--session", id, "--json")
		return strings.Contains(entries, `"by":"stop"`) && strings.Contains(entries, `"damage":`)
	})
	s.cli(0, "session", "delete", "--yes", id)
	if list := s.cli(0, "session", "list"); strings.Contains(list, id[:8]) {
		t.Errorf("list after the deletion:\n%s", list)
	}
	s.cli(0, "journal", "verify") // nothing is damaged any more
	if health := s.cliJSON(0, "daemon", "status"); health["degraded"] == true {
		t.Errorf("health after the deletion: %v", health)
	}
	again := s.converse("b", other)
	s.say(again, "echo:still sound")
	s.wait(again, 0, kit.IsIdle)
}
