package session

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/daybudget"
	"betcode/actors/internal/act"
	"betcode/actors/internal/protect"
	"betcode/actors/internal/rules"
	"betcode/actors/session/durable"
	"betcode/actors/session/family"
	"betcode/actors/session/forward"
	"betcode/actors/session/presence"
	"betcode/actors/session/prompts"
	"betcode/actors/session/requests"
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
	inputs   []messages.InputRecord
	prompts  prompts.Ledger
	attended bool            // a client has acted since the last start: the next start is not automatic
	ledger   requests.Ledger // results of requests that may be repeated, and decisions about prompts

	clients   presence.Presence
	unwatched unwatched
	lock      inputLock

	agent      agentView
	cursor     messages.Cursor // how far the run's output is handed to the journal, and the translator's state there
	inquiry    inquiry         // the question to the agent about itself
	announced  announcements
	ending     endings
	retries    retries
	compaction compactionView
	subagent   subagentView
	proxy      proxyView
	forwarding forward.Forwarding
	family     family.Family
	day        dayView

	slot slotView
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
	LockGrace time.Duration // the lock is kept that long after a crash for the client that held it; not positive = not at all
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
// degraded.go and damaged.go.
type durability struct {
	durable.Log[act.Effect]

	loaded  bool            // everything the journal knows has been read
	early   []early         // messages that came before
	failure *messages.Error // why the journal cannot be written; nil: it can
	damage  *damaged        // the journal cannot load the session; nil: it can, or was not asked
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
