package actors

import (
	"io"
	"sync"

	"betcode/messages"
)

// The bounds of one client's outbox. A client that lets either fill up is
// lagging: it is brought up to date from the journal as it drains. Beyond that a client
// costs what its transport has taken for it: 64 KiB and an event.
const (
	outboxEvents = 1024
	outboxBytes  = 1 << 20
)

// outbox is the bounded queue between a client actor, which pushes and never
// waits, and the stream that serves the client, which waits and takes. It
// implements [messages.Sink].
//
// What was taken counts until more is: whoever sends it may be at it for an hour.
type outbox struct {
	drained func() // called when a lagging outbox has room again; must not wait

	mu      sync.Mutex
	batches [][]messages.Event // as they were pushed; other outboxes have the same
	held    amount             // of them, and of what was taken last
	taken   amount             // of that alone
	takes   int                // how often something was
	refused bool               // a push did not fit since the last drain
	closed  bool
	reason  error
	wake    chan struct{} // capacity 1: something changed
}

// amount is how much events are.
type amount struct{ events, bytes int }

func amountOf(events []messages.Event) amount {
	a := amount{events: len(events)}
	for _, e := range events {
		a.bytes += len(e.Bytes)
	}
	return a
}

func (a amount) plus(b amount) amount  { return amount{a.events + b.events, a.bytes + b.bytes} }
func (a amount) minus(b amount) amount { return amount{a.events - b.events, a.bytes - b.bytes} }
func (a amount) fits() bool            { return a.events <= outboxEvents && a.bytes <= outboxBytes }

func newOutbox(drained func()) *outbox {
	return &outbox{drained: drained, wake: make(chan struct{}, 1)}
}

// Push implements [messages.Sink]. A single batch always fits into an empty
// outbox, whatever its size.
func (o *outbox) Push(events []messages.Event) bool {
	size := amountOf(events)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return true
	}
	held := o.held.plus(size)
	if len(o.batches) > 0 && !held.fits() {
		o.refused = true
		return false
	}
	o.batches, o.held = append(o.batches, events), held
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
		o.batches, o.held = nil, o.taken
	}
	o.signal()
}

// Taken implements [messages.Sink].
func (o *outbox) Taken() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.takes
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// take returns the next batch, without waiting; nothing if there is none. Behind the
// last stands the end: [io.EOF] for a clean one, else the reason. Whoever has dealt
// with what it took waits for wake and takes again.
func (o *outbox) take() ([]messages.Event, error) {
	events, lagged, err := o.next()
	if lagged {
		o.drained()
	}
	return events, err
}

func (o *outbox) next() (events []messages.Event, lagged bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case len(o.batches) > 0:
		events = o.batches[0]
		o.batches[0], o.batches = nil, o.batches[1:] // else the list would keep it
		o.takes++
	case o.closed && o.reason == nil:
		return nil, false, io.EOF
	case o.closed:
		return nil, false, o.reason
	}
	o.held, o.taken = o.held.minus(o.taken), amountOf(events)
	if len(o.batches) > 0 || o.closed {
		o.signal() // more is to be taken, or the end
		return events, false, nil
	}
	lagged, o.batches, o.refused = o.refused, nil, false
	return events, lagged, nil
}
