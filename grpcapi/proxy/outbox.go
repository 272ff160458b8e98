package proxy

import (
	"sync"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// outboxEvents and outboxBytes bound the unread events of a proxy. Beyond them the call ends; the events wait in the
// session.
const (
	outboxEvents = 1024
	outboxBytes  = 32 << 20
)

// errTooSlow ends a call whose proxy does not read.
var errTooSlow = messages.Errorf("serve proxy", messages.Exhausted, "the proxy does not read its events").
	WithHint("connect again; messages and decisions are sent again")

// outbox buffers events for the proxy of one call. It implements [messages.ProxySink].
type outbox struct {
	ready chan struct{} // capacity 1: there is something to send

	mu     sync.Mutex
	events []*pb.ProxyEvent
	bytes  int
	seq    uint64 // of the newest durable line
	acks   bool   // seq is not acknowledged yet
	closed bool
	reason error
}

func newOutbox() *outbox { return &outbox{ready: make(chan struct{}, 1)} }

// Send implements [messages.ProxySink].
func (o *outbox) Send(e messages.ProxyEvent) {
	event, size := eventOut(e)
	o.mu.Lock()
	defer o.mu.Unlock()
	defer signal(o.ready)
	switch {
	case o.closed:
	case len(o.events) > 0 && (len(o.events) >= outboxEvents || o.bytes+size > outboxBytes):
		o.closed, o.reason = true, errTooSlow
	default:
		o.events, o.bytes = append(o.events, event), o.bytes+size
	}
}

// Close implements [messages.ProxySink].
func (o *outbox) Close(reason error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed, o.reason = true, reason
	}
	signal(o.ready)
}

// acknowledge schedules the acknowledgement of a line and all before it. A newer one replaces it.
func (o *outbox) acknowledge(seq uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seq, o.acks = seq, true
	signal(o.ready)
}

// take returns the events to send. At the end it also returns the reason, and is not called again.
func (o *outbox) take() (events []*pb.ProxyEvent, end bool, reason error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	events, o.events, o.bytes = o.events, nil, 0
	if o.acks {
		o.acks = false
		events = append(events, &pb.ProxyEvent{Event: &pb.ProxyEvent_OutputTaken{OutputTaken: &pb.ProxyOutputTaken{Seq: o.seq}}})
	}
	return events, o.closed, o.reason
}
