package worktree

import (
	"context"
	"sync"

	"betcode/messages"
)

// admissions are the requests that have passed the check of the leases of their worktree and are not answered yet. The
// [Registry] locks them together with the records, so that a session that gets an exclusive lease sees all earlier admissions.
type admissions struct {
	under map[string]map[messages.SessionID]int // by worktree
	ended chan struct{}                         // closed and replaced when one has ended
}

// Admit lets a session work in a worktree, or begin there, until the caller calls done. It is refused while another session has an
// exclusive lease, and while the worktree is being removed.
func (r *Registry) Admit(op, worktree string, session messages.SessionID) (done func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rec := r.records[worktree]
	if other, excluded := rec.Leases.against(session, messages.LeaseNone); excluded {
		return nil, inUse(op, rec, other)
	}
	return r.enter(op, rec, session)
}

// Enter is [Registry.Admit] for a session that does not work yet: it ignores leases of others.
func (r *Registry) Enter(op, worktree string, session messages.SessionID) (done func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.enter(op, r.records[worktree], session)
}

// enter counts a session, unless the worktree is being removed. The caller holds the lock.
func (r *Registry) enter(op string, rec record, session messages.SessionID) (done func(), err error) {
	if rec.State == messages.WorktreeRemoving {
		return nil, rec.usable(op)
	}
	a, worktree := &r.admissions, rec.ID
	if a.under == nil {
		a.under, a.ended = map[string]map[messages.SessionID]int{}, make(chan struct{})
	}
	if a.under[worktree] == nil {
		a.under[worktree] = map[messages.SessionID]int{}
	}
	a.under[worktree][session]++
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if a.under[worktree][session]--; a.under[worktree][session] == 0 {
			delete(a.under[worktree], session)
		}
		if len(a.under[worktree]) == 0 {
			delete(a.under, worktree)
		}
		close(a.ended)
		a.ended = make(chan struct{})
	}), nil
}

// Admitted returns how many requests of a session have been admitted to a worktree and are not done.
func (r *Registry) Admitted(worktree string, session messages.SessionID) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.admissions.under[worktree][session]
}

// admits reports whether any request is admitted to a worktree.
func (r *Registry) admits(worktree string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.admissions.under[worktree]) > 0
}

// Drain waits until no other session is admitted to a worktree of which holder has an exclusive lease. None is admitted
// meanwhile.
func (r *Registry) Drain(ctx context.Context, worktree string, holder messages.SessionID) error {
	for {
		r.mu.Lock()
		others := len(r.admissions.under[worktree])
		if r.admissions.under[worktree][holder] > 0 {
			others--
		}
		ended := r.admissions.ended
		r.mu.Unlock()
		if others == 0 {
			return nil
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
