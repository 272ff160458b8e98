package actors

import (
	"context"
	"io"
	"slices"
	"sync"

	"betcode/messages"
)

// The bounds of one client's outbox. A client that lets either fill up is
// lagging: it is brought up to date from the journal as it drains.
const (
	outboxEvents = 1024
	outboxBytes  = 8 << 20
)

// outbox is the bounded queue between a client actor, which pushes and never
// waits, and the stream that serves the client, which takes and waits. It
// implements [messages.Sink].
type outbox struct {
	drained func() // called when a lagging outbox has room again

	mu      sync.Mutex
	events  []messages.Event
	bytes   int
	refused bool // a push did not fit since the last drain
	closed  bool
	reason  error
	wake    chan struct{} // capacity 1: something changed
}

func newOutbox(drained func()) *outbox {
	return &outbox{drained: drained, wake: make(chan struct{}, 1)}
}

// Push implements [messages.Sink]. A single batch always fits into an empty
// outbox, whatever its size.
func (o *outbox) Push(events []messages.Event) bool {
	size := 0
	for _, e := range events {
		size += len(e.Bytes)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return true
	}
	if len(o.events) > 0 && (len(o.events)+len(events) > outboxEvents || o.bytes+size > outboxBytes) {
		o.refused = true
		return false
	}
	if len(o.events) == 0 {
		o.events = slices.Clip(events) // what all clients are given is not copied for each
	} else {
		o.events = append(o.events, events...)
	}
	o.bytes += size
	o.signal()
	return true
}

// Close implements [messages.Sink].
func (o *outbox) Close(reason error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed, o.reason = true, reason
		o.signal()
	}
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// next waits for events and takes all there are. It returns [io.EOF] after a
// clean end, the reason after another, or ctx's error.
func (o *outbox) next(ctx context.Context) ([]messages.Event, error) {
	for {
		events, closed, reason := o.take()
		switch {
		case len(events) > 0:
			return events, nil
		case closed && reason == nil:
			return nil, io.EOF
		case closed:
			return nil, reason
		}
		select {
		case <-o.wake:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (o *outbox) take() (events []messages.Event, closed bool, reason error) {
	o.mu.Lock()
	events, o.events, o.bytes = o.events, nil, 0
	refused := o.refused
	o.refused = false
	closed, reason = o.closed, o.reason
	o.mu.Unlock()
	if refused && !closed {
		o.drained()
	}
	return events, closed, reason
}
