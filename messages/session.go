package messages

import "time"

// Messages between the gateway and a session. Every request names its client. An answer is sent
// when the effect that it reports is durable.

// StartSession creates a session, or opens an existing one. Answered with [SessionStarted].
//
// The gateway replaces an empty Session by a new id. An unknown id that is a UUID creates the
// session under that id.
type StartSession struct {
	ask
	Session          SessionID
	Client           ClientID
	Name             string
	WorkingDirectory string // absolute; required for a new session, must exist
	Resolved         string // WorkingDirectory with symbolic links resolved; empty if there are none. The daemon sets it
	WorktreeID       string
	Lease            LeaseMode // of the worktree, for a new session
	Model            string
	PermissionMode   string
	AllowedTools     []string
	DeniedTools      []string
	Metadata         map[string]string
	Environment      map[string]string // of the client; the session keeps the declared variables
	Resume           ResumePolicy
	Options          AgentOptions
	Budget           *BudgetLimit // of a new session; nil = the budget of the settings
	Fork             Fork         // where the session is forked from; only for [ForkSession]

	ConfirmMode bool   // confirms PermissionMode; the gateway has checked that the client may approve
	Exposed     string // why an agent that accepts edits could write protected files there; empty: it cannot. Set by package actors
}

// SessionStarted answers [StartSession].
type SessionStarted struct {
	answer
	Created bool
	View    SessionView
}

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

// AnswerPermission decides a permission request or answers a question. It needs
// no lock: the first answer decides. Answered with [PermissionAnswered]
// when the decision is journaled.
type AnswerPermission struct {
	ask
	Session  SessionID
	Client   ClientID
	Request  RequestID // for a question also "<request>/<n>"
	Key      string    // idempotency key, may be empty
	Decision Decision
	Message  string            // for a denial: text for the model
	Updated  []byte            // for AllowWithEdit: the whole input, JSON
	Answers  map[string]string // for a question: question text → answer

	Suggestions []uint32 // for an allowed call: indexes of the request's suggestions that apply from now on, from 0
	Exposed     string   // as in [StartSession]
}

// PermissionAnswered answers [AnswerPermission]. Applied is false for an answer after the first
// one, which decides: answers are idempotent.
type PermissionAnswered struct {
	answer
	Applied  bool
	By       string // the client, rule or deadline that decided
	Decision Decision
	Request  RequestID // full id of the answered request; may be empty unless Applied
	At       time.Time // when it was decided; zero = not known
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

// TakeLock requests the input lock. It is granted at once if it is free, if its holder is not
// attached, or if it is offered to the client. Otherwise the holder has 10 s to respond; if it does
// not, the lock is granted. A client whose request the holder refuses becomes a waiter. An observer
// is refused with [WrongState]. Answered with [LockAnswer], after 20 s at the latest.
type TakeLock struct {
	ask
	Session SessionID
	Client  ClientID
}

// ReleaseLock passes the input lock to the first waiter. A waiter that sends it leaves the queue.
// Answered with [LockAnswer].
type ReleaseLock struct {
	ask
	Session SessionID
	Client  ClientID
}

// RefuseLock keeps the lock for its holder although others request it. The requesters are notified.
// Answered with [LockAnswer], or [WrongState] if the client is not the holder.
type RefuseLock struct {
	ask
	Session SessionID
	Client  ClientID
}

// LockAnswer answers [TakeLock], [ReleaseLock] and [RefuseLock].
type LockAnswer struct {
	answer
	Granted  bool
	Refused  bool     // the holder refused the request
	Holder   ClientID // the present holder
	Previous ClientID // the holder before
	Place    int      // in the queue of waiters, from 1; 0 = not a waiter
}

// ChangeSettings changes model or permission mode, for the running process and for every later one.
// It needs the lock. Empty fields stay unchanged. A mode in which the agent decides by itself must
// be confirmed by a person, once in each session. Answered with [Done].
type ChangeSettings struct {
	ask
	Session        SessionID
	Client         ClientID
	Model          string
	PermissionMode string
	ConfirmMode    bool   // as in [StartSession]
	Exposed        string // as in [StartSession]
}

// RenameSession gives a session a name. Answered with [Done].
type RenameSession struct {
	ask
	Session SessionID
	Name    string
}

// DeleteSession stops the agent and removes the session permanently. Answered with [Done].
type DeleteSession struct {
	ask
	Session SessionID
	Client  ClientID
}

// StopSession ends the agent process of a session; its history stays. Answered with
// [SessionStopped] when the process has ended.
type StopSession struct {
	ask
	Session SessionID
	Client  ClientID
}

// SessionStopped answers [StopSession].
type SessionStopped struct {
	answer
	WasRunning bool
}

// SetGrant allows or forbids a tool for the rest of a session. Answered with [Done].
type SetGrant struct {
	ask
	Session SessionID
	Client  ClientID
	Tool    string
	Granted bool
}

// ClearGrants removes the grant for one tool, or all grants if Tool is empty. Answered with [Done].
type ClearGrants struct {
	ask
	Session SessionID
	Client  ClientID
	Tool    string
}

// Done answers a request whose success has no result.
type Done struct{ answer }

// GetSession asks a session for its state. Answered with [SessionView].
type GetSession struct {
	ask
	Session    SessionID
	AgentRules bool // also the rules of the running agent
}

// SessionView is a session as clients see it.
type SessionView struct {
	answer
	Record      SessionRecord
	Run         *RunRecord // nil before the first
	Inputs      []InputRecord
	Permissions []PermissionRecord
	LockHolder  ClientID
	LockWaiting []ClientID       // waiters for the input lock, in the order in which they get it
	Clients     int              // streams
	Attached    []ClientPresence // oldest first
	Lineage     string           // of the journal
	Guard       Guard            // of the running agent
	Agent       AgentRules       // only if the request asks for it
}

// Target implements [SessionRequest]; so for each below.
func (m StartSession) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m SendInput) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m AnswerPermission) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m CancelTurn) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m TakeLock) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m ReleaseLock) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m RefuseLock) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m ChangeSettings) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m RenameSession) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m DeleteSession) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m StopSession) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m SetGrant) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m ClearGrants) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m GetSession) Target() SessionID { return m.Session }

