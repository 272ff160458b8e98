package session

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/protect"
	"betcode/actors/internal/rules"
	"betcode/actors/journal"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/actors/session/durable"
	"betcode/actors/session/presence"
	"betcode/actors/session/prompts"
	"betcode/actors/session/requests"
	"betcode/actors/settings"
	"betcode/messages"
	"betcode/supervision"
)

// state is all a session remembers. step is its only writer.
//
//	NEW ──first message──► ACTIVE ──turn and tasks over──► IDLE ──message──► ACTIVE
//	                          │ agent keeps crashing          │ deleted
//	                          ▼                               ▼
//	                       CRASHED ──message──► ACTIVE      CLOSED
//
// A turn that was cut off and is not continued by itself makes the session stand in
// WAITING until a person decides; what keeps the agent from running altogether, in
// CRASHED with a condition.
//
// The state is split over files by what it is about: clients and the lock,
// inputs, the agent's output, permissions, runs.
type state struct {
	id      messages.SessionID
	options Options
	durable durability
	exists  bool // the journal knows the session

	record   messages.SessionRecord
	run      *messages.RunRecord // the newest, nil before the first
	inputs   []messages.InputRecord
	prompts  prompts.Ledger
	attended bool            // a client has spoken, and no run was told yet: the next is not an automatic one
	ledger   requests.Ledger // results of requests that may be repeated, and decisions about prompts

	clients   presence.Presence
	unwatched unwatched
	lock      inputLock

	agent      agentView
	cursor     messages.Cursor // how far the run's output is handed to the journal, and the translator's state there
	inquiry    inquiry         // what the agent was asked about itself
	said       saidBefore
	ending     endings
	retries    retries
	compaction compactionView

	slot slotView
}

// Options are what sessions are told when their actors start, and the present settings.
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
}

// restartDue is the session's own word for the end of a backoff.
type restartDue struct{ run messages.RunNumber }

// continuationDue says that a cut-off turn had its time to go on.
type continuationDue struct{ run messages.RunNumber }

// load takes what the journal knows. The messages that came early follow.
func (s state) load(now env, m messages.SessionLoaded) (state, []act.Effect) {
	s.exists, s.durable = m.Found, durability{Log: durable.Loaded[act.Effect](m.Record.Head), loaded: true, early: s.durable.early, damage: s.durable.damage}
	s.record, s.run, s.cursor, s.inputs = m.Record, m.Run, m.Cursor, m.Inputs
	s.record.ID = s.id
	s.prompts = prompts.Loaded(m.Permissions)
	t := begin(s, now)
	t.applySavedStop()
	if !s.active() { // an earlier incarnation may have had a slot
		t.then(tellPool{pool.Release{Session: s.id}})
	}
	if m.Found && !s.active() && s.record.Run > 0 {
		t.then(archiveRuns{s.runsDirectory(), s.record.Run}) // the daemon may have died before it
	}
	if m.Found {
		t.recover()
		t.reconcile()
		t.recoverCompaction()
		t.reserveLock()
		t.tendCompaction()
		t.releaseSlot()
		t.tendUnwatched()
		t.watchTurn()
	}
	s, effects := t.finish()
	waiting := s.durable.early
	s.durable.early = nil
	for _, e := range waiting {
		next, more := s.step(now, e.from, e.message)
		s, effects = next, append(effects, more...)
	}
	return s, effects
}

// closed tells everybody who waits that the session was deleted: an id that was
// used once is never used again.
func (s state) closed(err *messages.Error) (state, []act.Effect) {
	var effects []act.Effect
	for _, e := range s.durable.Abandon() {
		if r, ok := e.(act.Reply); ok {
			effects = append(effects, act.Reply{To: r.To, With: err})
		}
	}
	for _, k := range s.slot.admissions {
		effects = append(effects, act.Reply{To: k.from, With: err})
	}
	for _, from := range s.lock.pending() {
		effects = append(effects, act.Reply{To: from, With: err})
	}
	next := s.afterEnd(s.durable.Closed())
	next.slot.state = s.slot.state
	return next, append(effects, retire{})
}

// before takes a message that comes before the session is loaded. What the
// journal and a run have to tell was meant for an incarnation that crashed: this
// one has appended nothing and started no run yet. The run's new incarnation
// will say again what is still true.
func (s state) before(from *actor.PID, m any) (state, []act.Effect) {
	switch m.(type) {
	case messages.Committed, messages.AppendRefused:
		return s, nil
	case run.Output, messages.ProcessStarted, messages.RunEnded, messages.InputWrittenTo, run.InputTooLong,
		messages.AnswerWritten, run.Frozen, run.Outruns, run.OutputUnreadable, run.StdinClosed:
		return s, nil
	case journal.Restarted:
		return s, []act.Effect{loadAgain{}} // the first request may be lost
	case journal.Recovered:
		if s.durable.failure == nil {
			return s, nil
		}
		s.durable.failure = nil
		return s, []act.Effect{loadAgain{}}
	case messages.SessionRequest:
		if s.durable.failure != nil {
			return s, []act.Effect{act.Reply{To: from, With: s.refusal("load session")}}
		}
	}
	s.durable.early = append(s.durable.early[:len(s.durable.early):len(s.durable.early)], early{from, m})
	return s, nil
}
