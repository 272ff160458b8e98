package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
)

// TestWorktreeOutlivesDaemon: git goes on when the daemon is killed in the middle of a checkout, and the next daemon has
// the worktree as soon as git has finished.
func TestWorktreeOutlivesDaemon(t *testing.T) {
	t.Parallel()
	s := newWorktreeStory(t)
	s.beginCreate()
	s.start()
	if all := s.list(); len(all) != 1 || all[0].GetState() != pb.WorktreeState_WORKTREE_STATE_CREATING {
		t.Fatalf("while git works: %v", all)
	}
	if err := os.Remove(s.gate); err != nil {
		t.Fatal(err)
	}
	s.eventually("the worktree is ready", func() bool {
		all := s.list()
		return len(all) == 1 && all[0].GetState() == pb.WorktreeState_WORKTREE_STATE_READY
	})
	w := s.list()[0]
	for _, name := range []string{"a", "m.slow", "z"} {
		if content, err := os.ReadFile(filepath.Join(w.GetPath(), name)); err != nil || string(content) != name[:1]+"\n" {
			t.Errorf("%s has %q, %v", name, content, err)
		}
	}
	if locks := s.locks(); len(locks) > 0 || w.GetWork().GetChangedFiles() != 0 {
		t.Errorf("locks %v, %v", locks, w)
	}
	if again, err := s.create(worktreeKey, "fresh"); err != nil || again.GetId() != w.GetId() || len(s.list()) != 1 {
		t.Errorf("under the same key: %v, %v", again, err)
	}
	if _, err := s.create(worktreeKey, "other"); status.Code(err) != codes.InvalidArgument {
		t.Errorf("another request under the same key: %v", err)
	}
	s.cli(0, "worktree", "remove", w.GetId())
	if entries := s.audited("--type", "worktree_remove"); len(entries) != 1 {
		t.Errorf("audit log: %v", entries)
	}
}

// TestWorktreeUndone: when git is killed with the daemon, nothing is left of the worktree, and it can be made again.
func TestWorktreeUndone(t *testing.T) {
	t.Parallel()
	s := newWorktreeStory(t)
	before := s.git("for-each-ref")
	group := s.beginCreate()
	if err := syscall.Kill(-group, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.start()
	s.eventually("the worktree is undone", func() bool { return len(s.list()) == 0 })
	if _, err := os.Lstat(s.world.Project + "-fresh"); err == nil {
		t.Error("the directory is left")
	}
	if after := s.git("for-each-ref"); after != before {
		t.Errorf("references:\n%s\nbefore:\n%s", after, before)
	}
	if trees, locks := s.git("worktree", "list", "--porcelain"), s.locks(); strings.Count(trees, "worktree ") != 1 || len(locks) > 0 {
		t.Errorf("left over: %s, locks %v", trees, locks)
	}
	if err := os.Remove(s.gate); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if w, err := s.create(worktreeKey, "fresh"); err != nil || w.GetId() != worktreeKey || len(s.list()) != 1 {
			t.Errorf("under the same key: %v, %v", w, err)
		}
	}
	if entries := s.audited("--type", "worktree_create"); len(entries) != 1 {
		t.Errorf("audit log: %v", entries)
	}
}

