package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"betcode/actors/internal/git"
	"betcode/messages"
)

const opChange = "change worktree"

// Bounds of one change.
const (
	changeTime = 10 * time.Minute // all of it, with git
	lockTime   = time.Minute      // until a git of an earlier daemon has ended
	undoTime   = time.Minute      // to undo a change that has failed or was cut short
)

// changes does the I/O of a repository's changes, on a worker.
type changes struct {
	registry     *Registry
	repositories *Repositories
	git          *git.Git
	deps         *Deps
	log          *zerolog.Logger
	common       string

	reached func(step) error // for tests: the daemon dies at a step; nil = it does not
}

// step is a point in a change at which a daemon may crash.
type step string

const (
	stepIntent    step = "intent"    // the record has the intent
	stepDirectory step = "directory" // the directory exists
	stepIdentity  step = "identity"  // the record has its identity
	stepBranch    step = "branch"    // the branch exists
	stepAdded     step = "added"     // git has checked it out
	stepRemoving  step = "removing"  // the record has the intent of the removal
	stepRemoved   step = "removed"   // git has removed it
	stepAnswer    step = "answer"    // the change is made, and the ledger does not have its answer yet
	stepMerging   step = "merging"   // the intent of the merge is durable
	stepMerged    step = "merged"    // working tree and branch have moved
)

// errDied ends a change as if the daemon had died.
var errDied = errors.New("the daemon died")

func (c *changes) at(s step) error {
	if c.reached == nil {
		return nil
	}
	return c.reached(s)
}

// do makes a change, with the lock of the repository. It returns the answer.
func (c *changes) do(ctx context.Context, m messages.WorktreeRequest) any {
	ctx, cancel := context.WithTimeout(ctx, changeTime)
	defer cancel()
	var answer messages.Reply
	err := c.locked(ctx, func(lock *git.Lock) (err error) {
		answer, err = c.once(ctx, lock, m)
		return err
	})
	if err != nil {
		return failure(err)
	}
	return answer
}

// carryOut makes a change. e is its entry in the ledger; nil for a request without a key.
func (c *changes) carryOut(ctx context.Context, lock *git.Lock, m messages.WorktreeRequest, e *request) (messages.Reply, error) {
	switch m := m.(type) {
	case messages.CreateWorktree:
		return c.create(ctx, lock, m)
	case messages.RemoveWorktree:
		return c.remove(ctx, lock, m, e)
	case messages.SwitchWorktree:
		return c.switchTo(m, e)
	case messages.SetupWorktree:
		return c.setUpAgain(m, e)
	case messages.RegisterRepository:
		return c.register(m, e)
	case messages.UpdateRepository:
		return c.updateRepository(m)
	case messages.UnregisterRepository:
		return c.unregister(ctx, lock, m, e)
	case messages.CreateBranch:
		return c.createBranch(ctx, lock, m, e)
	case messages.DeleteBranch:
		return c.deleteBranch(ctx, lock, m, e)
	case messages.MergeBranches:
		return c.merge(ctx, lock, m)
	}
	return nil, messages.Errorf(opChange, messages.Unimplemented, "no repository answers a %T", m)
}

// locked runs f with the lock of the repository.
func (c *changes) locked(ctx context.Context, f func(*git.Lock) error) error {
	waiting, cancel := context.WithTimeout(ctx, lockTime)
	lock, err := git.TakeLock(waiting, filepath.Join(c.registry.dir, lockName(c.common)))
	cancel()
	if err != nil {
		return err
	}
	defer lock.Release()
	return f(lock)
}

// lockName is the name of the lock file of a repository.
func lockName(common string) string { return actorName(common) + ".lock" }

// actorName returns the name of a repository's actor: a hash of its path, which may be long.
func actorName(common string) string {
	sum := sha256.Sum256([]byte(common))
	return hex.EncodeToString(sum[:8])
}

// failure makes a [messages.Error] of the error of a change. For git it has git's own text.
func failure(err error) *messages.Error {
	var failed *git.ExitError
	var e *messages.Error
	if errors.As(err, &failed) && !errors.As(err, &e) {
		return &messages.Error{Op: opChange, Kind: messages.WrongState, Err: err, Hint: "git has refused it; correct the repository and try again."}
	}
	return messages.AsError(opChange, err)
}

// switchTo makes a worktree the active one of its repository.
func (c *changes) switchTo(m messages.SwitchWorktree, e *request) (messages.Reply, error) {
	const op = "switch worktree"
	rec, err := c.registry.find(op, m.Worktree)
	if err != nil {
		return nil, err
	}
	if err := rec.usable(op); err != nil {
		return nil, err
	}
	before := active(c.registry.all(c.common))
	if first, begun := prepared[messages.WorktreeSwitched](e); begun {
		before = first.Previous
	} else if err := c.prepare(e, messages.WorktreeSwitched{Previous: before}); err != nil {
		return nil, err
	}
	rec, err = c.registry.update(rec.ID, func(r *record) { r.SwitchedTo = c.deps.Now() })
	if err != nil {
		return nil, err
	}
	return messages.WorktreeSwitched{Worktree: c.view(rec), Previous: before}, nil
}

// active returns the id of the record that was last switched to; empty if there is none.
func active(all []record) (id string) {
	var last time.Time
	for _, rec := range all {
		if rec.SwitchedTo.After(last) {
			id, last = rec.ID, rec.SwitchedTo
		}
	}
	return id
}

// view returns a record as clients see it, without the state of git and the disk.
func (c *changes) view(rec record) messages.WorktreeView {
	all, err := c.deps.Sessions()
	if err != nil {
		c.log.Warn().Err(err).Msg("sessions of worktrees cannot be read")
	}
	return viewOf(rec, active(c.registry.all(rec.Common)), all)
}
