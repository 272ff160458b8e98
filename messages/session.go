package messages

import "time"

// The conversation between the gateway and a session. Every request names the
// client it comes from; the answer is sent when what it promises is durable.

// StartSession opens a conversation: it creates the session, or finds the
// existing one. Answered with [SessionStarted].
//
// An empty Session makes a new id (the gateway fills it in before sending). An
// unknown id that is a UUID creates the session under that id.
type StartSession struct {
	ask
	Session          SessionID
	Client           ClientID
	Name             string
	WorkingDirectory string // absolute; required for a new session, must exist
	Resolved         string // the same behind symbolic links; empty if there are none. The daemon sets it
	WorktreeID       string
	Lease            LeaseMode // of the worktree, for a new session
	Model            string
	PermissionMode   string
	AllowedTools     []string
	DeniedTools      []string
	Metadata         map[string]string
	Environment      map[string]string // of the client, of which the session keeps what is declared
	Resume           ResumePolicy
	Options          AgentOptions
	Budget           *BudgetLimit // of a new session; nil = that of the settings
	Fork             Fork         // where the session is forked from; only of [ForkSession]

	ConfirmMode bool   // confirms PermissionMode; the gateway has seen that the client may approve
	Exposed     string // why an agent that accepts edits may write protected files there; set by package actors, empty: it may not
}

// SessionStarted answers [StartSession].
type SessionStarted struct {
	answer
	Created bool
	View    SessionView
}

// SendInput hands a user message to the conversation. It needs the input lock;
// where nobody holds it, the sender gets it. Answered with [InputAcknowledged] when
// the message is journaled, before it is written to the agent.
type SendInput struct {
	ask
	Session     SessionID
	Client      ClientID
	Key         string // idempotency key and uuid towards the agent; the gateway makes one if the client has none
	Digest      []byte // of what follows: the same key with another message is refused
	Content     string
	Attachments []Attachment
	Repeat      *Repeat // nil: it is sent once
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
	Message  string            // for a denial: what the model is told
	Updated  []byte            // for AllowWithEdit: the whole input, JSON
	Answers  map[string]string // for a question: question text → answer

	Suggestions []uint32 // which of the request's suggestions hold from now on, from 0; for a call that is allowed
	Exposed     string   // as in [StartSession]
}

// PermissionAnswered answers [AnswerPermission]. Applied is false for an answer
// that came after the first one, which decides: an answer is idempotent.
type PermissionAnswered struct {
	answer
	Applied  bool
	By       string // the client, rule or deadline that decided
	Decision Decision
	Request  RequestID // the whole id of what was answered; may be empty unless Applied
	At       time.Time // when it was decided; zero if that is not known
}

// CancelTurn interrupts the running turn. It needs the lock. Answered with
// [TurnCanceling] as soon as the wish is journaled.
type CancelTurn struct {
	ask
	Session SessionID
	Client  ClientID
	Force   bool   // without the lock: the unary call of an operator
	Reason  string // for the record: in the TURN_CANCELLED notice and the audit log; may be empty
}

// TurnCanceling answers [CancelTurn].
type TurnCanceling struct {
	answer
	WasActive bool
}

// TakeLock asks for the input lock. It is granted at once if nobody holds it, the
// holder is not attached, or it is offered to the client. Else the holder is asked,
// and has 10 s: without its answer the lock is granted. Answered with [LockAnswer],
// after 20 s at the latest; a client that does not get it waits until the holder leaves. A
// client that is attached as an observer is refused with [WrongState].
type TakeLock struct {
	ask
	Session SessionID
	Client  ClientID
}

// ReleaseLock gives the input lock to the first client that waits for it. From a waiting
// client, it ends the waiting. Answered with [LockAnswer].
type ReleaseLock struct {
	ask
	Session SessionID
	Client  ClientID
}

// RefuseLock says that the holder keeps the lock although others ask for it. They are
// informed. Answered with [LockAnswer], or [WrongState] unless the client holds it.
type RefuseLock struct {
	ask
	Session SessionID
	Client  ClientID
}

