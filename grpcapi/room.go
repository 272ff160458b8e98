package grpcapi

import (
	"context"
	"slices"
	"sync"
)

// room is bytes that are shared by callers: so many in all, and so many of one. It may
// be used by many goroutines.
type room struct {
	total, each int64

	mu      sync.Mutex
	used    int64
	callers map[string]int64
	waiting []*roomWaiter // in the order of their coming
}

type roomWaiter struct {
	caller string
	bytes  int64
	ready  chan struct{} // closed when the bytes are the waiter's
}

func newRoom(total, each int64) *room {
	return &room{total: total, each: each, callers: map[string]int64{}}
}

// take waits for bytes of the room; more than a caller may ever have count as all that
// it may. The caller gives back what is returned.
func (r *room) take(ctx context.Context, caller string, bytes int64) (taken int64, err error) {
	bytes = min(bytes, r.each, r.total)
	r.mu.Lock()
	if len(r.waiting) == 0 && r.fits(caller, bytes) {
		r.add(caller, bytes)
		r.mu.Unlock()
		return bytes, nil
	}
	w := &roomWaiter{caller: caller, bytes: bytes, ready: make(chan struct{})}
	r.waiting = append(r.waiting, w)
	r.grant() // whoever waits in front may wait for its own share
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
	return bytes, nil // it was given meanwhile
}

// give gives bytes back.
func (r *room) give(caller string, bytes int64) {
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

func (r *room) fits(caller string, bytes int64) bool {
	return r.used+bytes <= r.total && r.callers[caller]+bytes <= r.each
}

func (r *room) add(caller string, bytes int64) {
	if bytes == 0 {
		return
	}
	r.used += bytes
	r.callers[caller] += bytes
}

// grant gives room to those that wait, in their order. A caller that waits for its own
// share is passed over; one that waits for the room of all is not, or it would wait for
// ever behind smaller ones.
func (r *room) grant() {
	var left []*roomWaiter
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
