package main

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// trees creates, uses and removes worktrees of a repository during a round. A worktree with a new file is dirty and must not be removed,
// whichever process is killed.
type trees struct {
	round *round
	repo  string
	dice  *rand.Rand

	mu   sync.Mutex        // held while a request is under way; guards what follows
	used map[string]string // files of ours in worktrees, with their content
}

// treeNames is how many worktrees there are at most.
const treeNames = 3

// newTrees creates the repository and enables worktrees.
func newTrees(r *round) (*trees, error) {
	t := &trees{round: r, repo: filepath.Join(r.world.Home, "repo"), dice: rand.New(rand.NewPCG(r.schedule.seed, 11)), used: map[string]string{}}
	if err := os.MkdirAll(t.repo, 0o700); err != nil {
		return nil, err
	}
	for path, content := range map[string]string{
		filepath.Join(r.world.ConfigDir(), "settings.json"): features,
		filepath.Join(r.world.Home, ".gitconfig"):           "[user]\nname = T\nemail = t@example.org\n[init]\ndefaultBranch = main\n",
		filepath.Join(t.repo, "file"):                       "content\n",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return nil, err
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "first"}} {
		if _, err := t.git(args...); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// git runs git in the repository as the user would.
func (t *trees) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = t.repo, t.round.world.Environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %v: %w\n%s", args, err, out)
	}
	return string(out), nil
}

// tend creates, uses and removes worktrees until ctx ends. A request fails when its daemon dies.
func (t *trees) tend(ctx context.Context) {
	for ctx.Err() == nil {
		d := t.round.house.wait(ctx)
		if d == nil {
			return
		}
		t.mu.Lock()
		t.one(context.WithoutCancel(ctx), d)
		t.mu.Unlock()
		time.Sleep(time.Duration(t.dice.IntN(30)) * time.Millisecond)
	}
}

// one sends one request, or puts a file into a worktree.
func (t *trees) one(ctx context.Context, d *kit.Daemon) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	api := pb.NewWorktreeServiceClient(d.Conn())
	list, err := api.ListWorktrees(ctx, &pb.ListWorktreesRequest{})
	if err != nil {
		return
	}
	name := fmt.Sprintf("tree-%d", t.dice.IntN(treeNames))
	at := slices.IndexFunc(list.GetWorktrees(), func(w *pb.WorktreeInfo) bool { return w.GetBranch() == name })
	if at < 0 {
		_, missing := t.git("rev-parse", "--verify", "-q", "refs/heads/"+name)
		w, err := api.CreateWorktree(ctx, &pb.CreateWorktreeRequest{RepoPath: t.repo, Branch: name, CreateBranch: missing != nil})
		t.round.note("create %s: %v", name, status.Code(err))
		if err == nil && w.GetState() != pb.WorktreeState_WORKTREE_STATE_READY {
			t.round.report(otherwise, "a worktree that was made is not ready: %v", w)
		}
		return
	}
	w := list.GetWorktrees()[at]
	file := filepath.Join(w.GetPath(), "ours")
	switch {
	case w.GetState() != pb.WorktreeState_WORKTREE_STATE_READY:
	case t.dice.IntN(4) == 0 && t.used[file] == "":
		content := fmt.Sprintf("of round %d\n", t.round.schedule.seed)
		if os.WriteFile(file, []byte(content), 0o600) == nil { // it may be on its way out
			t.used[file] = content
		}
	default:
		_, err := api.RemoveWorktree(ctx, &pb.RemoveWorktreeRequest{WorktreeId: w.GetId()})
		t.round.note("remove %s: %v", name, status.Code(err))
		if t.used[file] != "" && err == nil {
			t.round.report(lost, "worktree %s was removed with a file of ours", w.GetPath())
		}
		if t.used[file] != "" && status.Code(err) == codes.FailedPrecondition && t.dice.IntN(2) == 0 { // refused; the owner takes the file away
			if os.Remove(file) == nil {
				delete(t.used, file)
			}
		}
	}
}

// check waits until the daemon has finished or undone the changes of an earlier one, and looks for leftovers. It gives up when the daemon
// ends.
func (t *trees) check(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.round.house.now()
	half := "no answer"
	for deadline := time.Now().Add(patience); half != ""; time.Sleep(10 * time.Millisecond) {
		if d == nil || d.Ended() || ctx.Err() != nil {
			return
		}
		if time.Now().After(deadline) {
			t.round.report(otherwise, "worktrees: %s", half)
			return
		}
		half = t.half(ctx, d)
	}
	for path, content := range t.used {
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.round.report(lost, "a file in a worktree is gone: %v", err)
		}
	}
}

// last creates a worktree and removes it, which shows that no leftover of an earlier daemon interferes.
func (t *trees) last(ctx context.Context) {
	d := t.round.house.now()
	if d == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	api := pb.NewWorktreeServiceClient(d.Conn())
	w, err := api.CreateWorktree(ctx, &pb.CreateWorktreeRequest{RepoPath: t.repo, Branch: "last", CreateBranch: true})
	if err == nil {
		_, err = api.RemoveWorktree(ctx, &pb.RemoveWorktreeRequest{WorktreeId: w.GetId()})
	}
	if err != nil && !d.Ended() {
		t.round.report(otherwise, "the last worktree: %v", err)
	}
	t.round.note("made and removed the last worktree: %v", err)
	t.check(ctx)
}

// half describes a partial change: a worktree on which the daemon, git and the disk disagree, or a lock of git.
func (t *trees) half(ctx context.Context, d *kit.Daemon) string {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	list, err := pb.NewWorktreeServiceClient(d.Conn()).ListWorktrees(ctx, &pb.ListWorktreesRequest{})
	if err != nil {
		return err.Error()
	}
	known := []string{t.repo}
	for _, w := range list.GetWorktrees() {
		if w.GetState() != pb.WorktreeState_WORKTREE_STATE_READY {
			return fmt.Sprintf("%v", w)
		}
		known = append(known, w.GetPath())
		if _, err := os.Stat(filepath.Join(w.GetPath(), "file")); err != nil {
			return err.Error()
		}
	}
	said, err := t.git("worktree", "list", "--porcelain")
	if err != nil {
		return err.Error()
	}
	var ofGit []string
	for line := range strings.Lines(said) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree "); ok {
			ofGit = append(ofGit, path)
		}
	}
	onDisk, err := filepath.Glob(t.repo + "*")
	if err != nil {
		return err.Error()
	}
	for _, all := range [][]string{known, ofGit, onDisk} {
		slices.Sort(all)
	}
	if !slices.Equal(known, ofGit) || !slices.Equal(known, onDisk) {
		return fmt.Sprintf("the daemon knows %v, git %v, the disk has %v", known, ofGit, onDisk)
	}
	lock := ""
	err = filepath.WalkDir(filepath.Join(t.repo, ".git"), func(path string, _ fs.DirEntry, err error) error {
		if name := filepath.Base(path); strings.HasSuffix(name, ".lock") || name == "locked" {
			lock = path
		}
		return err
	})
	if err != nil {
		return err.Error()
	}
	return lock
}
