package wire

import (
	"context"
	"slices"
	"sync"
)

// memory is a budget of bytes that callers share: total bounds all of them together, each
// bounds one caller. It is safe for concurrent use.
type memory struct {
	total, each int64

	mu      sync.Mutex
	used    int64
	callers map[string]int64
	waiting []*waiter // in order of arrival
}

type waiter struct {
	caller string
	bytes  int64
	ready  chan struct{} // closed when the bytes are granted
}

func newMemory(total, each int64) *memory {
	return &memory{total: total, each: each, callers: map[string]int64{}}
}

// take waits until bytes are free, and reserves them for caller. A request beyond the caller's
// bound reserves the whole bound. The caller must return the bytes with give.
func (r *memory) take(ctx context.Context, caller string, bytes int64) (taken int64, err error) {
	bytes = min(bytes, r.each, r.total)
	r.mu.Lock()
	if len(r.waiting) == 0 && r.fits(caller, bytes) {
		r.add(caller, bytes)
		r.mu.Unlock()
		return bytes, nil
	}
	w := &waiter{caller: caller, bytes: bytes, ready: make(chan struct{})}
	r.waiting = append(r.waiting, w)
	r.grant() // the waiters in front may only wait for their own share
	r.mu.Unlock()
	select {
	case <-w.ready:
		return bytes, nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.waiting, w); i >= 0 {
		r.waiting = slices.Delete(r.waiting, i, i+1)
		r.grant()
		return 0, context.Cause(ctx)
	}
	return bytes, nil // granted meanwhile
}

// give releases bytes that take has reserved.
func (r *memory) give(caller string, bytes int64) {
	if bytes == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= bytes
	if r.callers[caller] -= bytes; r.callers[caller] <= 0 {
		delete(r.callers, caller)
	}
	r.grant()
}

// inUse returns the bytes that are reserved.
func (r *memory) inUse() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used
}

func (r *memory) fits(caller string, bytes int64) bool {
	return r.used+bytes <= r.total && r.callers[caller]+bytes <= r.each
}

func (r *memory) add(caller string, bytes int64) {
	if bytes == 0 {
		return
	}
	r.used += bytes
	r.callers[caller] += bytes
}

// grant reserves bytes for waiters in order of arrival. It skips a waiter that exceeds its
// own share, and stops at one that exceeds the total: smaller requests would starve it.
func (r *memory) grant() {
	var left []*waiter
	blocked := false
	for _, w := range r.waiting {
		switch {
		case blocked, r.callers[w.caller]+w.bytes > r.each:
			left = append(left, w)
		case r.used+w.bytes > r.total:
			blocked = true
			left = append(left, w)
		default:
			r.add(w.caller, w.bytes)
			close(w.ready)
		}
	}
	r.waiting = left
}
