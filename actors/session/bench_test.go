package session

import (
	"fmt"
	"time"

	"betcode/actors/daybudget"
	"betcode/actors/internal/act"
	"betcode/actors/internal/actortest"
	"betcode/actors/internal/rules"
	"betcode/actors/pool"
	"betcode/actors/settings"
	"betcode/messages"
	"betcode/supervision"
)

// steady is the default policy without chance.
var steady = supervision.Policy{Initial: 500 * time.Millisecond, Max: 30 * time.Second, Limit: 5, Window: time.Minute}

var benchOptions = Options{
	Lineage: "lineage", Runs: "/runs", Program: "claude", LockGrace: 10 * time.Second, Restarts: steady,
	Settings: &settings.Settings{
		PermissionTTL: 7 * 24 * time.Hour, Extend: true, ParkAfter: 10 * time.Minute, WaitingHold: time.Minute, Silence: 7 * time.Minute,
		Resume: messages.ResumeAuto, Continuations: 2, ContinueGrace: time.Minute,
	},
}

// ownSettings returns the options with a copy of the settings, which a test may change.
func (o Options) ownSettings() Options {
	own := *o.Settings
	o.Settings = &own
	return o
}

// savedStops are stops that are saved beside the journal: the newest run when they were asked for.
type savedStops map[messages.SessionID]messages.RunNumber

// tester is what the bench needs of a test, or of a property.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// bench drives a state and plays everybody else: the journal, which
// answers at once or when told to, the run, the clients and the clock. After
// every step it checks what must always be true.
type bench struct {
	t       tester
	state   state
	journal *actortest.Chronicle
	now     time.Time
	serial  int

	handing  func(messages.Append) // is shown every append that is handed over, if not nil
	reuses   bool                  // the agent uses ids of requests again
	rules    *rules.Set            // the user's
	stops    savedStops            // beside the journal; nil: it never failed
	full     bool                  // the disk is
	day      daybudget.Standing    // of the day's budget; its day follows the clock
	manual   bool                  // the journal answers when told to
	reads    bool                  // the test answers each question about a transcript
	waiting  []messages.Append
	inquired string           // the newest question to the agent about itself
	looked   []readTranscript // a transcript is to be read for messages that nobody acknowledged
	place    pool.Answer      // of the pool to every request; the zero value grants the slot
	knocked  bool             // the pool was asked for a slot and has not answered
	handed   uint64           // the newest commit
	shown    messages.Seq     // the newest number that was published

	history []string     // every message and what was made of it, in short
	said    []string     // effects since somebody looked
	effects []act.Effect // the same, as they are
	read    int64        // of the newest run's spool, by its actor
}

// newBench returns a bench with a session that the journal does not know yet.
func newBench(t tester) *bench {
	b := &bench{t: t, journal: actortest.NewChronicle(), now: dawn}
	b.crash()
	b.quiet()
	return b
}

// running is a bench whose session has had its first message k1: run 1 is up, the
// message is written, ann holds the lock.
func running(t tester) *bench {
	b := newBench(t)
	b.tell(start("ann"))
	b.tell(input("ann", "k1"))
	b.tell(b.up())
	b.tell(messages.InputWrittenTo{Run: 1, Key: "k1"})
	b.quiet()
	return b
}

// turning is one whose first message is being worked on.
func turning(t tester) *bench {
	b := running(t)
	b.tell(b.out(took("k1")...))
	b.quiet()
	return b
}

// remembering is one whose first turn is over.
func remembering(t tester) *bench {
	b := turning(t)
	b.tell(b.out(finished("k1")))
	b.quiet()
	return b
}

// crash replaces the session's actor by a new incarnation. The journal decides
// what it was handed before; its answers, and whatever else is in the mailbox,
// meet the new incarnation before what it is loaded from.
func (b *bench) crash(mailbox ...any) {
	b.t.Helper()
	options := benchOptions.ownSettings()
	b.state = state{id: sessionA, options: options}
	stale := b.waiting
	b.waiting, b.handed, b.knocked, b.looked = nil, 0, false, nil
	for _, a := range stale {
		var answer any = messages.Committed{Session: a.Session, Commit: a.Commit}
		if err := b.journal.Apply(a); err != nil {
			answer = messages.AppendRefused{Session: a.Session, Commit: a.Commit, Err: err}
		}
		b.deliver(nil, answer)
	}
	for _, m := range mailbox {
		b.deliver(asker(m), m)
	}
	b.shown = b.journal.Head()
	b.read = b.journal.Cursor.Offset
	b.tell(b.journal.Loaded())
}

func (b *bench) env() env {
	now := env{
		at: b.now, full: b.full, chance: func() float64 { return .5 }, rules: b.rules,
		id: func() string { b.serial++; return fmt.Sprintf("%08d-0000-4000-8000-000000000000", b.serial) },
	}
	now.day = b.day
	now.day.Day = b.now.Format(time.DateOnly)
	now.day.Begins = b.now.Truncate(24 * time.Hour)
	now.savedStop, now.stopSaved = b.stops[sessionA]
	return now
}
