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
	Remembered      bool      // a result was journaled, so the agent's transcript contains the conversation
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

// RunState is how far one incarnation of the agent process has come. Stored: append only.
type RunState uint8

// The states of a run. Each run that was intended is finished: the daemon journals the
// end even if it could not observe it.
const (
	RunIntended RunState = 0 // journaled before the spawn
	RunRunning  RunState = 1 // the process exists and its identity is known
	RunFinished RunState = 2 // the process has ended
)

// ProcessIdentity identifies a process of ours. A pid alone is not enough, since the
// kernel reuses it.
type ProcessIdentity struct {
	PID       int
	StartTime uint64 // clock ticks after boot, field 22 of /proc/<pid>/stat; 0 if the system has none
	BootID    string // of the boot that StartTime counts from
}

// Exit is how a run ended.
type Exit struct {
	Known  bool   // false: the exit was not observed, because the launcher was killed too
	Code   int    // exit code; meaningless unless Known
	Signal string // name of the signal that killed it, empty for an exit
	Reason string // the cause, for people: "exited", "killed", "never started", …
	Stage  string // stage at which the start failed permanently: "directory" or "execute"; else empty
	At     time.Time
}

// RunRecord is one incarnation of the agent process. It is journaled before the spawn,
// then with the identity of the process, then with its exit.
type RunRecord struct {
	Format       uint32 // version of the run directory's layout
	Session      SessionID
	Run          RunNumber
	State        RunState
	Token        string // random; in the process's environment as BETCODE_RUN_TOKEN
	Directory    string // contains the FIFO and the spool files; mode 0700
	Argv         []string
	Environment  map[string]string // from the client that created the session; copied from run to run
	Options      AgentOptions      // of the session; copied from run to run
	AgentSession string            // argument of --session-id or --resume
	Resumed      bool
	Process      ProcessIdentity
	Launcher     ProcessIdentity
	StartedAt    time.Time
	Exit         Exit

	ControlKey       string   // signs the ids of our control requests; the agent never gets it. Empty: a run of an older daemon
	ControlsAnswered []string // signatures of the requests that the agent has answered, oldest first
	UnansweredCalls  []string // open tool calls whose permission request ended without an allow by the daemon
	CallsDecided     []CallDecided
	Alarm            Code   // SelfApproved, ForgedRequest, ForgedInput or ForgedFleet once the run has raised the alarm, else empty
	Frozen           bool   // the alarm froze the agent until a person decides
	Fence            string // where the kernel lets the agent write: "project"; empty = anywhere
}

// CallDecided is an open tool call whose permission request was decided. Its execution
// time starts at At.
type CallDecided struct {
	ToolUse string
	At      time.Time
}

// Cursor is how far a run's spool has been translated into events, with the translator's
// state at that point. It moves in the same transaction as those events.
type Cursor struct {
	Run        RunNumber
	Offset     int64  // bytes of the spool consumed: the start of the next line
	Translator []byte // encoded state of the translator
	Lines      []byte // of a proxied session: which lines of the proxy have been translated, encoded; Offset counts them
}

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

// Decision is an answer to a permission request. Stored: append only.
type Decision uint8

// The decisions, numbered as PermissionDecision of the API.
const (
	Undecided         Decision = 0
	AllowOnce         Decision = 1
	AllowSession      Decision = 2
	Deny              Decision = 3
	AllowWithEdit     Decision = 4
	DenyNoInterrupt   Decision = 5
	DenyWithInterrupt Decision = 6
	DecisionWithdrawn Decision = 100 // withdrawn by the agent, or no longer needed
	DecisionExpired   Decision = 101
	DecisionAnswered  Decision = 102 // a question was answered
)

// PermissionRecord is one permission request or question that waits for a person, or
// whose decision has not reached the agent yet. It is a row of the pending_permissions
// table of the daemon document.
type PermissionRecord struct {
	Request     RequestID
	Session     SessionID
	Run         RunNumber // the run that asks
	Seq         Seq       // number of its first PermissionRequest or UserQuestion event
	Tool        string
	ToolUse     string // id of the tool call
	Agent       string // id of the asking subagent, empty for the main thread
	Description string
	Input       []byte // the tool's input: the JSON bytes as received
	Suggestions []byte // the agent's permission_suggestions, JSON; may be empty
	Question    bool   // an AskUserQuestion
	Reason      string // why rules and grants do not decide it; empty: they may
	Why         AskReason
	Mode        string  // of a request by the daemon: the permission mode to confirm
	Budget      Holding // of a request by the daemon: the budget to raise

	ReceivedAt      time.Time
	ForwardedAt     time.Time // when its event was committed
	ExpiresAt       time.Time // wall clock
	LastExtendedAt  time.Time
	ExtensionCount  uint32
	Reminder1hSent  bool
	Reminder24hSent bool

	Decision  Decision
	DecidedAt time.Time
	DecidedBy string            // client id, "rule", "grant", "agent", "deadline", "stop", "cancel"
	Message   string            // text for the model with a denial
	Updated   []byte            // AllowWithEdit: the edited input, JSON, sent whole
	Applied   []uint32          // indexes of the Suggestions that apply from now on, from 0
	Answers   map[string]string // DecisionAnswered: question text → answer

	OrphanedAt time.Time   // when the asking process ended; zero while it waits
	Formerly   []RequestID // earlier request ids of the same call, newest last

	Sent bool // of a proxied session: the decision may have reached the proxy
}

// Own reports whether the daemon asks, and not the agent.
func (p PermissionRecord) Own() bool { return p.Mode != "" || p.Budget != "" }

// Orphaned reports whether no process waits for the decision: the asking process has
// ended, and its successor has not asked again yet.
func (p PermissionRecord) Orphaned() bool { return !p.OrphanedAt.IsZero() }