// LockAnswer answers [TakeLock], [ReleaseLock] and [RefuseLock].
type LockAnswer struct {
	answer
	Granted  bool
	Refused  bool     // the holder was asked, and keeps it
	Holder   ClientID // the present holder
	Previous ClientID // the holder before
	Place    int      // in the queue of waiters, from 1; 0 = not a waiter
}

// ChangeSettings changes model or permission mode, for the running process and
// for every later one. It needs the lock. Empty members stay. A mode in which the agent
// decides by itself is put before a person first, once in each session. Answered with
// [Done].
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

// DeleteSession stops the agent and removes the session permanently: nothing
// brings it back. Answered with [Done].
type DeleteSession struct {
	ask
	Session SessionID
	Client  ClientID
}

// StopSession ends the agent process of a session; its history stays. Answered
// with [SessionStopped] when the process is gone.
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

// SetGrant allows or forbids a tool for the rest of a session. Answered with
// [Done].
type SetGrant struct {
	ask
	Session SessionID
	Client  ClientID
	Tool    string
	Granted bool
}

// ClearGrants forgets the grant for one tool, or all if Tool is empty.
// Answered with [Done].
type ClearGrants struct {
	ask
	Session SessionID
	Client  ClientID
	Tool    string
}

// Done answers a request that has nothing to tell but success.
type Done struct{ answer }

// GetSession asks a session for its state. Answered with [SessionView].
type GetSession struct {
	ask
	Session    SessionID
	AgentRules bool // also which rules the running agent has
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
	Attached    []ClientPresence // the longest first
	Lineage     string           // of the journal
	Guard       Guard            // of the running agent
	Agent       AgentRules       // if [GetSession] asks for it
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

// ListSessions asks for the known sessions, newest change first. Answered with
// [SessionList]. Served from the journal, without waking a session.
type ListSessions struct {
	ask
	WorkingDirectory, WorktreeID string // empty = any
	Limit, Offset                int    // Limit 0 = 100
	Resting                      *int   // nil = a page; otherwise all sessions with something to do, and at most so many others

	// Known reports whether the caller has the record of a session, which a page then leaves out; nil = it has none. It is called
	// for the sessions of the page in their order.
	Known func(SessionID, Revision) bool
}

// Revision numbers the states of the records of all sessions within a process: a record that has the revision that it had is the
// same. The zero value is that of no record.
type Revision uint64

// SessionList answers [ListSessions]. Total counts all that match.
type SessionList struct {
	answer
	Sessions  []SessionRecord
	Revisions []Revision // of the first Sessions, of which each record is at least as new as its revision; those behind have none
	Known     []int      // places in the page of sessions whose records are left out, in order
	Total     int
	Omitted   Omitted
	Slots     SlotQueue
}

// Omitted counts sessions with nothing to do that a list leaves out.
type Omitted struct{ Idle, Stopped int }

// ResolveSession turns what a person typed (an id, a unique beginning of one, a
// name, "@last") into a session id. Answered with [SessionResolved], [NotFound]
// or, for an ambiguous one, [Invalid] that lists the candidates. Where several sessions have
// the name, the one of Directory is meant.
type ResolveSession struct {
	ask
	Reference string
	Directory string // may be empty
}

// ResolveKey finds the session in which an idempotency key was used, for a caller that names
// no session. It looks through all of them. Answered with [SessionResolved] or [NotFound].
type ResolveKey struct {
	ask
	Key string
}

// ResolveRequest finds a permission request that no longer waits, for a caller that
// names no session: by its id, or the beginning of one that was decided lately. Answered
// with [RequestResolved], [NotFound] or, for an ambiguous one, [Invalid].
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

// ListPermissions asks for the undecided permission requests of one session, or
// of all if Session is empty. Answered with [PermissionList].
type ListPermissions struct {
	ask
	Session SessionID
}

// PermissionList answers [ListPermissions], oldest first.
type PermissionList struct {
	answer
	Permissions []PermissionRecord
}

// Shutdown asks the daemon to end. Answered with [Done] at once; the daemon
// then closes its streams, ends the agents unless KeepAgents, and exits.
type Shutdown struct {
	ask
	KeepAgents bool
}
