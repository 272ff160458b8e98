package messages

// Message is implemented by everything one actor may say to another.
// The method is unexported, so the vocabulary is closed: it is this package.
type Message interface{ message() }

// Request is a message that is answered, with a [Reply] or an [*Error].
type Request interface {
	Message
	request()
}

// Reply is what a [Request] is answered with when it succeeds.
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
