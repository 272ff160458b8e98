package actors

import (
	"context"
	"errors"

	"betcode/messages"
)

// lease takes or releases a lease of a worktree.
func (s *System) lease(ctx context.Context, r messages.Request) (messages.Reply, error) {
	if s.registry == nil {
		return nil, noWorktrees("lease worktree")
	}
	var err error
	switch m := r.(type) {
	case messages.LeaseWorktree:
		if m.Worktree, m.Common, err = s.registry.Repository("lease worktree", m.Worktree); err != nil {
			return nil, err
		}
		return s.takeLease(ctx, m)
	case messages.ReleaseWorktree:
		if m.Worktree == "" {
			return messages.Done{}, s.releaseAll(ctx, m.Holder)
		}
		if m.Worktree, m.Common, err = s.registry.Repository("release worktree", m.Worktree); err != nil {
			return nil, err
		}
		return s.ask(ctx, s.worktrees, m)
	}
	return nil, messages.Errorf("lease worktree", messages.Unimplemented, "no actor answers a %T", r)
}

// takeLease takes a lease. It answers an exclusive one when the requests have ended that were admitted to the worktree before.
func (s *System) takeLease(ctx context.Context, m messages.LeaseWorktree) (messages.Reply, error) {
	take := func(m messages.LeaseWorktree) (messages.Reply, error) { return s.ask(ctx, s.worktrees, m) }
	var answer messages.Reply
	var err error
	if m.Wait {
		answer, err = s.registry.Wait(ctx, m, take)
	} else {
		answer, err = take(m)
	}
	if err == nil && m.Mode == messages.LeaseExclusive {
		err = s.registry.Drain(ctx, m.Worktree, m.Holder)
	}
	return answer, err
}

func (s *System) releaseAll(ctx context.Context, holder messages.SessionID) error {
	var all error
	for id, common := range s.registry.LeasedBy(holder) {
		_, err := s.ask(ctx, s.worktrees, messages.ReleaseWorktree{Worktree: id, Holder: holder, Common: common})
		all = errors.Join(all, err)
	}
	return all
}

// startLeased sends r, which starts the session of m, once that session has its lease. A session that is not created keeps none.
func (s *System) startLeased(ctx context.Context, m messages.StartSession, r messages.Request) (messages.Reply, error) {
	fresh := m.WorktreeID != "" && s.registry != nil && !s.queries.Exists(m.Session)
	if !fresh {
		return s.ask(ctx, s.sessions, r)
	}
	done, err := s.registry.Admit("start session", m.WorktreeID, m.Session)
	if err != nil {
		return nil, err
	}
	defer done()
	sent := false
	if m.Lease != messages.LeaseNone {
		_, err = s.lease(ctx, messages.LeaseWorktree{Worktree: m.WorktreeID, Holder: m.Session, Mode: m.Lease})
	}
	var answer messages.Reply
	if err == nil {
		sent = true
		answer, err = s.ask(ctx, s.sessions, r)
	}
	if err == nil || m.Lease == messages.LeaseNone {
		return answer, err
	}
	kind := messages.KindOf(err)
	perhaps := sent && (kind == messages.DeadlineExceeded || kind == messages.Canceled) // the session may still be created
	another := s.registry.Admitted(m.WorktreeID, m.Session) > 1                         // by a repetition of the request
	if !perhaps && !another && !s.queries.Exists(m.Session) {
		err = errors.Join(err, s.releaseAll(context.WithoutCancel(ctx), m.Session))
	}
	return answer, err
}

// working sends r with ask. A request that makes a session's agent work is refused while another session has an exclusive lease of
// its worktree; a request for an exclusive lease that arrives meanwhile waits for the answer to r. A session that was stopped takes
// its lease again.
//
// The check precedes the session's own handling of the request. A stop that ends between the two takes the lease from an agent
// that starts; the next request takes it again.
func (s *System) working(ctx context.Context, r messages.Request, ask func() (messages.Reply, error)) (messages.Reply, error) {
	session, works := worksFor(r)
	if !works || s.registry == nil || s.registry.Empty() {
		return ask()
	}
	worktree := ""
	if leased, own, lapsed := s.registry.Lapsed(session); lapsed {
		if _, err := s.lease(ctx, messages.LeaseWorktree{Worktree: leased, Holder: session, Mode: own.Mode}); err != nil {
			return nil, err
		}
		worktree = leased
	} else if loaded, err := s.options.Store.Load(session); err == nil {
		worktree = loaded.Record.WorktreeID // an error is the session's to report
	}
	if worktree == "" {
		return ask()
	}
	done, err := s.registry.Admit("work in worktree", worktree, session)
	if err != nil {
		return nil, err
	}
	defer done()
	return ask()
}

// worksFor returns the session that a request makes work; false if it makes none work.
func worksFor(r messages.Request) (messages.SessionID, bool) {
	if once, ok := r.(messages.Idempotent); ok {
		r = once.Request
	}
	switch m := r.(type) {
	case messages.SendInput:
		return m.Session, true
	case messages.SendToSubagent, messages.ContinueSession, messages.RestartSession, messages.CompactSession:
		target, ok := m.(messages.SessionRequest)
		return target.Target(), ok
	}
	return "", false
}

// ends sends r. Before the stop or deletion of a session it marks the session's leases as ending, so that a daemon that crashes
// meanwhile leaves none behind.
func (s *System) ends(ctx context.Context, r messages.Request) (messages.Reply, error) {
	inner := r
	if once, ok := r.(messages.Idempotent); ok {
		inner = once.Request
	}
	var session messages.SessionID
	switch m := inner.(type) {
	case messages.StopSession:
		session = m.Session
	case messages.DeleteSession:
		session = m.Session
	default:
		return s.ask(ctx, s.sessions, r)
	}
	s.endLeases(ctx, session, messages.HolderEnding)
	answer, err := s.ask(ctx, s.sessions, r)
	switch messages.KindOf(err) {
	case messages.Canceled, messages.DeadlineExceeded, messages.Unavailable: // the session may end all the same
	default:
		if err != nil {
			s.endLeases(ctx, session, messages.HolderStays)
		}
	}
	return answer, err
}

// endLeases records the end of a session in its leases. A record that cannot be written is repeated when the daemon starts.
func (s *System) endLeases(ctx context.Context, session messages.SessionID, how messages.LeaseEnd) {
	if s.registry == nil {
		return
	}
	for id, common := range s.registry.LeasedBy(session) {
		if _, err := s.ask(ctx, s.worktrees, messages.EndLease{Worktree: id, Holder: session, How: how, Common: common}); err != nil {
			s.logOf("worktrees").Warn().Err(err).Str("worktree", id).Msg("end of a lease not written")
		}
	}
}

// ended releases the leases of a session that was stopped or deleted, and writes the fact to the audit log.
func (s *System) ended(e messages.AuditEntry) {
	if e.Type == messages.AuditSessionComplete && s.registry != nil {
		how := messages.HolderStopped
		if e.Context["by"] == "delete" {
			how = messages.HolderDeleted
		}
		for id, common := range s.registry.LeasedBy(e.Session) {
			s.actors.Root.Send(s.worktrees, messages.EndLease{Worktree: id, Holder: e.Session, How: how, Common: common})
		}
	}
	s.audit(e)
}
