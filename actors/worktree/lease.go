package worktree

import (
	"slices"
	"time"

	"betcode/messages"
)

// maxLeases bounds the leases of one worktree, and the callers that wait for one.
const maxLeases = 100

// leases are those of one worktree, oldest first. Methods return changed copies: a record is shared with its readers.
type leases []messages.WorktreeLease

// excludes reports whether a lease in one mode excludes a lease in another.
func excludes(held, wanted messages.LeaseMode) bool {
	return held == messages.LeaseExclusive || held == messages.LeaseShared && wanted == messages.LeaseExclusive
}

// against returns the lease of another session that excludes a mode; false if there is none.
func (l leases) against(holder messages.SessionID, mode messages.LeaseMode) (messages.WorktreeLease, bool) {
	for _, other := range l {
		if other.Holder != holder && other.Held() && excludes(other.Mode, mode) {
			return other, true
		}
	}
	return messages.WorktreeLease{}, false
}

// of returns the lease of a session; false if it has none.
func (l leases) of(holder messages.SessionID) (messages.WorktreeLease, bool) {
	n := slices.IndexFunc(l, func(other messages.WorktreeLease) bool { return other.Holder == holder })
	if n < 0 {
		return messages.WorktreeLease{}, false
	}
	return l[n], true
}

// with returns the leases with that of a session replaced. Stale ones are dropped.
func (l leases) with(own messages.WorktreeLease) leases {
	kept := l.without(own.Holder)
	kept = slices.DeleteFunc(kept, func(other messages.WorktreeLease) bool { return other.Stale })
	return append(kept, own)
}

// without returns the leases without that of a session.
func (l leases) without(holder messages.SessionID) leases {
	return slices.DeleteFunc(slices.Clone(l), func(other messages.WorktreeLease) bool { return other.Holder == holder })
}

// mark returns the leases with that of a session changed.
func (l leases) mark(holder messages.SessionID, change func(*messages.WorktreeLease)) leases {
	marked := slices.Clone(l)
	for n := range marked {
		if marked[n].Holder == holder {
			change(&marked[n])
		}
	}
	return marked
}

// grant adds the lease of a session, unless another excludes it: that of a holder, or that of a caller before it in the queue.
func (l leases) grant(now time.Time, m messages.LeaseWorktree, before leases) (leases, *messages.WorktreeLease) {
	if other, excluded := l.against(m.Holder, m.Mode); excluded {
		return l, &other
	}
	if own, had := l.of(m.Holder); !had || !own.Held() {
		if other, excluded := before.against(m.Holder, m.Mode); excluded {
			return l, &other
		}
	}
	return l.with(messages.WorktreeLease{Holder: m.Holder, Mode: m.Mode, Since: now}), nil
}

// checkAtStart returns the leases as the next daemon takes them over: those of sessions that no longer exist are stale, and
// a requested stop or deletion counts as done unless the agent has work.
func (l leases) checkAtStart(session func(messages.SessionID) (found, works bool)) leases {
	checked := slices.Clone(l)
	for n := range checked {
		found, works := session(checked[n].Holder)
		checked[n].Stale = !found
		if checked[n].Ending {
			checked[n].Ending, checked[n].Ended = false, !works
		}
	}
	return checked
}

// excluded returns the lease that excludes all sessions without one; nil if there is none.
func (r record) excluded() *messages.WorktreeLease {
	if other, excluded := r.Leases.against("", messages.LeaseNone); excluded {
		return &other
	}
	return nil
}

// inUse returns the error of a worktree from which another session's lease excludes the caller.
func inUse(op string, rec record, other messages.WorktreeLease) *messages.Error {
	article := "a"
	if other.Mode == messages.LeaseExclusive {
		article = "an"
	}
	return messages.Errorf(op, messages.Exhausted, "worktree %s is in use: session %s has %s %s lease", rec.Name, messages.ShortID(other.Holder), article, other.Mode).
		WithCode(messages.WorktreeInUse).With("worktree_id", rec.ID).With("holder", string(other.Holder)).With("lease", string(other.Mode)).
		WithHint("Wait until it is free, use another worktree, or end the holder: betcode session stop " + messages.ShortID(other.Holder))
}
