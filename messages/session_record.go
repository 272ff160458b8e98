package messages

import (
	"cmp"
	"time"
)

// Phase is the state of a session in the state machine of the daemon document. Stored: append only.
type Phase uint8

// The phases. PhaseIdle means no turn and no background task; the agent process may still run.
const (
	PhaseNew     Phase = 0
	PhaseActive  Phase = 1
	PhaseIdle    Phase = 2
	PhaseClosed  Phase = 3
	PhaseCrashed Phase = 4
	PhaseWaiting Phase = 5 // an interrupted turn waits for a person

	PhaseDamaged Phase = 6 // the journal cannot load it; never stored
)

var phaseNames = [...]string{"new", "active", "idle", "closed", "crashed", "waiting", "damaged"}

// String returns the phase as SessionSummary.status shows it.
func (p Phase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return "unknown"
}

// Rest is whether a session is quiescent according to its record. It may still have undecided requests or wait for
// a slot, which are recorded elsewhere.
type Rest uint8

// The kinds of rest. They are in memory only.
const (
	Busy        Rest = 0 // something runs, waits or is blocked
	RestIdle    Rest = 1 // nothing is left to do
	RestStopped Rest = 2 // a person stopped it, or it is closed
)

// RestOf returns the rest of a session whose record has these fields.
func RestOf(p Phase, stopped bool, waiting string, held Holding, c Condition) Rest {
	switch {
	case p == PhaseActive || p == PhaseDamaged:
		return Busy
	case stopped:
		return RestStopped
	case p == PhaseCrashed || p == PhaseWaiting || waiting != "" || held != "" || c != "":
		return Busy
	case p == PhaseClosed:
		return RestStopped
	}
	return RestIdle
}

// Rest returns whether the session is quiescent.
func (r SessionRecord) Rest() Rest {
	return RestOf(r.Phase, !r.Stopped.IsZero(), r.Waiting, r.Budget.Held, r.Condition)
}

// Usage is what a conversation has consumed so far.
type Usage struct {
	InputTokens, OutputTokens            uint64
	CacheReadTokens, CacheCreationTokens uint64
	CostUSD                              float64 // the same as in Budget.Spent
}

// SessionRecord is the state of one session, except its history. It is written in the
// transaction of each batch that changes it. A session is rebuilt from it.
type SessionRecord struct {
	ID               SessionID
	Name             string
	Title            string // of its first prompt, for people; empty before it
	WorkingDirectory string
	Resolved         string // WorkingDirectory with symbolic links resolved when the session was created; empty if there were none
	WorktreeID       string
	Model            string // as asked for; empty = the agent's default
	PermissionMode   string // as asked for; empty = default
	AllowedTools     []string
	DeniedTools      []string
	Metadata         map[string]string
	Environment      map[string]string // from the client that created it, until the first run has it
	Options          AgentOptions      // until the first run has them
	Fork             Fork              // where the session was forked from; zero if it was not
	Subagent         *SubagentRecord   // nil unless it is a subagent; immutable, replaced as a whole
	Proxy            *ProxyRecord      // nil unless its agent runs under a proxy; immutable, replaced as a whole

	Phase           Phase
	Status          string    // the last StatusChange, an AgentStatus name
	Head            Seq       // number of the last journaled event
	AgentModel      string    // the model, as the agent reported it last
	AgentSession    string    // the conversation id the agent reports; given to --resume
	InTranscript    bool      // a result was journaled, so the agent's transcript contains the conversation
	Run             RunNumber // the newest run, 0 before the first
	Turn            bool      // a turn is running, or was interrupted and will be continued
	InterruptedKeys []string  // keys of done messages whose turn was interrupted: a resumed agent may start them again; empty unless Turn
	TurnCanceled    bool      // cancellation of the turn was requested
	StopWanted      bool      // the agent must end: no restart, no continuation
	Stopped         Stopped   // the stop after the newest run; zero if none was requested
	Background      []string  // ids of the agent's background tasks

	Resume        ResumePolicy // what happens after an interrupted turn; empty = the daemon's policy
	Interruptions uint32       // interruptions of the running turn, except by a shutdown of the daemon
	Waiting       string       // why an interrupted turn waits for a person; empty = none waits
	Restored      bool         // restored from a backup, and not yet compared with the agent's transcript
	Condition     Condition    // what keeps the agent from running; empty = none known
	AgentVersion  string       // of the agent's program, as last reported

	Messages  uint32 // user and assistant messages so far
	Usage     Usage
	Preview   string          // the beginning of the last assistant text
	Grants    map[string]bool // tool name → allowed for this session
	Confirmed []string        // permission modes in which the agent decides by itself and that a person has confirmed
	CreatedAt time.Time
	UpdatedAt time.Time

	Budget     Budget
	RateLimit  RateLimit  // limit of the account that the agent has reached
	Repetition Repetition // of a message

	Past Past     // which part of the history is replayed and kept
	Lock ClientID // the attached client that holds the input lock; empty = none
}

// Label returns the session's name, or its title if it has no name, for people. It may be empty.
func (r *SessionRecord) Label() string { return cmp.Or(r.Name, r.Title) }

// Stopped is which client stopped a session, and when. The zero value means not stopped.
type Stopped struct {
	By ClientID // empty = not known
	At time.Time
}

// IsZero reports whether the session was not stopped.
func (s Stopped) IsZero() bool { return s.At.IsZero() }
