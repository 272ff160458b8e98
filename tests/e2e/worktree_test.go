package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// worktreeStory is a story whose project is a repository. A filter of the user holds git up in the middle of a checkout, as
// long as there is a gate.
type worktreeStory struct {
	*story
	gate, reached string // files
}

func newWorktreeStory(t *testing.T) worktreeStory {
	t.Helper()
	w, err := kit.NewWorld(binaries.betcode, binaries.fake)
	if err != nil {
		t.Fatal(err)
	}
	s := worktreeStory{gate: filepath.Join(w.Root, "gate"), reached: filepath.Join(w.Root, "reached")}
	slow := filepath.Join(w.Home, "slow")
	for path, content := range map[string]string{
		slow:                                "#!/bin/sh\nif [ -e " + s.gate + " ]; then echo $$ >" + s.reached + ".new; mv " + s.reached + ".new " + s.reached + "; fi\nwhile [ -e " + s.gate + " ]; do sleep 0.02; done\ncat\n",
		filepath.Join(w.Home, ".gitconfig"): "[user]\nname = T\nemail = t@example.org\n[init]\ndefaultBranch = main\n[filter \"slow\"]\nsmudge = " + slow + "\nclean = cat\n",
		filepath.Join(w.Project, ".gitattributes"):    "*.slow filter=slow\n",
		filepath.Join(w.Project, "a"):                 "a\n",
		filepath.Join(w.Project, "m.slow"):            "m\n",
		filepath.Join(w.Project, "z"):                 "z\n",
		filepath.Join(w.ConfigDir(), "settings.json"): `{"feature_flags": {"worktree_management": true}}`,
	} {
		if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.story = storyIn(t, w)
	s.git("init", "-q")
	s.git("add", ".")
	s.git("commit", "-q", "-m", "first")
	return s
}

// git runs git in the project as the user would.
func (s worktreeStory) git(args ...string) string {
	s.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = s.world.Project, s.world.Environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (s worktreeStory) list() []*pb.WorktreeInfo {
	s.Helper()
	list, err := pb.NewWorktreeServiceClient(s.daemon.Conn()).ListWorktrees(s.Context(), &pb.ListWorktreesRequest{})
	if err != nil {
		s.Fatal(err)
	}
	return list.GetWorktrees()
}

// worktreeKey is the idempotency key of the creation that beginCreate interrupts.
const worktreeKey = "7b0c3a52-5a4e-4a8e-9a3d-2f6a6f0b1c11"

// create asks for a worktree with a new branch, under a key.
func (s worktreeStory) create(key, branch string) (*pb.WorktreeInfo, error) {
	ctx := metadata.AppendToOutgoingContext(s.Context(), "x-idempotency-key", key, "x-client-id", "a")
	return pb.NewWorktreeServiceClient(s.daemon.Conn()).CreateWorktree(ctx, &pb.CreateWorktreeRequest{RepoPath: s.world.Project, Branch: branch, CreateBranch: true})
}

// beginCreate asks for a worktree, waits until git is in the middle of the checkout, and kills the daemon. It returns the
// process group of that git.
func (s worktreeStory) beginCreate() (group int) {
	s.Helper()
	if err := os.WriteFile(s.gate, nil, 0o600); err != nil {
		s.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := s.create(worktreeKey, "fresh")
		done <- err
	}()
	s.eventually("git checks out", func() bool { _, err := os.Stat(s.reached); return err == nil })
	s.daemon.Kill()
	if err := <-done; err == nil {
		s.Fatal("the call succeeded without a daemon")
	}
	text, err := os.ReadFile(s.reached)
	if err != nil {
		s.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		s.Fatal(err)
	}
	if group, err = syscall.Getpgid(pid); err != nil {
		s.Fatal(err)
	}
	return group
}

// locks are the lock files in the repository.
func (s worktreeStory) locks() (found []string) {
	s.Helper()
	err := filepath.WalkDir(filepath.Join(s.world.Project, ".git"), func(path string, _ fs.DirEntry, err error) error {
		if name := filepath.Base(path); strings.HasSuffix(name, ".lock") || name == "locked" {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return found
}

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

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
