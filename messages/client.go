package messages

import "time"

// History says what an attaching client is sent of the past.
type History uint8

// The history policies.
const (
	HistoryFull         History = iota // everything, then what comes
	HistoryPendingOnly                 // the undecided prompts, then what comes
	HistoryNone                        // only what comes
	HistoryFromSequence                // everything after From, then what comes
)

// Follow says when an attached stream ends by itself.
type Follow uint8

// The follow policies.
const (
	FollowForever Follow = iota // until the client leaves or the session is deleted
	FollowTurn                  // at the head, unless a turn runs: then after it, or when it waits for a person
	FollowReplay                // at the head
	FollowAnswers               // at the head, as soon as the session is quiescent
)

// Progress says what a session does with the work that it was given. The values are
// ordered: each ends at least the streams that the one before it ends.
type Progress uint8

// The states of a session's work.
const (
	Working   Progress = iota // a turn runs or a message waits, and the session goes on by itself
	Awaiting                  // a turn runs or a message waits, and a person has to act first
	Quiescent                 // no turn runs and no message waits, or the agent was given up
)

// Attach adds a client to a session. Answered with [Attached]; the events go to
// Sink in order, each once, beginning with a SessionInfo snapshot (sequence 0).
type Attach struct {
	ask
	Session  SessionID
	Client   ClientID
	Type     string // what kind of client it calls itself, may be empty
	Stream   string // unique per stream: one client may have several
	Observer bool   // never gets the input lock
	Approves bool   // may answer requests, and does not observe by its own wish: a person watches
	Discards bool   // the session is removed with its last stream if nothing was said in it
	History  History
	From     Seq // exclusive; read for HistoryFromSequence
	Follow   Follow
	Sink     Sink
}

// Target implements [SessionRequest].
func (m Attach) Target() SessionID { return m.Session }

// Attached answers [Attach]. Head is the last journaled number at that moment.
type Attached struct {
	answer
	Head       Seq
	LockHolder ClientID
}

// GetPrompts asks a session what waits for a person. Answered with [Prompts].
type GetPrompts struct {
	ask
	Session SessionID
}

// Target implements [SessionRequest].
func (m GetPrompts) Target() SessionID { return m.Session }

// Prompts answers [GetPrompts]: a prompt for each undecided request, oldest first,
// marked as replays, without a number.
type Prompts struct {
	answer
	Events []Event
}

// Detach removes a stream from a session. Not answered.
type Detach struct {
	command
	Session  SessionID
	Stream   string
	Draining bool // the daemon ends the stream, because it ends itself: the client is to keep its input lock
}

// ClientPresence is a client with at least one attached stream, as others see it.
type ClientPresence struct {
	Client   ClientID
	Type     string
	Observer bool      // none of its streams may write
	Since    time.Time // when the first of its streams was attached
}

// OutboxDrained tells a lagging client actor that its sink has room again. Sent
// by the outbox.
type OutboxDrained struct {
	command
	At time.Time
}

// Published tells an attached client about newly durable events, or about
// events that are not journaled (sequence 0). Without events it tells that the progress
// has changed. Sent by the session in order.
type Published struct {
	command
	Events   []Event
	Head     Seq // last journaled number
	Progress Progress
}

// Finish tells a client actor that its client will send no more requests: from now on
// its stream has the policy [FollowAnswers]. Sent by the gateway's end of the stream.
type Finish struct{ command }

// HistoryRead brings a catching-up client the next piece of the journal.
// Sent by the effect performer.
type HistoryRead struct {
	command
	Attempt uint64
	Events  []Event
	Err     error
}

// ClientCaughtUp tells the session that a stream is live again and has missed events
// that no history has: it is told the present state of what they were about. Sent by
// the client actor.
type ClientCaughtUp struct {
	command
	Stream string
}

// ClientGone tells the session that a stream has ended. Sent by the client actor.
type ClientGone struct {
	command
	Stream string
}

// PermissionDecided tells the session how a permission request was decided, by
// the first answer or by its deadline. Sent by the permission actor.
type PermissionDecided struct {
	command
	Answer AnswerPermission // Decision DecisionExpired for the deadline
	By     string
	At     time.Time
}
