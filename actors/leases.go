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

// takeLease takes a lease. An exclusive one is answered when the requests have ended that were admitted to the worktree before it.
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

// startLeased sends r, which starts the session of m, when that has its lease. A session that is not created keeps none.
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
	perhaps := sent && (kind == messages.DeadlineExceeded || kind == messages.Canceled) // the session may be created yet
	another := s.registry.Admitted(m.WorktreeID, m.Session) > 1                         // by the same request again
	if !perhaps && !another && !s.queries.Exists(m.Session) {
		err = errors.Join(err, s.releaseAll(context.WithoutCancel(ctx), m.Session))
	}
	return answer, err
}

// working asks with ask for what r names. A request that has a session's agent work is refused while another session excludes it from
// its worktree, and one that takes an exclusive lease meanwhile waits for the answer. A session that was stopped takes its lease
// again.
//
// The check comes before the session sees the request. A stop that ends between the two takes the lease away from an agent
// that starts: it is held again with the next request.
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
		worktree = loaded.Record.WorktreeID // otherwise the session says what is wrong with it
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

// worksFor returns the session whose agent is to work; false if a request is not about that.
func worksFor(r messages.Request) (messages.SessionID, bool) {
	if once, ok := r.(messages.Once); ok {
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

// ends asks for the stop or the deletion of a session. Its leases say so first, so that a daemon that dies in the middle of it
// leaves none behind.
func (s *System) ends(ctx context.Context, r messages.Request) (messages.Reply, error) {
	inner := r
	if once, ok := r.(messages.Once); ok {
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

// endLeases notes the end of a session in its leases. What cannot be written is done again when the daemon starts.
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

// ended gives back what a session held when it was stopped or deleted, and has the fact written to the audit log.
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
