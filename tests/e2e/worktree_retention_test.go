package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// aged dates the record of a worktree back. No daemon runs meanwhile.
func (s worktreeStory) aged(id string) {
	s.Helper()
	path := filepath.Join(s.world.StateDir(), "worktrees", id+".json")
	text, err := os.ReadFile(path)
	if err != nil {
		s.Fatal(err)
	}
	var record map[string]any
	if err := json.Unmarshal(text, &record); err != nil {
		s.Fatal(err)
	}
	record["created_at"] = time.Now().AddDate(-1, 0, 0).UTC().Format(time.RFC3339Nano)
	if text, err = json.Marshal(record); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		s.Fatal(err)
	}
}

// TestWorktreeRetention: the daemon removes worktrees that were unused for long, once the setting
// is set, and keeps the rest.
func TestWorktreeRetention(t *testing.T) {
	t.Parallel()
	s := newWorktreeStory(t)
	made := map[string]string{} // ids by branch
	for _, branch := range []string{"unused", "used", "changed", "session"} {
		w, err := s.create(uuid.NewString(), branch)
		if err != nil {
			t.Fatal(err)
		}
		made[branch] = w.GetId()
	}
	s.cli(0, "session", "new", "--worktree", "session")
	if err := os.WriteFile(filepath.Join(s.world.Project+"-changed", "new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.daemon.Kill()
	for _, branch := range []string{"unused", "changed", "session"} {
		s.aged(made[branch])
	}
	s.start()
	s.cli(0, "config", "set", "worktree.retention_days", "30")
	s.eventually("the unused worktree is removed", func() bool { return len(s.list()) < len(made) })
	s.eventually("the audit log tells", func() bool { return len(s.audited("--type", "worktree_prune")) == 1 })
	if _, err := os.Lstat(s.world.Project + "-unused"); err == nil {
		t.Error("the directory is left")
	}
	said := s.cli(0, "worktree", "list", "--all")
	for branch := range made {
		if kept := branch != "unused"; strings.Contains(said, "\t"+branch+"\t") != kept {
			t.Errorf("%s: kept %v: %s", branch, !kept, said)
		}
	}
	if branches := s.git("branch", "--list", "unused"); branches == "" {
		t.Error("the branch is gone")
	}
}
