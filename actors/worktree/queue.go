package worktree

import (
	"context"
	"errors"
	"slices"
	"sync"

	"betcode/messages"
)

// queue has the callers that wait for leases, in order. It is not durable: a caller whose connection ends repeats its request.
type queue struct {
	mu      sync.Mutex
	last    uint64
	waiting map[string][]waiter // by worktree
}

// waiter is a caller that waits for a lease.
type waiter struct {
	ticket uint64
	lease  messages.WorktreeLease
	woken  chan struct{} // gets a value when a lease was released, or a caller before this one has left the queue
}

// join adds a caller to the queue. The caller calls leave when it no longer waits. ok is false if too many wait.
func (q *queue) join(worktree string, lease messages.WorktreeLease) (w waiter, leave func(), ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting[worktree]) >= maxLeases {
		return w, nil, false
	}
	if q.waiting == nil {
		q.waiting = map[string][]waiter{}
	}
	q.last++
	w = waiter{q.last, lease, make(chan struct{}, 1)}
	q.waiting[worktree] = append(q.waiting[worktree], w)
	return w, func() { q.leave(worktree, w.ticket) }, true
}

func (q *queue) leave(worktree string, ticket uint64) {
	q.mu.Lock()
	q.waiting[worktree] = slices.DeleteFunc(q.waiting[worktree], func(w waiter) bool { return w.ticket == ticket })
	if len(q.waiting[worktree]) == 0 {
		delete(q.waiting, worktree)
	}
	q.mu.Unlock()
	q.wake(worktree)
}

// wake has all callers that wait for a worktree retry.
func (q *queue) wake(worktree string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range q.waiting[worktree] {
		select {
		case w.woken <- struct{}{}:
		default: // it has not received the last value
		}
	}
}

// before returns the leases that the callers before a ticket wait for; all for no ticket.
func (q *queue) before(worktree string, ticket uint64) leases {
	q.mu.Lock()
	defer q.mu.Unlock()
	var found leases
	for _, w := range q.waiting[worktree] {
		if ticket == 0 || w.ticket < ticket {
			found = append(found, w.lease)
		}
	}
	return found
}

// Wait takes a lease with take, which it calls again whenever the lease may be free, until ctx ends. Callers that wait for the
// same worktree are served in order.
func (r *Registry) Wait(ctx context.Context, m messages.LeaseWorktree, take func(messages.LeaseWorktree) (messages.Reply, error)) (messages.Reply, error) {
	w, leave, ok := r.queue.join(m.Worktree, messages.WorktreeLease{Holder: m.Holder, Mode: m.Mode})
	if !ok {
		return nil, messages.Errorf(opLease, messages.Exhausted, "%d callers wait for the worktree already", maxLeases).With("worktree_id", m.Worktree).
			WithHint("Try again later, or use another worktree.")
	}
	defer leave()
	m.Ticket = w.ticket
	for {
		answer, err := take(m)
		var busy *messages.Error
		if !errors.As(err, &busy) || busy.Code != messages.WorktreeInUse {
			return answer, err
		}
		select {
		case <-w.woken:
		case <-ctx.Done():
			return nil, err // the error names the holder
		}
	}
}

// LeasedBy returns the worktrees of which a session has leases, with ended ones, and their repositories.
func (r *Registry) LeasedBy(session messages.SessionID) (worktrees map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, rec := range r.records {
		if _, has := rec.Leases.of(session); has {
			if worktrees == nil {
				worktrees = map[string]string{}
			}
			worktrees[id] = rec.Common
		}
	}
	return worktrees
}

// Lapsed returns the lease that a session had when it was stopped and does not hold now, with its worktree; false if there is none.
func (r *Registry) Lapsed(session messages.SessionID) (worktree string, lease messages.WorktreeLease, lapsed bool) {
	for id := range r.LeasedBy(session) {
		r.mu.Lock()
		own, has := r.records[id].Leases.of(session)
		r.mu.Unlock()
		if has && !own.Held() {
			return id, own, true
		}
	}
	return "", messages.WorktreeLease{}, false
}

// unchecked reports, once, that the leases of a repository were not checked since the start of the daemon.
func (r *Registry) unchecked(common string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.checked[common]
	r.checked[common] = true
	return !was
}
