package messages

import "time"

// History is which past events an attaching client receives.
type History uint8

// The history policies.
const (
	HistoryFull         History = iota // everything, then new events
	HistoryPendingOnly                 // the undecided prompts, then new events
	HistoryNone                        // only new events
	HistoryFromSequence                // everything after From, then new events
)

// Follow is when an attached stream ends by itself.
type Follow uint8

// The follow policies.
const (
	FollowForever Follow = iota // until the client leaves or the session is deleted
	FollowTurn                  // at the head, unless a turn runs: then after it, or when it waits for a person
	FollowReplay                // at the head
	FollowAnswers               // at the head, as soon as the session is quiescent
)

// Progress is how far a session is with its work. The values are ordered: each ends at
// least the streams that the value before it ends.
type Progress uint8

// The states of a session's work.
const (
	Working   Progress = iota // a turn runs or a message waits, and the session continues by itself
	Awaiting                  // a turn runs or a message waits, and a person has to act first
	Quiescent                 // no turn runs and no message waits, or the session has given up restarting the agent
)

// Attach adds a client to a session. Answered with [Attached]; the events go to
// Sink in order, each once, beginning with a SessionInfo snapshot (sequence 0).
type Attach struct {
	ask
	Session  SessionID
	Client   ClientID
	Type     string // kind of client, as the client reports it; may be empty
	Stream   string // unique per stream: one client may have several
	Observer bool   // never gets the input lock
	Approves bool   // may answer requests and did not ask to observe: a person is watching
	Discards bool   // the session is removed with its last stream if it has no message
	History  History
	From     Seq // exclusive; read for HistoryFromSequence
	Follow   Follow
	Sink     Sink
}

// Target implements [SessionRequest].
func (m Attach) Target() SessionID { return m.Session }

// Attached answers [Attach]. Head is the last journaled number at that time.
type Attached struct {
	answer
	Head       Seq
	LockHolder ClientID
}

// GetPrompts asks a session for its undecided requests. Answered with [Prompts].
type GetPrompts struct {
	ask
	Session SessionID
}

// Target implements [SessionRequest].
func (m GetPrompts) Target() SessionID { return m.Session }

// Prompts answers [GetPrompts]: an event for each undecided request, oldest first, marked
// as a replay, with sequence 0.
type Prompts struct {
	answer
	Events []Event
}

// Detach removes a stream from a session. Not answered.
type Detach struct {
	command
	Session  SessionID
	Stream   string
	Draining bool // the daemon is shutting down and ends the stream: the client keeps its input lock
}

// ClientPresence is a client with at least one attached stream, as others see it.
type ClientPresence struct {
	Client   ClientID
	Type     string
	Observer bool      // none of its streams may write
	Since    time.Time // when the first of its streams was attached
}

// OutboxDrained reports to a lagging client actor that its sink has room again. Sent by the outbox.
type OutboxDrained struct {
	command
	At time.Time
}

// Published passes newly durable events, or events that are not journaled (sequence 0),
// to an attached client. Without events it reports changed progress. Sent by the session
// in order.
type Published struct {
	command
	Events   []Event
	Head     Seq // last journaled number
	Progress Progress
}

// Finish reports to a client actor that its client sends no more requests: its stream
// then has the policy [FollowAnswers]. Sent by the gateway's end of the stream.
type Finish struct{ command }

// HistoryRead passes the next part of the journal to a client that is catching up. Sent
// by the effect performer.
type HistoryRead struct {
	command
	Attempt uint64
	Events  []Event
	Err     error
}

// ClientCaughtUp reports to the session that a lagging stream is live again and has
// missed events that were not journaled. The session sends the stream the present state
// that those events were about. Sent by the client actor.
type ClientCaughtUp struct {
	command
	Stream string
}

// ClientGone reports to the session that a stream has ended. Sent by the client actor.
type ClientGone struct {
	command
	Stream string
}

// PermissionDecided reports to the session how a permission request was decided, by the
// first answer or by its deadline. Sent by the permission actor.
type PermissionDecided struct {
	command
	Answer AnswerPermission // Decision DecisionExpired for the deadline
	By     string
	At     time.Time
}

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
