package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"betcode/actors/internal/git"
	"betcode/messages"
)

// Setup is how worktrees are prepared, as the settings say. A script of the repository wins over the commands.
type Setup struct {
	Commands []string      // run by the shell, in order; the first that fails ends the setup
	Limit    time.Duration // of all of them
}

const (
	setupScript = ".betcode/worktree-setup.sh"
	setupOutput = 8 << 10 // bytes of the end of its output that are kept
	setupGrace  = 5 * time.Second
	opSetup     = "set up worktree"
)

// shell runs commands, and scripts that are not executable.
const shell = "/bin/sh"

// commands returns what prepares a worktree: programs with their arguments.
func (c *changes) commands(rec record) [][]string {
	script := filepath.Join(rec.Path, filepath.FromSlash(setupScript))
	if info, err := os.Lstat(script); err == nil && info.Mode().IsRegular() {
		if info.Mode().Perm()&0o100 != 0 {
			return [][]string{{script}}
		}
		return [][]string{{shell, script}}
	}
	var all [][]string
	for _, command := range c.deps.Setup().Commands {
		all = append(all, []string{shell, "-c", command})
	}
	return all
}

// beginSetup notes in a record that its setup runs, or why it does not. The actor starts what runs.
func (c *changes) beginSetup(rec record) (record, error) {
	var begun messages.WorktreeSetup
	switch {
	case len(c.commands(rec)) == 0:
		return rec, nil
	case !c.deps.Trusted(rec.Path):
		begun.Status = messages.SetupNotTrusted
	default:
		begun.Status = messages.SetupRunning
	}
	return c.registry.update(rec.ID, func(r *record) { r.Setup = begun })
}

// setUpAgain begins the setup of a worktree once more.
func (c *changes) setUpAgain(_ context.Context, m messages.SetupWorktree) (messages.Reply, error) {
	rec, err := c.registry.find(opSetup, m.Worktree)
	if err == nil {
		err = rec.usable(opSetup)
	}
	switch {
	case err != nil:
		return nil, err
	case rec.Setup.Status == messages.SetupRunning:
		return nil, setupRuns(opSetup, rec)
	case rec.excluded() != nil:
		return nil, inUse(opSetup, rec, *rec.excluded())
	case len(c.commands(rec)) == 0:
		return nil, messages.Errorf(opSetup, messages.WrongState, "worktree %s has no setup", rec.Name).
			WithHint("Write " + setupScript + " in the repository, or set worktree.setup_commands.")
	case !c.deps.Trusted(rec.Path):
		return nil, messages.Errorf(opSetup, messages.WrongState, "%s is not trusted", rec.Path).WithCode(messages.NotTrusted).
			With("worktree_id", rec.ID).WithHint("Look at what it would run: betcode trust " + rec.Path)
	}
	if rec, err = c.beginSetup(rec); err != nil {
		return nil, err
	}
	return c.view(rec), nil
}

func setupRuns(op string, rec record) error {
	return messages.Errorf(op, messages.Exhausted, "the setup of worktree %s runs", rec.Name).WithCode(messages.WorktreeInUse).
		With("worktree_id", rec.ID).WithHint("Wait for its end: betcode worktree show " + rec.ID)
}

// setUp runs the setup of a worktree and notes its end.
func (c *changes) setUp(ctx context.Context, id string) {
	rec, err := c.registry.find(opSetup, id)
	if err != nil || rec.Setup.Status != messages.SetupRunning {
		return // it was removed meanwhile
	}
	limited, cancel := context.WithTimeout(ctx, c.deps.Setup().Limit)
	defer cancel()
	out := &tail{limit: setupOutput}
	err = c.runAll(limited, rec, out)
	end := messages.WorktreeSetup{Status: messages.SetupReady, Output: out.String()}
	switch {
	case errors.Is(err, errChanged):
		end.Status = messages.SetupNotTrusted
	case err != nil && ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded):
		end.Status = messages.SetupTimeout
	case err != nil:
		end.Status = messages.SetupFailed
		end.Output += err.Error()
	}
	c.endSetup(rec, end)
}

// endSetup notes the end of a setup.
func (c *changes) endSetup(rec record, end messages.WorktreeSetup) {
	_, err := c.registry.update(rec.ID, func(r *record) { r.Setup = end })
	c.log.Info().Err(err).Str("worktree", rec.ID).Str("status", string(end.Status)).Msg("setup of a worktree ended")
}

// errChanged reports that a worktree is not trusted any more when its setup is about to run.
var errChanged = errors.New("the worktree has changed and is not trusted any more")

// runAll runs the commands. They inherit a lock, so that those of a daemon that was killed are not run beside new ones.
func (c *changes) runAll(ctx context.Context, rec record, out *tail) error {
	lock, err := git.TakeLock(ctx, filepath.Join(c.registry.dir, rec.ID+".lock"))
	if err != nil {
		return err
	}
	defer lock.Release()
	if !c.deps.Trusted(rec.Path) { // an agent may have written there since, while this waited
		return errChanged
	}
	for _, args := range c.commands(rec) {
		if err := c.runOne(ctx, lock, rec, args, out); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(args[len(args)-1]), err)
		}
	}
	return nil
}

// runOne runs a program in a process group, of which nothing is left afterwards.
func (c *changes) runOne(ctx context.Context, lock *git.Lock, rec record, args []string, out *tail) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = rec.Path, out, out, setupGrace
	cmd.Env = []string{"WORKTREE_PATH=" + rec.Path, "WORKTREE_BRANCH=" + rec.Branch}
	for _, name := range []string{"PATH", "HOME"} {
		cmd.Env = append(cmd.Env, name+"="+c.deps.Variable(name))
	}
	git.OwnGroup(cmd)
	lock.Inherit(cmd)
	err := cmd.Run()
	git.EndGroup(cmd)
	return err
}

// tail keeps the end of what is written to it.
type tail struct {
	limit int
	kept  []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - t.limit; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(p), nil
}

// String returns the end as text.
func (t *tail) String() string { return strings.ToValidUTF8(string(t.kept), "?") }
