package session

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/daybudget"
	"betcode/actors/internal/act"
	"betcode/actors/internal/protect"
	"betcode/actors/internal/rules"
	"betcode/actors/run"
	"betcode/actors/session/damage"
	"betcode/actors/session/day"
	"betcode/actors/session/durable"
	"betcode/actors/session/ending"
	"betcode/actors/session/family"
	"betcode/actors/session/forward"
	"betcode/actors/session/handover"
	"betcode/actors/session/inputs"
	"betcode/actors/session/inquiry"
	"betcode/actors/session/presence"
	"betcode/actors/session/prompts"
	"betcode/actors/session/requests"
	"betcode/actors/session/trust"
	"betcode/actors/session/watchdog"
	"betcode/actors/settings"
	"betcode/messages"
	"betcode/supervision"
)

// state is everything that a session knows. step is its only writer.
//
//	NEW ──first message──► ACTIVE ──turn and tasks over──► IDLE ──message──► ACTIVE
//	                          │ agent keeps crashing          │ deleted
//	                          ▼                               ▼
//	                       CRASHED ──message──► ACTIVE      CLOSED
//
// A session with an interrupted turn that is not continued by itself is WAITING until a person acts. A session whose agent
// cannot run at all is CRASHED and has a condition.
type state struct {
	id      messages.SessionID
	options Options
	durable durability
	exists  bool // the journal knows the session

	record   messages.SessionRecord
	run      *messages.RunRecord // the newest, nil before the first
	inputs   inputs.List
	prompts  prompts.Ledger
	attended bool            // a client has acted since the last start: the next start is not automatic
	ledger   requests.Ledger // results of requests that may be repeated, and decisions about prompts

	clients   presence.Presence
	unwatched presence.Unwatched
	lock      inputLock

	agent      agentView
	cursor     messages.Cursor             // how far the run's output is handed to the journal, and the translator's state there
	inquiry    inquiry.Inquiry[*actor.PID] // the question to the agent about itself
	announced  announcements
	ending     ending.Ending[waiter]
	retries    retries
	compaction compactionView
	subagent   subagentView
	proxy      proxyView
	forwarding forward.Forwarding
	family     family.Family
	day        day.Day

	slot slotView
}

// agentView is what the session knows of its newest agent process and no later one
// inherits. A new run begins with the zero value; the end of a run clears [agentLife] and
// leaves [agentEnd].
type agentView struct {
	agentLife
	agentEnd
}

// agentLife is what ends with the process.
type agentLife struct {
	up          bool     // the process is known to run
	busy        bool     // the agent reports that it works, where its version reports that
	working     bool     // a turn has begun in this run
	adoptedTurn bool     // and before the session was loaded
	barrier     string   // control request whose answer shows that the pipe has been read
	interrupt   string   // control request that interrupts the running turn
	long        []string // keys of inputs that wait for a moment without a turn

	lastActivity     time.Time // last output
	watchdog         watchdog.Watchdog
	yieldTimer       time.Time   // when the next timer fires for an agent that waits for a person; zero without one
	freezeReasons    run.Reasons // why the agent is frozen, as its run reports
	outputUnreadable bool        // the run cannot read its spool

	handover  handover.Agent // rules that the agent was given
	directory *rules.Set     // rules of the working directory as this run read them; nil: not read
	modeWish  modeWish       // a mode that the agent was asked to enter

	guard messages.Guard // which files of the directory the agent obeys
	trust trust.Watch    // when its content is compared with the trusted content
}

// agentEnd decides what follows the end of the process.
type agentEnd struct {
	ending     ending.Reason // why the session ends the process, where another may follow
	lastFailed bool          // the last result was an error: exit code 1 means nothing
	memoryGone bool          // the agent reported that it does not know the conversation
	idTaken    bool          // the agent reported that the conversation's id is in use
	hung       bool          // the run is ended because the agent does not react

	exit              *messages.Exit // nil where the journal already had the end of the run
	stderr            string         // the end of what the process wrote to standard error
	readingTranscript bool           // the transcript of the ended run is being read
	transcriptMissing bool           // there is no transcript of the conversation
	interrupted       bool           // a turn was interrupted, and nothing has been decided about it
	interruptedInputs []string       // keys of the messages it had begun with that are not in the transcript
}

// waiter is a request that waits for the end of an agent or of a session.
type waiter struct {
	from       *actor.PID
	wasRunning bool              // when the request came
	client     messages.ClientID // empty where the sender is not known
}

// announcements is what was announced about the agent, to announce changes only. It outlives runs.
type announcements struct {
	lastMessage string // id of the agent's message that was counted last
	nextID      string // id under which the conversation begins again, where its own is taken; empty: its own
	exposed     string // why files of the built-in list are in the directory, as the last request about modes found
	trust       string // digest of the untrusted content that was announced last
}

// Options are what a session gets when its actor starts, and the present settings.
type Options struct {
	*settings.Settings

	Lineage   string
	Runs      string     // directory of the run directories
	Program   string     // the agent's executable
	Rules     *rules.Set // the user's, as of the newest step
	OwnRules  bool       // directories may bring rules along
	Protected *protect.List
	Home      string        // the user's, for rules about files below it
	LockGrace time.Duration // how long the lock is reserved for its holder after a crash; not positive = no reservation
	Restarts  supervision.Policy

	Keeps func(name string) bool // of the environment of the client that begins the session
}

// env is what one step takes from outside: clock, ids, chance, and what the daemon knows at that
// time. Nothing in it changes during the step.
type env struct {
	at        time.Time
	id        func() string      // a new UUID
	chance    func() float64     // from [0,1)
	full      bool               // the disk has no room for anything new
	rules     *rules.Set         // the user's
	versions  notContinuing      // of the agent
	savedStop messages.RunNumber // run at which the session was to be stopped, saved beside the journal; read when it is loaded
	stopSaved bool               // there is such a stop
	day       daybudget.Standing // of the day's budget, for this session
}

// durability is what a session knows of its journal: what was read, what is being written, and the failure or damage. See
// journal.go.
type durability struct {
	durable.Log[act.Effect]

	loaded  bool                   // everything the journal knows has been read
	early   []early                // messages that came before
	failure *messages.Error        // why the journal cannot be written; nil: it can
	damage  *damage.Damage[waiter] // the journal cannot load the session; nil: it can, or was not asked
}

// early is a message that came before the session was loaded.
type early struct {
	from    *actor.PID
	message any
}

// afterEnd returns the state of a session that does not exist any more. It counts commits from where it was, and pending effects
// are still performed.
func (s *state) afterEnd(log durable.Log[act.Effect]) state {
	next := state{id: s.id, options: s.options, durable: durability{Log: log, loaded: true}}
	next.record.ID = s.id
	return next
}

// committed performs what waited for a commit.
func (s state) committed(m messages.Committed) (state, []act.Effect) {
	return s, s.durable.Committed(m.Commit)
}
