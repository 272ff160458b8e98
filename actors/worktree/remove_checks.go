package worktree

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"betcode/actors/internal/git"
	"betcode/messages"
)

// mayRemove refuses a removal that would disturb a setup or a session, or lose work.
func (c *changes) mayRemove(ctx context.Context, rec record, stale bool, m messages.RemoveWorktree) error {
	if rec.Setup.Status == messages.SetupRunning {
		return setupRuns(opRemove, rec)
	}
	if err := c.unused(rec, m); err != nil {
		return err
	}
	switch {
	case stale && m.Retention:
		return rec.usable(opRemove) // its disk may be missing for a while
	case stale:
		return nil
	}
	if err := ours(rec, m.Retention); err != nil {
		return err
	}
	if err := c.removable(ctx, rec, m.Force); err != nil {
		return err
	}
	return nested(ctx, rec, m.Retention)
}

// ours refuses a worktree whose path now leads elsewhere. The daemon by itself removes only the directory that it has made; a
// person may name another one, because some machines renumber devices at a restart.
func ours(rec record, retention bool) error {
	refuse := func(text, hint string) error {
		return messages.Errorf(opRemove, messages.WrongState, "worktree %s is not where it was made: %s %s", rec.Name, rec.Path, text).With("worktree_id", rec.ID).
			WithHint(hint)
	}
	if found, err := filepath.EvalSymlinks(rec.Path); err != nil || found != rec.Path {
		return refuse("is reached through a symbolic link", "Remove the link; what it leads to stays.")
	}
	if retention && (rec.Made == "" || git.Identity(rec.Path) != rec.Made) {
		return refuse("is another directory", "Look at it, and remove it: betcode worktree remove "+rec.reference())
	}
	return nil
}

// unused refuses a worktree that was used since, one of which a session holds a lease, and for the retention one in which a
// session works. The zero time refuses none.
func (c *changes) unused(rec record, m messages.RemoveWorktree) error {
	since := m.UnusedSince
	if since.IsZero() {
		return nil
	}
	sessions, err := c.deps.Sessions()
	if err != nil {
		return err
	}
	refuse := func(text string, args ...any) error {
		return messages.Errorf(opRemove, messages.WrongState, text, args...).With("worktree_id", rec.ID).
			WithHint("Remove it in any case: betcode worktree remove " + rec.reference())
	}
	if c.registry.admits(rec.ID) || m.Retention && occupied(rec, sessions) {
		return refuse("a session works in worktree %s", rec.Name)
	}
	if last := viewOf(rec, "", sessions).LastUsed; !last.Before(since) {
		return refuse("worktree %s was used at %s", rec.Name, last.UTC().Format(time.RFC3339))
	}
	for _, l := range rec.Leases {
		if l.Held() {
			return refuse("session %s has a lease of worktree %s", messages.ShortID(l.Holder), rec.Name)
		}
	}
	return nil
}

// removable refuses a worktree that is locked. Without force it also refuses one with work that exists nowhere else.
func (c *changes) removable(ctx context.Context, rec record, force bool) error {
	trees, err := c.git.Trees(ctx, rec.Common)
	if err != nil {
		return err
	}
	for _, t := range trees {
		if t.Path == rec.Path && t.Locked {
			return messages.Errorf(opRemove, messages.Exhausted, "%s is locked: %s", rec.Path, clip(t.Reason)).WithCode(messages.WorktreeInUse).
				With("worktree_id", rec.ID).WithHint("It was locked with git; unlock it: git worktree unlock " + rec.Path)
		}
	}
	if force {
		return nil
	}
	s, err := c.git.Status(ctx, rec.Path)
	if err != nil {
		return err
	}
	var lost []string
	if s.Changed > 0 {
		lost = append(lost, messages.Count(s.Changed, "changed file"))
	}
	if s.Foreign > 0 {
		lost = append(lost, messages.Count(s.Foreign, "untracked file"))
	}
	if s.Unpushed > 0 {
		lost = append(lost, messages.Count(s.Unpushed, "commit")+" neither pushed nor in another branch")
	}
	if git.Submodules(rec.Common, rec.Path) {
		lost = append(lost, "submodules")
	}
	if len(lost) == 0 {
		return nil
	}
	return messages.Errorf(opRemove, messages.WrongState, "worktree %s has %s", rec.Name, strings.Join(lost, ", ")).With("worktree_id", rec.ID).
		WithHint("Commit and push, or give it up: betcode worktree remove --force " + rec.reference())
}
