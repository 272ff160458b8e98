package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// audited returns the entries of `betcode audit`, as objects.
func (s *story) audited(args ...string) []map[string]any {
	s.Helper()
	var entries []map[string]any
	lines := bufio.NewScanner(strings.NewReader(s.cli(0, append([]string{"audit", "--json"}, args...)...)))
	for lines.Scan() {
		var e map[string]any
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			s.Fatalf("%s: %v", lines.Text(), err)
		}
		entries = append(entries, e)
	}
	return entries
}

func types(entries []map[string]any) string {
	var all []string
	for _, e := range entries {
		all = append(all, e["event_type"].(string))
	}
	return strings.Join(all, " ")
}

// The audit log has each decision with its author, and a daemon's death
// takes nothing of it; without its audit log no daemon starts.
func TestAuditLog(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("ann", id)
	s.say(c, "run:true --token hunter2hunter2hunter2")
	asked, next := s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	_, next = s.wait(c, next, kit.IsIdle)
	s.say(c, "run:false")
	asked, next = s.wait(c, next, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_DENY, "no")
	s.wait(c, next, kit.IsIdle)
	s.killDaemon()
	s.cli(0, "session", "delete", id, "--yes")

	entries := s.audited()
	want := "audit_open session_create permission_grant permission_deny audit_open session_complete"
	if got := types(entries); got != want {
		t.Fatalf("%s\nwant %s", got, want)
	}
	for i, e := range entries {
		if e["id"] != float64(i+1) {
			t.Errorf("entry %d has the number %v", i+1, e["id"])
		}
	}
	grant := entries[2]
	for name, want := range map[string]string{"session_id": id, "actor_type": "user", "actor_id": "ann", "outcome": "success", "severity": "info"} {
		if grant[name] != want {
			t.Errorf("%s is %v, not %s", name, grant[name], want)
		}
	}
	if preview := grant["input_preview"].(string); !strings.Contains(preview, "true --token ***") {
		t.Errorf("shown: %s", preview)
	}
	if got := types(s.audited("--type", "permission_deny", "--session", id, "--since", "1h")); got != "permission_deny" {
		t.Errorf("selected: %s", got)
	}

	if _, err := s.daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(s.world.StateDir(), "audit")
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, code := s.command(binaries.betcode, []string{"daemon", "run"}); code == 0 || !strings.Contains(said, "the daemon needs an audit log") {
		t.Errorf("without an audit log: %d, %s", code, said)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	s.start()
}