// ListSessions asks for the known sessions, newest change first. Answered with [SessionList].
// Served from the journal, without starting session actors.
type ListSessions struct {
	ask
	WorkingDirectory, WorktreeID string // empty = any
	Limit, Offset                int    // Limit 0 = 100
	Resting                      *int   // nil = a page; otherwise all sessions with work, and at most this many others

	// Known reports whether the caller has the record of a session at a revision; the page then omits it. nil = the
	// caller has none. It is called for the sessions of the page in order.
	Known func(SessionID, Revision) bool
}

// Revision numbers the versions of all session records within one process. A record with an unchanged revision is
// unchanged. No record has the zero value.
type Revision uint64

// SessionList answers [ListSessions]. Total counts all that match.
type SessionList struct {
	answer
	Sessions  []SessionRecord
	Revisions []Revision // of the first Sessions; each record is at least as new as its revision. The remaining Sessions have none
	Known     []int      // positions in the page of the omitted records, in order
	Total     int
	Omitted   Omitted
	Slots     SlotQueue
}

// Omitted counts the sessions without work that a list omits.
type Omitted struct{ Idle, Stopped int }

// ResolveSession finds the session that a person refers to by an id, a unique prefix of one, a
// name, or "@last". If several sessions have the name, the one of Directory matches. Answered with
// [SessionResolved], [NotFound], or, for an ambiguous reference, [Invalid] with the candidates.
type ResolveSession struct {
	ask
	Reference string
	Directory string // may be empty
}

// ResolveKey finds the session in which an idempotency key was used, for a caller that names no
// session. It searches all sessions. Answered with [SessionResolved] or [NotFound].
type ResolveKey struct {
	ask
	Key string
}

// ResolveRequest finds a permission request that no longer waits, for a caller that names no
// session: by its id, or by a prefix of the id of a recent one. Answered with [RequestResolved],
// [NotFound], or, for an ambiguous prefix, [Invalid].
type ResolveRequest struct {
	ask
	Reference string
}

// RequestResolved answers [ResolveRequest].
type RequestResolved struct {
	answer
	Session SessionID
	Request RequestID
}

// SessionResolved answers [ResolveSession] and [ResolveKey].
type SessionResolved struct {
	answer
	Session SessionID
}

// ListPermissions asks for the undecided permission requests of one session, or of all sessions if
// Session is empty. Answered with [PermissionList].
type ListPermissions struct {
	ask
	Session SessionID
}

// PermissionList answers [ListPermissions], oldest first.
type PermissionList struct {
	answer
	Permissions []PermissionRecord
}

// Shutdown ends the daemon. Answered with [Done] at once. The daemon then closes its streams, ends
// the agents unless KeepAgents is set, and exits.
type Shutdown struct {
	ask
	KeepAgents bool
}
