package worktree

import (
	"context"
	"errors"
	"path/filepath"

	"betcode/actors/internal/git"
	"betcode/messages"
)

// reconcile finishes or undoes the unfinished changes of a repository, and records which worktrees no longer exist.
func (c *changes) reconcile(ctx context.Context) {
	var begun []record
	for _, rec := range c.registry.all(c.common) {
		if rec.Setup.Status == messages.SetupRunning {
			c.endInterrupted(ctx, rec)
		}
		switch rec.state() {
		case messages.WorktreeCreating, messages.WorktreeRemoving:
			begun = append(begun, rec)
		case messages.WorktreeStale:
			c.log.Warn().Str("worktree", rec.ID).Str("path", rec.Path).Msg("stale worktree: its directory does not exist")
		case messages.WorktreeReady: // no change was begun
		}
	}
	merges, err := c.registry.intents(c.common)
	if err != nil {
		c.log.Warn().Err(err).Msg("intents of merges cannot be read")
	}
	if len(begun)+len(merges) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, changeTime)
	defer cancel()
	err = c.locked(ctx, func(lock *git.Lock) error {
		for _, rec := range begun {
			if rec.State == messages.WorktreeRemoving {
				c.resumeRemoval(ctx, lock, rec)
			} else {
				c.resumeCreation(ctx, lock, rec)
			}
		}
		return c.resumeMerges(ctx, lock)
	})
	if err != nil {
		c.log.Warn().Err(err).Int("worktrees", len(begun)).Int("merges", len(merges)).Msg("unfinished changes not resumed until the next start")
	}
}

// resumeCreation keeps a worktree that git had finished, and undoes any other.
func (c *changes) resumeCreation(ctx context.Context, lock *git.Lock, rec record) {
	finished := c.git.Finished(ctx, rec.leftover())
	c.log.Info().Str("worktree", rec.ID).Str("path", rec.Path).Bool("finished", finished).Msg("interrupted creation of a worktree resumed")
	if !finished {
		c.undo(ctx, lock, rec)
		return
	}
	if _, err := c.registry.update(rec.ID, func(r *record) { r.State = messages.WorktreeReady }); err != nil {
		c.log.Warn().Err(err).Str("worktree", rec.ID).Msg("record of a worktree not written")
	}
}

// resumeRemoval finishes a removal, unless the worktree was used since.
func (c *changes) resumeRemoval(ctx context.Context, lock *git.Lock, rec record) {
	log := c.log.With().Str("worktree", rec.ID).Str("path", rec.Path).Logger()
	if !absent(filepath.Join(rec.Path, ".git")) && !rec.Forced {
		s, err := c.git.Status(ctx, rec.Path)
		if err == nil && rec.Retired {
			err = ours(rec, true)
		}
		if err != nil || s.Foreign > 0 || s.Changed > s.Deleted {
			_, failed := c.registry.update(rec.ID, func(r *record) { r.State, r.Retired = messages.WorktreeReady, false })
			err = errors.Join(err, failed)
			log.Warn().Err(err).Msg("worktree not removed: it was used after its removal was interrupted")
			return
		}
	}
	if err := c.demolish(ctx, lock, rec, true); err != nil {
		log.Warn().Err(err).Msg("worktree not removed")
	}
}
