package actors

import (
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
// waits, and the stream that serves the client, which waits and takes. It
// implements [messages.Sink].
type outbox struct {
	drained func() // called when a lagging outbox has room again; must not wait

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
func (o *outbox) Close(reason error) { o.end(reason, false) }

// Drop implements [messages.Sink].
func (o *outbox) Drop(reason error) { o.end(reason, true) }

func (o *outbox) end(reason error, drop bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	o.closed, o.reason = true, reason
	if drop {
		o.events, o.bytes = nil, 0
	}
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// take returns all events there are, without waiting. Behind the last of them
// stands the end: [io.EOF] for a clean one, else the reason. Whoever has taken
// waits for wake and takes again.
func (o *outbox) take() ([]messages.Event, error) {
	events, lagged, err := o.empty()
	if lagged {
		o.drained()
	}
	return events, err
}

func (o *outbox) empty() (events []messages.Event, lagged bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	events, lagged = o.events, o.refused && !o.closed
	o.events, o.bytes, o.refused = nil, 0, false
	switch {
	case o.closed && len(events) > 0:
		o.signal() // the end is still to be taken
	case o.closed && o.reason == nil:
		return nil, false, io.EOF
	case o.closed:
		return nil, false, o.reason
	}
	return events, lagged, nil
}
