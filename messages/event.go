package messages

// Event is one numbered event of a session as every client receives it.
type Event struct {
	// Seq is the event's number, 0 for an event that is not journaled.
	Seq Seq
	// Bytes is the encoded betcode.v1.AgentEvent, its sequence included: the same bytes
	// in the journal and on every wire. Immutable.
	Bytes []byte
}

// Sink receives the events of one attached client. It is implemented by the
// outbox between a client actor and the stream that serves it.
type Sink interface {
	// Push adds events in order and reports whether they fitted. If not, it adds none,
	// and the client is lagging.
	Push(events []Event) bool
	// Close ends the stream after everything pushed so far. A nil reason is a clean end.
	Close(reason error)
	// Drop ends the stream and discards events that were pushed and not taken yet.
	Drop(reason error)
	// Taken returns how often the stream has taken events.
	Taken() int
}
