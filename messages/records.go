package messages

import (
	"cmp"
	"time"
)

// Phase is where a session stands; the session state machine of the daemon
// document. The values are stored: append only.
type Phase uint8

// The phases. IDLE means no turn and no background task; the agent process may
// stay warm.
const (
	PhaseNew     Phase = 0
	PhaseActive  Phase = 1
	PhaseIdle    Phase = 2
	PhaseClosed  Phase = 3
	PhaseCrashed Phase = 4
	PhaseWaiting Phase = 5 // a turn that was cut off waits for a person

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

// Rest says whether a session has nothing to do as far as its record says. One that rests may still have undecided
// requests or wait for a slot, which are recorded elsewhere.
type Rest uint8

// The kinds of rest. They are in memory only.
const (
	Busy        Rest = 0 // something runs, waits or is blocked
	RestIdle    Rest = 1 // nothing is left to do
	RestStopped Rest = 2 // a person stopped it, or it is closed
)

// RestOf returns the rest of a session with these parts of a record.
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

// Rest returns whether the session has nothing to do.
func (r SessionRecord) Rest() Rest {
	return RestOf(r.Phase, !r.Stopped.IsZero(), r.Waiting, r.Budget.Held, r.Condition)
}

// Usage is what a conversation has consumed so far.
type Usage struct {
	InputTokens, OutputTokens            uint64
	CacheReadTokens, CacheCreationTokens uint64
	CostUSD                              float64 // as Budget.Spent has it
}

// SessionRecord is the projection of one session: everything about it but its
// history. It is written with each batch that changes it, in the batch's
// transaction, and is what a session is rebuilt from.
type SessionRecord struct {
	ID               SessionID
	Name             string
	Title            string // of its first prompt, for people; empty before it
	WorkingDirectory string
	Resolved         string // WorkingDirectory behind symbolic links when the session was created; empty if there were none
	WorktreeID       string
	Model            string // as asked for; empty = the agent's default
	PermissionMode   string // as asked for; empty = default
	AllowedTools     []string
	DeniedTools      []string
	Metadata         map[string]string
	Environment      map[string]string // kept of the client that began it, until the first run has it
	Options          AgentOptions      // until the first run has them
	Fork             Fork              // where the session was forked from; zero if it was not
	Subagent         *SubagentRecord   // what makes it a subagent, nil if it is none; replaced, never changed
	Proxy            *ProxyRecord      // of a session whose agent runs under a proxy, nil for every other; replaced, never changed

	Phase           Phase
	Status          string    // the last StatusChange, an AgentStatus name
	Head            Seq       // number of the last journaled event
	AgentModel      string    // the model, as the agent reported it last
	AgentSession    string    // the conversation id the agent reports; given to --resume
	Remembered      bool      // a result was journaled, so the agent's transcript holds the conversation
	Run             RunNumber // the newest run, 0 before the first
	Turn            bool      // a turn is running, or was cut off and will be continued
	InterruptedKeys []string  // keys of the settled messages whose turn was cut off: a resumed agent may begin them again; empty unless Turn
	TurnCanceled    bool      // its cancellation was asked for
	StopWanted      bool      // the agent is to be ended: no restart, no continuation
	Stopped         Stopped   // the stop after the newest run; zero if none was asked for
	Background      []string  // ids of the agent's background tasks

	Resume        ResumePolicy // what follows when a turn is cut off; empty = the daemon's policy
	Interruptions uint32       // how often the turn that runs was cut off, but by an orderly end of the daemon
	Waiting       string       // why a turn that was cut off waits for a person; empty = none does
	Restored      bool         // from a backup, and not compared with the agent's transcript since
	Condition     Condition    // what keeps the agent from running, empty = nothing known
	AgentVersion  string       // of the agent's program, as it reported it last

	Messages  uint32 // user and assistant messages so far
	Usage     Usage
	Preview   string          // the beginning of the last assistant text
	Grants    map[string]bool // tool name → allowed for this session
	Confirmed []string        // permission modes in which the agent decides by itself, and that a person has confirmed
	CreatedAt time.Time
	UpdatedAt time.Time

	Budget     Budget
	RateLimit  RateLimit  // of the account, that the agent has run into
	Repetition Repetition // of a message

	Past Past     // what is kept of the history
	Lock ClientID // the attached client that holds the input lock, empty if none does
}

// Label returns what people are shown for the session: its name, or its title. Empty if it has neither.
func (r *SessionRecord) Label() string { return cmp.Or(r.Name, r.Title) }

// Stopped says which client stopped a session, and when. The zero value is of a session that was not stopped.
type Stopped struct {
	By ClientID // empty = not known
	At time.Time
}

// IsZero reports whether nobody stopped the session.
func (s Stopped) IsZero() bool { return s.At.IsZero() }

// RunState says how far one incarnation of the agent process has come. Stored:
// append only.
type RunState uint8

// The states of a run. Each intent is followed by an end, written by us if
// nobody else could.
const (
	RunIntended RunState = 0 // journaled before the spawn
	RunRunning  RunState = 1 // the process is there and its identity known
	RunFinished RunState = 2 // it is gone
)

// ProcessIdentity proves that a process is ours: a pid alone is reused.
type ProcessIdentity struct {
	PID       int
	StartTime uint64 // clock ticks after boot, field 22 of /proc/<pid>/stat; 0 where the system has none
	BootID    string // of the boot that StartTime counts from
}

// Exit is how a run ended.
type Exit struct {
	Known  bool   // false: it was not observed (the launcher was killed too)
	Code   int    // exit code; meaningless unless Known
	Signal string // name of the signal that killed it, empty for an exit
	Reason string // why we think so, for people: "exited", "killed", "never started", …
	Stage  string // where starting it failed permanently: "directory" or "execute"; else empty
	At     time.Time
}

// RunRecord is one incarnation of the agent process. Its first version is
// journaled before the spawn, its identity after it, its end when it is known.
type RunRecord struct {
	Format       uint32 // version of the run directory's layout
	Session      SessionID
	Run          RunNumber
	State        RunState
	Token        string // random; in the process's environment as BETCODE_RUN_TOKEN
	Directory    string // holds the FIFO and the spool files, 0700
	Argv         []string
	Environment  map[string]string // kept of the client that began the session, handed on from run to run
	Options      AgentOptions      // of the session, handed on from run to run
	AgentSession string            // what --session-id or --resume was given
	Resumed      bool
	Process      ProcessIdentity
	Launcher     ProcessIdentity
	StartedAt    time.Time
	Exit         Exit

	ControlKey       string   // signs the ids of our control requests; the agent never gets it. Empty: a run of an older daemon
	ControlsAnswered []string // signatures of the requests that the agent has answered, the oldest first
	UnansweredCalls  []string // open tool calls whose permission request ended without an allow of ours
	CallsDecided     []CallDecided
	Alarm            Code   // SelfApproved, ForgedRequest, ForgedInput or ForgedFleet once the run has raised it, else empty
	Frozen           bool   // the alarm has frozen the agent until a person decides
	Fence            string // what the kernel is to hold the agent to: "project"; empty = nothing
}

// CallDecided is a tool call whose permission request was decided and that has not ended:
// its own time begins there.
type CallDecided struct {
	ToolUse string
	At      time.Time
}

// Cursor is how far a run's spool has been turned into events, and what the
// translator carries across that point. It moves in the same transaction as
// the events it stands for.
type Cursor struct {
	Run        RunNumber
	Offset     int64  // bytes of the spool consumed: the start of the next line
	Translator []byte // encoded carried state of the translator
	Lines      []byte // of a proxied session: which of the proxy's lines it has, encoded; Offset counts them
}

// InputState says how far an accepted user message has come. Stored: append only.
type InputState uint8

// The states of an input. Queued and started only stop re-sending to the same
// process; an input is settled, and its record deleted, when a result lists it,
// when it is cancelled, or when a resumed process says completed without started.
const (
	InputAccepted InputState = 0 // journaled, not written
	InputWriting  InputState = 1 // a line longer than the pipe is being written: a kill may tear it
	InputWritten  InputState = 2 // in the pipe of run Run
	InputQueued   InputState = 3 // the agent said queued
	InputStarted  InputState = 4 // the agent said started: a turn begins with it
	InputFolded   InputState = 5 // the agent said started while a turn ran: it became part of that turn
)

// Attachment is a file that goes with a user message.
type Attachment struct {
	Filename, MimeType string
	Data               []byte
}

// InputRecord is one accepted user message that is not settled yet.
type InputRecord struct {
	Key         string // its uuid: the idempotency key, towards the client and the agent
	Seq         Seq    // number of its UserInput event
	Content     string
	Attachments []Attachment
	Client      ClientID
	State       InputState
	Run         RunNumber // the run it was written to, 0 before
	At          time.Time
	Number      uint64 // toward the proxy of a proxied session, from 1; else 0
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
	DecisionWithdrawn Decision = 100 // by the agent, or not to be asked again
	DecisionExpired   Decision = 101
	DecisionAnswered  Decision = 102 // a question was answered
)

// PermissionRecord is one request of the agent that waits for a person, or
// whose decision has not reached the agent yet; the pending_permissions table
// of the daemon document.
type PermissionRecord struct {
	Request     RequestID
	Session     SessionID
	Run         RunNumber // the run that asks
	Seq         Seq       // number of its first PermissionRequest or UserQuestion event
	Tool        string
	ToolUse     string // id of the tool call
	Agent       string // id of the asking subagent, empty for the main thread
	Description string
	Input       []byte // the tool's input, the JSON bytes received
	Suggestions []byte // the agent's permission_suggestions, JSON, may be empty
	Question    bool   // an AskUserQuestion
	Reason      string // why a person is asked whatever rules and grants say; empty: they may decide
	Why         AskReason
	Mode        string  // of a request of the daemon's own: the permission mode to confirm
	Budget      Holding // of a request of the daemon's own: the budget to raise

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
	Message   string            // given to the model with a denial
	Updated   []byte            // AllowWithEdit: the edited input, JSON, sent whole
	Applied   []uint32          // which of Suggestions hold from now on, from 0
	Answers   map[string]string // DecisionAnswered: question text → answer

	OrphanedAt time.Time   // when the process that asked was gone; zero while it waits itself
	Formerly   []RequestID // ids under which the same call was asked before, the newest last

	Sent bool // of a proxied session: the decision may have reached the proxy
}

// Own reports whether the daemon itself asks, and not the agent.
func (p PermissionRecord) Own() bool { return p.Mode != "" || p.Budget != "" }

// Orphaned reports whether nobody waits for the decision at the moment: the
// process that asked is gone, and its successor has not asked again yet.
func (p PermissionRecord) Orphaned() bool { return !p.OrphanedAt.IsZero() }
