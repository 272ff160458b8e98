package messages

import "time"

// SendInput sends a user message to the session. It needs the input lock; if the lock is free, the
// sender gets it. Answered with [InputAcknowledged] when the message is journaled, before it is
// written to the agent.
type SendInput struct {
	ask
	Session     SessionID
	Client      ClientID
	Key         string // idempotency key and uuid towards the agent; the gateway makes one if the client has none
	Digest      []byte // of the following fields: the same key with another message is refused
	Content     string
	Attachments []Attachment
	Repeat      *Repeat // nil: sent once
}

// InputAcknowledged answers [SendInput]. Seq is the number of the UserInput event;
// a repeated key gets the number of the first.
type InputAcknowledged struct {
	answer
	Key string
	Seq Seq
}

// CancelTurn interrupts the running turn. It needs the lock. Answered with [TurnCanceling] when the
// cancellation is journaled.
type CancelTurn struct {
	ask
	Session SessionID
	Client  ClientID
	Force   bool   // does not need the lock: for the unary call of an operator
	Reason  string // for the TURN_CANCELLED notice and the audit log; may be empty
}

// TurnCanceling answers [CancelTurn].
type TurnCanceling struct {
	answer
	WasActive bool
}

// Target implements [SessionRequest].
func (m SendInput) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m CancelTurn) Target() SessionID { return m.Session }

// InputState is how far an accepted user message has come. Stored: append only.
type InputState uint8

// The states of an input. In the states queued and started, the run does not send it
// again to the same process. An input is done, and its record deleted, when a result
// lists it, when it is cancelled, or when a resumed process reports completed without
// started.
const (
	InputAccepted InputState = 0 // journaled, not written
	InputWriting  InputState = 1 // a line longer than the pipe is being written: a kill may truncate it
	InputWritten  InputState = 2 // in the pipe of run Run
	InputQueued   InputState = 3 // the agent reported queued
	InputStarted  InputState = 4 // the agent reported started: a turn begins with it
	InputFolded   InputState = 5 // the agent reported started during a turn: it became part of that turn
)

// Attachment is a file that goes with a user message.
type Attachment struct {
	Filename, MimeType string
	Data               []byte
}

// InputRecord is one accepted user message that is not done yet.
type InputRecord struct {
	Key         string // its uuid: the idempotency key, towards the client and the agent
	Seq         Seq    // number of its UserInput event
	Content     string
	Attachments []Attachment
	Client      ClientID
	State       InputState
	Run         RunNumber // the run it was written to, 0 before
	At          time.Time
	Number      uint64 // number towards the proxy of a proxied session, from 1; else 0
}
