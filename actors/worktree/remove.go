package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"betcode/actors/internal/git"
	"betcode/messages"
)

const opRemove = "remove worktree"

// remove removes a worktree, if no work is lost or the caller accepts that.
func (c *changes) remove(ctx context.Context, lock *git.Lock, m messages.RemoveWorktree, e *request) (messages.Reply, error) {
	rec, err := c.registry.find(opRemove, m.Worktree)
	first, begun := prepared[messages.WorktreeRemoved](e)
	if err != nil && begun && messages.KindOf(err) == messages.NotFound {
		return first, nil
	}
	if err != nil {
		return nil, err
	}
	if rec.State == messages.WorktreeCreating { // an earlier undo was not completed
		if err := c.prepare(e, messages.WorktreeRemoved{}); err != nil {
			return nil, err
		}
		c.undo(ctx, lock, rec)
		return messages.WorktreeRemoved{}, nil
	}
	stale := rec.state() == messages.WorktreeStale
	if err := c.mayRemove(ctx, rec, stale, m); err != nil {
		return nil, err
	}
	closed, err := c.closeSessions(ctx, rec)
	if err != nil {
		return nil, err
	}
	if closed > 0 && !stale { // an agent may have written just before its end
		if err := c.removable(ctx, rec, m.Force); err != nil {
			return nil, err
		}
	}
	answer := messages.WorktreeRemoved{SessionsClosed: closed + first.SessionsClosed}
	if err := c.prepare(e, answer); err != nil {
		return nil, err
	}
	rec, err = c.registry.change(rec.ID, func(r *record) error { // not the copy from above: leases have ended since
		r.State, r.Forced, r.Retired = messages.WorktreeRemoving, m.Force, m.Retention
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := c.at(stepRemoving); err != nil {
		return nil, err
	}
	if err := c.unused(rec, m); err != nil { // from here on no session begins there; one that began meanwhile keeps it
		_, failed := c.registry.update(rec.ID, func(r *record) { r.State, r.Retired = messages.WorktreeReady, false })
		return nil, errors.Join(err, failed)
	}
	if err := c.demolish(ctx, lock, rec, false); err != nil {
		if !errors.Is(err, errDied) && !absent(filepath.Join(rec.Path, ".git")) {
			_, failed := c.registry.update(rec.ID, func(r *record) { r.State, r.Forced, r.Retired = messages.WorktreeReady, false, false })
			err = errors.Join(err, failed)
		}
		return nil, err
	}
	return answer, nil
}

// demolish removes the directory, git's records of it, and the record. Of a directory that is no longer a worktree it removes
// the rest of an earlier removal if resumed is set, and otherwise nothing: its files may be needed.
func (c *changes) demolish(ctx context.Context, lock *git.Lock, rec record, resumed bool) error {
	var err error
	switch {
	case !absent(filepath.Join(rec.Path, ".git")):
		if err = ours(rec, rec.Retired); err == nil { // an agent may have put a link there since
			err = c.git.Remove(ctx, lock, rec.Common, rec.Path)
		}
	case resumed && !absent(rec.Path):
		left := rec.leftover()
		left.Created = false // the branch stays
		err = c.git.Undo(ctx, lock, left)
	default:
		err = git.Forget(rec.Common, rec.Path)
	}
	if err != nil {
		return err
	}
	if err := c.at(stepRemoved); err != nil {
		return err
	}
	c.log.Info().Str("worktree", rec.ID).Str("path", rec.Path).Str("branch", rec.Branch).Bool("retention", rec.Retired).Msg("worktree removed")
	if rec.Retired { // before the record is removed: a daemon that crashes in between writes the entry once more
		c.deps.Audit(messages.AuditEntry{
			Type: messages.AuditWorktreePruned, ActorType: messages.ActorDaemon, Outcome: messages.OutcomeSuccess,
			Context: map[string]string{"worktree_id": rec.ID, "path": rec.Path, "branch": rec.Branch, "repository": rec.Common},
		})
	}
	return c.registry.drop(rec.ID)
}

func absent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}

// closeSessions ends the agents of the sessions in a worktree and returns how many were running.
func (c *changes) closeSessions(ctx context.Context, rec record) (int, error) {
	all, err := c.deps.Sessions()
	if err != nil {
		return 0, err
	}
	closed := 0
	for _, s := range all {
		if !worksIn(s, rec) {
			continue
		}
		ran, err := c.deps.Stop(ctx, s.ID)
		if err != nil {
			return closed, fmt.Errorf("stop session %s: %w", s.ID, err)
		}
		if ran {
			closed++
		}
	}
	return closed, nil
}

// worksIn reports whether a session works in a worktree, by its id or by its directory.
func worksIn(s messages.SessionRecord, rec record) bool {
	if s.WorktreeID == rec.ID {
		return true
	}
	for _, dir := range []string{s.WorkingDirectory, s.Resolved} {
		if dir == rec.Path || strings.HasPrefix(dir, rec.Path+string(filepath.Separator)) {
			return true
		}
	}
	return false
}
