package worktree

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"betcode/messages"
)

// Setup is how worktrees are prepared, from the settings. A script of the repository takes precedence over the commands.
type Setup struct {
	Commands []string      // run by the shell, in order; the first that fails ends the setup
	Limit    time.Duration // of all of them
}

const (
	setupOutput = 8 << 10 // bytes of the end of its output in the record
	setupGrace  = 5 * time.Second
	setupSaved  = time.Second // how often the output of a running setup is saved
	opSetup     = "set up worktree"
)

// setupMark is the variable by which the processes of a setup are found after a crash of its daemon.
const setupMark = "WORKTREE_SETUP"

// beginSetup records that the setup of a worktree runs, or why it does not. The actor starts it.
func (c *changes) beginSetup(rec record, key string) (record, error) {
	if !c.hasSetup(rec) {
		return rec, nil
	}
	if _, trusted := c.deps.Trusted(rec.Path); !trusted {
		return c.registry.update(rec.ID, func(r *record) { r.Setup = messages.WorktreeSetup{Status: messages.SetupNotTrusted} })
	}
	run := c.registry.setups.begin(rec.ID)
	rec, err := c.registry.update(rec.ID, func(r *record) {
		r.Setup, r.SetupRun, r.SetupKey = messages.WorktreeSetup{Status: messages.SetupRunning}, run.token, key
	})
	if err != nil {
		c.registry.setups.end(run)
	}
	return rec, err
}

// setUpAgain begins the setup of a worktree once more.
func (c *changes) setUpAgain(m messages.SetupWorktree, e *request) (messages.Reply, error) {
	rec, err := c.registry.find(opSetup, m.Worktree)
	if err == nil && e != nil && e.resumed && rec.SetupKey == m.Key {
		return c.view(rec), nil // it was begun, and ended with its daemon
	}
	if err == nil {
		err = rec.usable(opSetup)
	}
	if err != nil {
		return nil, err
	}
	_, trusted := c.deps.Trusted(rec.Path)
	switch {
	case rec.Setup.Status == messages.SetupRunning:
		return nil, setupRuns(opSetup, rec)
	case rec.excluded() != nil:
		return nil, inUse(opSetup, rec, *rec.excluded())
	case !c.hasSetup(rec):
		return nil, messages.Errorf(opSetup, messages.WrongState, "worktree %s has no setup", rec.Name).
			WithHint("Write " + setupScript + " in the repository, or set worktree.setup_commands.")
	case !trusted:
		return nil, messages.Errorf(opSetup, messages.WrongState, "%s is not trusted", rec.Path).WithCode(messages.NotTrusted).
			With("worktree_id", rec.ID).WithHint("Look at what it would run: betcode trust " + rec.Path)
	}
	if rec, err = c.beginSetup(rec, m.Key); err != nil {
		return nil, err
	}
	return c.view(rec), nil
}

func setupRuns(op string, rec record) error {
	return messages.Errorf(op, messages.Exhausted, "the setup of worktree %s runs", rec.Name).WithCode(messages.WorktreeInUse).
		With("worktree_id", rec.ID).WithHint("Wait for its end: betcode worktree show " + rec.reference())
}

// setUp runs the setup of a worktree and records its end.
func (c *changes) setUp(life context.Context, id string) {
	rec, err := c.registry.find(opSetup, id)
	run := c.registry.setups.of(id)
	if run == nil || run.over() {
		return
	}
	if err != nil || rec.SetupRun != run.token || rec.Setup.Status != messages.SetupRunning {
		c.registry.setups.end(run) // it was removed meanwhile
		return
	}
	defer context.AfterFunc(life, func() { run.cancel(context.Canceled) })()
	limited, cancel := context.WithTimeout(run.life, c.deps.Setup().Limit)
	defer cancel()
	saved := c.saveOutput(rec, run)
	err = c.runAll(limited, rec, run)
	saved()
	end := messages.WorktreeSetup{Status: messages.SetupReady}
	switch {
	case errors.Is(err, errChanged):
		end.Status = messages.SetupNotTrusted
	case errors.Is(context.Cause(run.life), errCanceled):
		end.Status = messages.SetupCanceled
	case err != nil && run.life.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded):
		end.Status = messages.SetupTimeout
	case err != nil:
		end.Status = messages.SetupFailed
		fmt.Fprintln(run, err)
	}
	end.Output, _ = run.last(setupOutput)
	c.endSetup(rec, end)
	c.registry.setups.end(run)
}

// saveOutput writes the output of a running setup into its record at intervals, because nothing else is left of a setup whose
// daemon crashes. The function that it returns ends that.
func (c *changes) saveOutput(rec record, run *setupRun) (end func()) {
	stop := make(chan struct{})
	var saver sync.WaitGroup
	saver.Go(func() {
		ticker := time.NewTicker(setupSaved)
		defer ticker.Stop()
		var seen uint64
		for {
			select {
			case <-ticker.C:
			case <-stop:
				return
			}
			text, written := run.last(setupOutput)
			if written == seen {
				continue
			}
			seen = written
			c.noteSetup(rec, messages.WorktreeSetup{Status: messages.SetupRunning, Output: text})
		}
	})
	return func() {
		close(stop)
		saver.Wait()
	}
}

// noteSetup records the progress of a setup, unless another one has begun since.
func (c *changes) noteSetup(rec record, now messages.WorktreeSetup) {
	_, err := c.registry.update(rec.ID, func(r *record) {
		if r.SetupRun == rec.SetupRun {
			r.Setup = now
		}
	})
	if err != nil {
		c.log.Warn().Err(err).Str("worktree", rec.ID).Msg("state of a setup not written")
	}
}

// endSetup records the end of a setup.
func (c *changes) endSetup(rec record, end messages.WorktreeSetup) {
	c.noteSetup(rec, end)
	c.log.Info().Str("worktree", rec.ID).Str("status", string(end.Status)).Msg("setup of a worktree ended")
}

// endInterrupted kills the processes of a setup whose daemon or actor has crashed, and records its end.
func (c *changes) endInterrupted(ctx context.Context, rec record) {
	c.killSetup(ctx, rec)
	end := messages.WorktreeSetup{Status: messages.SetupFailed, Output: rec.Setup.Output + interrupted}
	if run := c.registry.setups.of(rec.ID); run != nil && run.token == rec.SetupRun {
		fmt.Fprint(run, interrupted)
		end.Output, _ = run.last(setupOutput)
		defer c.registry.setups.end(run)
	}
	c.endSetup(rec, end)
}
