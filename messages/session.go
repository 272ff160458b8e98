package messages

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
func (m ChangeSettings) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m RenameSession) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m DeleteSession) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m StopSession) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m GetSession) Target() SessionID { return m.Session }

// Shutdown ends the daemon. Answered with [Done] at once. The daemon then closes its streams, ends
// the agents unless KeepAgents is set, and exits.
type Shutdown struct {
	ask
	KeepAgents bool
}

// ForkSession creates a session that begins with the present conversation of another
// session, which does not change. That session must have no running turn and no waiting
// message. Answered with [SessionForked], also if Fork was made of the same session
// before.
type ForkSession struct {
	ask
	Session SessionID
	Fork    SessionID // the new session; the same for a repeated request
	Client  ClientID
	Name    string // of the new session; may be empty
}

// SessionForked answers [ForkSession].
type SessionForked struct {
	answer
	Session SessionID
	Origin  Fork
}

// Fork is where a session was forked from.
type Fork struct {
	Session      SessionID
	Seq          Seq     // the history of Session up to here, inclusive, precedes the fork's own
	AgentSession string  // the agent's name for the conversation that is forked
	Message      string  // id in the agent's transcript of its last message in the fork
	CostUSD      float64 // cost that the agent has counted for the conversation; in some versions the count of a fork continues from it
}
