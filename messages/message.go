package messages

// Message is implemented by everything that one actor may send to another. The method is
// unexported, so only this package defines messages.
type Message interface{ message() }

// Request is a message that is answered, with a [Reply] or an [*Error].
type Request interface {
	Message
	request()
}

// Reply answers a [Request] that succeeded.
type Reply interface {
	Message
	reply()
}

// SessionRequest is a [Request] addressed to one session. The sessions actor
// routes it by SessionID and starts the session's actor if it has to.
type SessionRequest interface {
	Request
	// Target returns the session the request is for.
	Target() SessionID
}

type command struct{}

func (command) message() {}

type ask struct{ command }

func (ask) request() {}

type answer struct{ command }

func (answer) reply() {}
