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

	"google.golang.org/grpc/metadata"

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

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
