package worktree

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// Intervals and size of the searches for worktrees that have not been used for the time of the settings.
const (
	retireFirst = 5 * time.Second // after a start and a change of the settings, and between batches
	retireEvery = time.Hour
	retireBatch = maxQueue / 4 // removals that are requested at once
)

type (
	// RetentionChanged is sent when the retention in the settings may have changed.
	RetentionChanged struct{}
	// retireDue is sent when the next search is due.
	retireDue struct{}
	// retirable is the result of a search.
	retirable struct{ removals []messages.RemoveWorktree }
)

// retireAfter sets the timer for the next search, if there is a retention.
func (w *worktrees) retireAfter(ctx actor.Context, d time.Duration) {
	w.timer.Stop()
	if w.deps.Retention() > 0 {
		w.timer.Set(ctx, d, retireDue{})
	}
}

// look searches for worktrees to retire, on the worker.
func (w *worktrees) look() {
	since, deps, life := w.deps.Now().Add(-w.deps.Retention()), w.deps, w.life
	w.looker.Do(func() any { return retirable{findRetirable(life, deps, since)} })
}

// retire requests the removal of the worktrees that a search has found. Their repositories check them again.
func (w *worktrees) retire(ctx actor.Context, found retirable) {
	for _, m := range found.removals {
		act.Send(ctx, w.child(ctx, m.Common), m)
	}
	again := retireEvery
	if len(found.removals) == retireBatch {
		again = retireFirst
	}
	w.retireAfter(ctx, again)
}

// findRetirable returns the removals of worktrees that were not used since a time, and in which nothing would be lost.
func findRetirable(ctx context.Context, d Deps, since time.Time) (removals []messages.RemoveWorktree) {
	sessions, err := d.Sessions()
	if err != nil {
		d.Log("worktrees").Warn().Err(err).Msg("search for unused worktrees failed")
		return nil
	}
	for _, rec := range d.Registry.all("") {
		v := viewOf(rec, "", sessions)
		if ctx.Err() != nil || len(removals) == retireBatch {
			break
		}
		if rec.state() != messages.WorktreeReady || !v.LastUsed.Before(since) || occupied(rec, sessions) {
			continue
		}
		if work(ctx, d.Git, &v); Kept(v, since) == "" {
			removals = append(removals, messages.RemoveWorktree{Worktree: rec.ID, UnusedSince: since, Retention: true, Common: rec.Common})
		}
	}
	return removals
}

// occupied reports whether a session works in a worktree, other than subagents that have ended.
func occupied(rec record, sessions []messages.SessionRecord) bool {
	return slices.ContainsFunc(sessions, func(s messages.SessionRecord) bool {
		return worksIn(s, rec) && (s.Subagent == nil || !s.Subagent.Status.Final())
	})
}

// Kept returns why a worktree is not pruned; empty if it is. A worktree whose directory does not exist is pruned.
func Kept(v messages.WorktreeView, since time.Time) string {
	switch w := v.Work; {
	case v.State == messages.WorktreeStale:
		return ""
	case slices.ContainsFunc(v.Leases, messages.WorktreeLease.Held):
		return "leased"
	case v.State != messages.WorktreeReady:
		return string(v.State)
	case v.Setup.Status == messages.SetupRunning:
		return "its setup runs"
	case w == nil:
		return "unknown"
	case w.Changed+w.Untracked > 0 || w.Unpushed > 0:
		return "work"
	case !v.LastUsed.Before(since):
		return "used"
	}
	return ""
}

// nested refuses, for the retention, a worktree with another repository in it: git ignores that repository's work.
func nested(ctx context.Context, rec record, retention bool) error {
	if !retention {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return messages.Errorf(opRemove, messages.WrongState, format, args...).With("worktree_id", rec.ID).
			WithHint("Look at it, and remove it: betcode worktree remove " + rec.reference())
	}
	seen := 0
	return filepath.WalkDir(rec.Path, func(path string, entry fs.DirEntry, err error) error {
		seen++
		switch {
		case err != nil:
			return refuse("not all of worktree %s is readable: %w", rec.Name, err)
		case seen > maxMeasured || ctx.Err() != nil:
			return refuse("worktree %s is too large to be looked through", rec.Name)
		case entry.Name() == ".git" && path != filepath.Join(rec.Path, ".git"):
			return refuse("worktree %s has a repository in it: %s", rec.Name, filepath.Dir(path))
		}
		return nil
	})
}
