package actors

import (
	"context"
	"time"

	"betcode/messages"
)

// subagentPatience bounds the wait for the end of a cancelled subagent: its agent has ten seconds.
const subagentPatience = time.Minute

// cancelSubagent ends a subagent, and then removes its worktree if the request says so.
func (s *System) cancelSubagent(ctx context.Context, r messages.Request, m messages.CancelSubagent) (messages.Reply, error) {
	if m.CleanupWorktree {
		if err := s.worktreeShared(m.Subagent); err != nil {
			return nil, err
		}
	}
	answer, err := s.askWithin(ctx, subagentPatience, s.sessions, r)
	if err != nil || !m.CleanupWorktree {
		return answer, err
	}
	if canceled, ok := answer.(messages.SubagentCanceled); ok && canceled.Worktree != "" {
		_, err := s.worktree(ctx, messages.RemoveWorktree{Worktree: canceled.Worktree, Force: true})
		if err != nil && messages.KindOf(err) != messages.NotFound { // removed before
			return nil, err
		}
	}
	return answer, nil
}

// worktreeShared refuses to remove the worktree of a subagent in which other sessions work.
func (s *System) worktreeShared(id messages.SessionID) error {
	loaded, err := s.options.Store.Load(id)
	if err != nil || !loaded.Found || loaded.Record.WorktreeID == "" {
		return nil //nolint:nilerr // an error is the session's to report
	}
	others, _, err := s.options.Store.Sessions("", loaded.Record.WorktreeID, 0, 0)
	if err != nil {
		return messages.AsError("cancel subagent", err)
	}
	for _, other := range others {
		if other.ID == id || other.Subagent != nil && other.Subagent.Status.Final() {
			continue
		}
		return messages.Errorf("cancel subagent", messages.WrongState, "session %s works in the worktree too", other.ID).WithCode(messages.WorktreeInUse).
			With("session_id", string(other.ID)).WithHint("cancel the subagent without cleanup_worktree, or end that session first")
	}
	return nil
}

// subagentEnded wakes callers that wait for a subagent, and releases its leases. Leases whose release cannot be written are released
// when the daemon starts.
func (s *System) subagentEnded(r messages.SessionRecord) {
	s.endings.ended(r.ID)
	if s.registry == nil {
		return
	}
	for id, common := range s.registry.LeasedBy(r.ID) {
		s.actors.Root.Send(s.worktrees, messages.EndLease{Worktree: id, Holder: r.ID, How: messages.HolderDeleted, Common: common})
	}
}
