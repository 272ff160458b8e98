package worktree

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"betcode/actors/internal/git"
	"betcode/messages"
)

// create makes a worktree, or leaves nothing behind.
func (c *changes) create(ctx context.Context, lock *git.Lock, m messages.CreateWorktree) (messages.Reply, error) {
	if rec, made, err := c.repeated(m); made || err != nil {
		return c.view(rec), err
	}
	rec, err := c.intent(ctx, m)
	if err != nil {
		return nil, err
	}
	if err := c.registry.put(rec); err != nil {
		return nil, err
	}
	if rec, err = c.build(ctx, lock, rec); errors.Is(err, errDied) {
		return nil, err
	}
	if err != nil {
		c.undo(ctx, lock, rec)
		return nil, err
	}
	c.log.Info().Str("worktree", rec.ID).Str("path", rec.Path).Str("branch", rec.Branch).Msg("worktree created")
	if err := c.include(ctx, rec); err != nil {
		c.log.Warn().Err(err).Str("worktree", rec.ID).Msg("some files of " + includeFile + " were not copied")
	}
	if rec, err = c.beginSetup(rec, ""); err != nil {
		c.log.Warn().Err(err).Str("worktree", rec.ID).Msg("setup of a worktree not started")
	}
	return c.view(rec), nil
}

// repeated returns the worktree that an earlier request with this key has made.
func (c *changes) repeated(m messages.CreateWorktree) (rec record, made bool, err error) {
	if m.Key == "" {
		return record{}, false, nil
	}
	c.registry.mu.Lock()
	rec, made = c.registry.records[m.Key]
	c.registry.mu.Unlock()
	switch {
	case !made:
		return rec, false, nil
	case rec.Common != c.common || !bytes.Equal(rec.Digest, m.Digest):
		return rec, true, messages.UsedKey(opCreate, m.Key)
	case rec.State == messages.WorktreeCreating: // its undo has failed
		return rec, true, rec.usable(opCreate)
	}
	return rec, true, nil
}

// intent checks everything that can be checked before a change, and returns the record with the intent.
func (c *changes) intent(ctx context.Context, m messages.CreateWorktree) (record, error) {
	p, err := planOf(m)
	if err != nil {
		return record{}, err
	}
	if m.Path == "" {
		above, err := c.place(m.Main)
		if err != nil {
			return record{}, err
		}
		if above != "" {
			p.path = filepath.Join(above, p.name)
		}
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(p.path))
	if err != nil {
		return record{}, messages.Errorf(opCreate, messages.Invalid, "directory of the worktree: %w", err).WithHint("Create it, or give another path.")
	}
	p.path = filepath.Join(parent, filepath.Base(p.path)) // as git will name it
	if why := c.deps.Protected(p.path); why != "" {
		return record{}, messages.Errorf(opCreate, messages.Denied, "no worktree is made there: %s", why).WithHint("Choose another path, or none.")
	}
	if p.path == c.common || strings.HasPrefix(p.path, c.common+string(filepath.Separator)) {
		return record{}, messages.Errorf(opCreate, messages.Invalid, "path %s is inside of git's own directory", p.path).WithHint("Choose another path, or none.")
	}
	if err := c.free(ctx, p, m.Branch); err != nil {
		return record{}, err
	}
	commit, err := c.start(ctx, m)
	if err != nil {
		return record{}, err
	}
	if what, err := c.git.Programs(ctx, m.Common); err != nil || what != "" {
		if err == nil {
			err = messages.Errorf(opCreate, messages.WrongState, "the settings of repository %s would run programs during the checkout: %s", m.Main, what).
				WithHint("Look at it in " + filepath.Join(m.Common, "config") + "; if it is yours, move it to ~/.gitconfig.")
		}
		return record{}, err
	}
	if err := c.room(ctx, parent, commit); err != nil {
		return record{}, err
	}
	return record{
		ID: cmp.Or(m.Key, uuid.NewString()), Digest: m.Digest, Name: p.name, Path: p.path, Branch: m.Branch, Common: m.Common, Main: m.Main, State: messages.WorktreeCreating,
		Commit: commit, NewBranch: m.CreateBranch, CreatedAt: c.deps.Now(),
	}, nil
}

// build carries out the intent of the record. Also after an error the record describes what exists.
func (c *changes) build(ctx context.Context, lock *git.Lock, rec record) (record, error) {
	if err := c.at(stepIntent); err != nil {
		return rec, err
	}
	if err := os.Mkdir(rec.Path, 0o777); err != nil { // the umask is the user's
		if errors.Is(err, fs.ErrExist) {
			err = messages.Errorf(opCreate, messages.AlreadyExists, "path %s exists", rec.Path).With("path", rec.Path).WithHint("Choose another path, or another name.")
		}
		return rec, err
	}
	if err := c.at(stepDirectory); err != nil {
		return rec, err
	}
	made := rec
	made.Made = git.Identity(rec.Path)
	if err := c.registry.put(made); err != nil {
		return rec, err
	}
	rec = made
	if err := c.at(stepIdentity); err != nil {
		return rec, err
	}
	if rec.NewBranch {
		if err := c.git.CreateBranch(ctx, lock, rec.Common, rec.Branch, rec.Commit); err != nil {
			var refused *git.ExitError
			if errors.As(err, &refused) {
				rec.NewBranch = false // another process created it first
			}
			return rec, err
		}
	}
	if err := c.at(stepBranch); err != nil {
		return rec, err
	}
	if err := c.git.Add(ctx, lock, rec.Common, rec.Path, rec.Branch); err != nil {
		return rec, err
	}
	if err := c.at(stepAdded); err != nil {
		return rec, err
	}
	ready := rec
	ready.State = messages.WorktreeReady
	if err := c.registry.put(ready); err != nil {
		return rec, err
	}
	return ready, nil
}

// undo removes what a creation has left, also after the end of its context. It keeps files that others have put there.
func (c *changes) undo(ctx context.Context, lock *git.Lock, rec record) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
	defer cancel()
	if err := c.git.Undo(ctx, lock, rec.leftover()); err != nil {
		c.log.Warn().Err(err).Str("worktree", rec.ID).Str("path", rec.Path).Msg("worktree not removed in full")
		if ctx.Err() != nil {
			return // the next start retries
		}
	}
	if err := c.registry.drop(rec.ID); err != nil {
		c.log.Warn().Err(err).Str("worktree", rec.ID).Msg("record of a worktree not removed")
	}
}
