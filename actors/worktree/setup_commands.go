package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"betcode/actors/internal/git"
	"betcode/actors/internal/process"
)

// interrupted is the last line of the output of such a setup.
const interrupted = "interrupted: the daemon has ended while the setup ran\n"

// killSetup kills the processes of a setup, also those that have left its process group.
func (c *changes) killSetup(ctx context.Context, rec record) {
	if rec.SetupRun == "" {
		return // written by an older build
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), setupGrace)
	defer cancel()
	if err := process.KillMarked(ctx, setupMark+"="+rec.SetupRun); err != nil {
		c.log.Warn().Err(err).Str("worktree", rec.ID).Msg("processes of a setup not killed")
	}
}

// errChanged reports that a worktree is no longer trusted when its setup is about to run.
var errChanged = errors.New("the worktree has changed and is not trusted any more")

// runAll runs the commands. They inherit a lock, so that commands of a daemon that was killed do not run beside new ones.
func (c *changes) runAll(ctx context.Context, rec record, out io.Writer) error {
	lock, err := git.TakeLock(ctx, filepath.Join(c.registry.dir, rec.ID+".lock"))
	if err != nil {
		return err
	}
	defer lock.Release()
	files, trusted := c.deps.Trusted(rec.Path)
	if !trusted { // an agent may have written there while the setup waited
		return errChanged
	}
	all, err := c.commands(rec, files)
	if err != nil {
		return err
	}
	for _, each := range all {
		if err := c.runOne(ctx, lock, rec, each, out); err != nil {
			return fmt.Errorf("%s: %w", each.name, err)
		}
	}
	return nil
}

// runOne runs a program and leaves none of its processes behind.
func (c *changes) runOne(ctx context.Context, lock *git.Lock, rec record, what command, out io.Writer) error {
	runtime.LockOSThread() // see diesWithDaemon
	defer runtime.UnlockOSThread()
	args := slices.Clone(what.args)
	cmd := exec.CommandContext(ctx, args[0])
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = rec.Path, out, out, setupGrace
	cmd.Env = []string{"WORKTREE_PATH=" + rec.Path, "WORKTREE_BRANCH=" + rec.Branch, setupMark + "=" + rec.SetupRun}
	for _, name := range []string{"PATH", "HOME"} {
		cmd.Env = append(cmd.Env, name+"="+c.deps.Variable(name))
	}
	git.OwnGroup(cmd)
	diesWithDaemon(cmd)
	lock.Inherit(cmd)
	if what.script != nil {
		script, err := private(c.registry.dir, what.script)
		if err != nil {
			return err
		}
		defer script.Close()
		cmd.ExtraFiles = append(cmd.ExtraFiles, script)
		args = append(args, fmt.Sprintf("/dev/fd/%d", 2+len(cmd.ExtraFiles)))
	}
	cmd.Args = args
	err := cmd.Run()
	git.EndGroup(cmd)
	c.killSetup(ctx, rec)
	return err
}