// TestWorktreeCommands: a day with worktrees on the command line.
func TestWorktreeCommands(t *testing.T) {
	t.Parallel()
	s := newWorktreeStory(t)
	at := []string{"--repo", s.world.Project}
	path := strings.TrimSpace(lastLine(s.cli(0, append([]string{"worktree", "create", "-b", "--name", "login"}, append(at, "fix/login")...)...)))
	if path != s.world.Project+"-login" {
		t.Errorf("created %q", path)
	}
	s.cli(0, append([]string{"worktree", "create", "-b"}, append(at, "other")...)...)
	if said := s.cli(0, append([]string{"worktree", "list"}, at...)...); !strings.Contains(said, "\tlogin\tfix/login\tready\tclean\t") || strings.Count(said, "\n") != 2 {
		t.Errorf("listed %s", said)
	}
	if said := s.cli(0, append([]string{"worktree", "list", "-o", "wide"}, at...)...); !strings.Contains(said, "login  fix/login  ready  clean  0 ") || !strings.Contains(said, "SIZE  SETUP  USED") {
		t.Errorf("listed in full %s", said)
	}
	if said := s.cli(0, append([]string{"worktree", "list", "-o", "json"}, at...)...); said != s.cli(0, append([]string{"worktree", "list", "--json"}, at...)...) {
		t.Errorf("listed as JSON %s", said)
	}
	s.cli(5, append([]string{"worktree", "list", "-o", "png"}, at...)...)
	if said, code := s.command(s.world.Binary, []string{"worktree", "show", ""}); code != 5 || strings.Contains(said, "worktree_id") || !strings.Contains(said, "no worktree is named") {
		t.Errorf("exit %d: %s", code, said)
	}
	said := s.cli(0, "run", "--worktree", "login", "--allow-tools", "Bash", "run:touch made")
	if _, err := os.Stat(filepath.Join(path, "made")); err != nil {
		t.Errorf("the agent works elsewhere: %v\n%s", err, said)
	}
	if said := s.cli(0, "session", "list", "--worktree", "login", "-q"); strings.Count(said, "\n") != 1 {
		t.Errorf("sessions %s", said)
	}
	if said, code := s.command(s.world.Binary, []string{"worktree", "switch", "login"}); code != 0 || !strings.Contains(said, "Worktree login is active") || !strings.Contains(said, "betcode attach") {
		t.Errorf("switched %s", said)
	}
	if said := s.cli(0, "worktree", "show", "login"); !strings.Contains(said, "1 untracked") {
		t.Errorf("shown %s", said)
	}
	if said, code := s.command(s.world.Binary, []string{"worktree", "remove", "login"}); code == 0 || !strings.Contains(said, "1 untracked") || !strings.Contains(said, "--force") {
		t.Errorf("exit %d: %s", code, said)
	}
	s.cli(5, "worktree", "remove", "--force", "login") // there is no terminal to ask
	s.cli(0, "worktree", "remove", "--force", "--yes", "login")
	if said, code := s.command(s.world.Binary, []string{"worktree", "show", "login"}); code != 6 {
		t.Errorf("exit %d: %s", code, said)
	}
	s.cli(0, "config", "set", "worktree.setup_commands", `["echo hello","false"]`)
	said, code := s.command(s.world.Binary, append(append([]string{"worktree", "create", "-b"}, at...), "prepared"))
	if code != 0 || !strings.Contains(said, "hello") || !strings.Contains(said, "The setup ended: failed") {
		t.Errorf("exit %d: %s", code, said)
	}
	s.cli(0, "config", "set", "worktree.setup_commands", `["echo hello"]`)
	if said, code := s.command(s.world.Binary, []string{"worktree", "setup", "prepared"}); code != 0 || !strings.Contains(said, "ended well") {
		t.Errorf("exit %d: %s", code, said)
	}
	if said := s.cli(0, "worktree", "list", "--all", "--json"); strings.Contains(said, "login") || !strings.Contains(said, `"other"`) {
		t.Errorf("listed %s", said)
	}
	if said := s.cli(0, append([]string{"worktree", "prune"}, at...)...); said != "" {
		t.Errorf("used lately, but pruned: %s", said)
	}
	other, prepared := s.world.Project+"-other\n", s.world.Project+"-prepared\n"
	if said := s.cli(0, "worktree", "prune", "--all", "--days", "0"); said != other+prepared || len(s.list()) != 2 {
		t.Errorf("would prune %s", said)
	}
	if err := os.WriteFile(filepath.Join(strings.TrimSpace(other), "new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if said := s.cli(0, "worktree", "prune", "--all", "--days", "0", "--yes"); said != prepared || len(s.list()) != 1 {
		t.Errorf("pruned %s", said)
	}
	if err := os.RemoveAll(strings.TrimSpace(other)); err != nil {
		t.Fatal(err)
	}
	if said := s.cli(0, append([]string{"worktree", "prune", "--yes"}, at...)...); said != other || len(s.list()) != 0 {
		t.Errorf("stale, pruned %s", said)
	}
}
