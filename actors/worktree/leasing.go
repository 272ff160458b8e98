package worktree

import (
	"slices"

	"betcode/messages"
)

const opLease = "lease worktree"

// doLease makes a change of leases and returns the answer.
func (c *changes) doLease(m any) any {
	var answer messages.Reply
	err := error(messages.Errorf(opLease, messages.Unimplemented, "no repository answers a %T", m))
	switch m := m.(type) {
	case messages.LeaseWorktree:
		answer, err = c.lease(m)
	case messages.ReleaseWorktree:
		answer, err = c.release(m)
	case messages.EndLease:
		answer, err = c.endLease(m)
	}
	if err != nil {
		return messages.AsError(opLease, err)
	}
	return answer
}

// lease takes a lease for a session. It does not wait for changes of the repository.
func (c *changes) lease(m messages.LeaseWorktree) (messages.Reply, error) {
	if m.Holder == "" || m.Mode != messages.LeaseShared && m.Mode != messages.LeaseExclusive {
		return nil, messages.Errorf(opLease, messages.Invalid, "lease %q of session %q: a holder and a mode are required", m.Mode, m.Holder).WithHint("Use shared or exclusive.")
	}
	rec, err := c.registry.change(m.Worktree, func(r *record) error {
		if err := r.usable(opLease); err != nil {
			return err
		}
		if _, again := r.Leases.of(m.Holder); len(r.Leases) >= maxLeases && !again {
			return messages.Errorf(opLease, messages.Exhausted, "worktree %s has %d leases, no more", r.Name, maxLeases).With("worktree_id", r.ID).
				WithHint("Delete sessions that are not needed any more: betcode session delete")
		}
		granted, other := r.Leases.grant(c.deps.Now(), m, c.registry.queue.before(r.ID, m.Ticket))
		if other != nil {
			return inUse(opLease, *r, *other)
		}
		r.Leases = granted
		return nil
	})
	if err != nil {
		return nil, err
	}
	c.log.Info().Str("worktree", rec.ID).Str("holder", string(m.Holder)).Str("lease", string(m.Mode)).Msg("worktree leased")
	return c.view(rec), nil
}

// release releases the lease of a session.
func (c *changes) release(m messages.ReleaseWorktree) (messages.Reply, error) {
	_, err := c.registry.change(m.Worktree, func(r *record) error {
		r.Leases = r.Leases.without(m.Holder)
		return nil
	})
	if err != nil && messages.KindOf(err) != messages.NotFound { // a removed worktree has no leases
		return nil, err
	}
	c.released(m.Worktree, m.Holder)
	return messages.Done{}, nil
}

func (c *changes) released(worktree string, holder messages.SessionID) {
	c.registry.queue.wake(worktree)
	c.log.Info().Str("worktree", worktree).Str("holder", string(holder)).Msg("lease of a worktree released")
}

// endLease records the end of the session that has a lease. A stopped session keeps an ended lease, which it takes again before
// it works.
func (c *changes) endLease(m messages.EndLease) (messages.Reply, error) {
	if m.How == messages.HolderDeleted {
		return c.release(messages.ReleaseWorktree{Worktree: m.Worktree, Holder: m.Holder})
	}
	_, err := c.registry.update(m.Worktree, func(r *record) {
		r.Leases = r.Leases.mark(m.Holder, func(l *messages.WorktreeLease) {
			l.Ending, l.Ended = m.How == messages.HolderEnding, l.Ended || m.How == messages.HolderStopped
		})
	})
	if err != nil {
		return nil, err
	}
	if m.How == messages.HolderStopped {
		c.released(m.Worktree, m.Holder)
	}
	return messages.Done{}, nil
}

// checkLeases marks leases of sessions that no longer exist as stale. It does so once in the life of a daemon, because later
// there are leases of sessions that are about to be created.
func (c *changes) checkLeases() {
	if !c.registry.unchecked(c.common) || !slices.ContainsFunc(c.registry.all(c.common), func(r record) bool { return len(r.Leases) > 0 }) {
		return
	}
	all, err := c.deps.Sessions()
	if err != nil {
		c.log.Warn().Err(err).Msg("leases of worktrees not checked")
		return
	}
	sessions := map[messages.SessionID]messages.SessionRecord{}
	for _, s := range all {
		sessions[s.ID] = s
	}
	for _, rec := range c.registry.all(c.common) {
		if len(rec.Leases) == 0 {
			continue
		}
		rec, err := c.registry.change(rec.ID, func(r *record) error {
			r.Leases = r.Leases.checkAtStart(func(id messages.SessionID) (found, works bool) {
				s, found := sessions[id]
				ended := s.Subagent != nil && s.Subagent.Status.Final()
				return found && !ended, s.Turn && !s.StopWanted
			})
			return nil
		})
		if err != nil {
			c.log.Warn().Err(err).Str("worktree", rec.ID).Msg("leases of a worktree not checked")
		}
		for _, l := range rec.Leases {
			if l.Stale {
				c.log.Warn().Str("worktree", rec.ID).Str("holder", string(l.Holder)).Msg("stale lease: its session does not exist")
			}
		}
	}
}
