package client

import (
	"io"
	"sync"

	"betcode/messages"
)

// The bounds of one client's outbox. A client lags when either is reached; it catches up from the journal as the outbox drains.
// The client's transport buffers 64 KiB and one event in addition.
const (
	outboxEvents = 1024
	outboxBytes  = 1 << 20
)

// Outbox is the bounded queue between a client actor, which pushes and never waits, and the stream that serves the client,
// which waits and takes. It implements [messages.Sink].
//
// The events that were taken last count until more are taken, since sending them may take an hour.
type Outbox struct {
	drained func() // called when a lagging outbox has room again; must not wait

	mu       sync.Mutex
	batches  [][]messages.Event // as they were pushed; other outboxes share them
	buffered amount             // of batches, and of the events that were taken last
	taken    amount             // of the events that were taken last
	takes    int                // number of calls of Take that returned events
	refused  bool               // a push did not fit since the last drain
	closed   bool
	reason   error
	wake     chan struct{} // capacity 1: signals a change
}

// amount is a number of events and of their bytes.
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

// NewOutbox returns an empty outbox. It calls drained, which must not wait, when it has room again after a push was refused.
func NewOutbox(drained func()) *Outbox {
	return &Outbox{drained: drained, wake: make(chan struct{}, 1)}
}

// Push implements [messages.Sink]. A single batch always fits into an empty
// outbox, whatever its size.
func (o *Outbox) Push(events []messages.Event) bool {
	size := amountOf(events)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return true
	}
	buffered := o.buffered.plus(size)
	if len(o.batches) > 0 && !buffered.fits() {
		o.refused = true
		return false
	}
	o.batches, o.buffered = append(o.batches, events), buffered
	o.signal()
	return true
}

// Close implements [messages.Sink].
func (o *Outbox) Close(reason error) { o.end(reason, false) }

// Drop implements [messages.Sink].
func (o *Outbox) Drop(reason error) { o.end(reason, true) }

func (o *Outbox) end(reason error, drop bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	o.closed, o.reason = true, reason
	if drop {
		o.batches, o.buffered = nil, o.taken
	}
	o.signal()
}

// Taken implements [messages.Sink].
func (o *Outbox) Taken() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.takes
}

// Ready is signalled when Take has something to return.
func (o *Outbox) Ready() <-chan struct{} { return o.wake }

// Buffered returns how many events the outbox has, and whether it is closed.
func (o *Outbox) Buffered() (events int, closed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffered.events, o.closed
}

func (o *Outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// Take returns the next batch, nothing if there is none. It does not wait. After the last batch it returns [io.EOF] if the
// stream ended cleanly, or the reason of its end. The caller handles the batch, waits for Ready and takes again.
func (o *Outbox) Take() ([]messages.Event, error) {
	events, lagged, err := o.next()
	if lagged {
		o.drained()
	}
	return events, err
}

func (o *Outbox) next() (events []messages.Event, lagged bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case len(o.batches) > 0:
		events = o.batches[0]
		o.batches[0], o.batches = nil, o.batches[1:] // nil releases the batch from the backing array
		o.takes++
	case o.closed && o.reason == nil:
		return nil, false, io.EOF
	case o.closed:
		return nil, false, o.reason
	}
	o.buffered, o.taken = o.buffered.minus(o.taken), amountOf(events)
	if len(o.batches) > 0 || o.closed {
		o.signal() // more batches, or the end
		return events, false, nil
	}
	lagged, o.batches, o.refused = o.refused, nil, false
	return events, lagged, nil
}
