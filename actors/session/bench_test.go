package session

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/google/go-cmp/cmp"

	"betcode/actors/daybudget"
	"betcode/actors/internal/act"
	"betcode/actors/internal/actortest"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/rules"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/actors/session/recall"
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

// on delivers a message and compares everything that is done about it, until the
// journal has nothing left to do.
func (b *bench) on(m any, want ...string) {
	b.t.Helper()
	b.tell(m)
	b.expect(fmt.Sprintf("%T", m), want...)
}

func (b *bench) expect(what string, want ...string) {
	b.t.Helper()
	if got := b.quiet(); !slices.Equal(got, want) {
		b.t.Fatalf("%s:\n%s", what, cmp.Diff(want, got))
	}
}

// quiet forgets what was said so far and returns it.
func (b *bench) quiet() []string {
	said := b.said
	b.said, b.effects = nil, nil
	return said
}

// tell delivers a message; the asker is named after the client.
func (b *bench) tell(m any) {
	b.t.Helper()
	b.deliver(asker(m), m)
	for !b.manual && (len(b.waiting) > 0 || b.knocked || len(b.looked) > 0) {
		if len(b.waiting) > 0 {
			b.commit()
			continue
		}
		if len(b.looked) > 0 { // and nothing is found; other answers are given by the tests
			run := b.looked[0].Run
			b.looked = b.looked[1:]
			b.deliver(nil, recall.Answer{Run: run, Known: map[string]bool{}, Found: true})
			continue
		}
		b.knocked = false
		b.deliver(nil, b.place)
	}
}

// unacknowledged reports whether the agent has acknowledged none of the messages
// that are looked for.
func (b *bench) unacknowledged(e readTranscript) bool {
	return !slices.ContainsFunc(b.state.inputs, func(in messages.InputRecord) bool {
		return in.State >= messages.InputQueued && slices.Contains(e.Keys, in.Key)
	})
}

func (b *bench) deliver(from *actor.PID, m any) {
	b.t.Helper()
	next, effects := b.state.step(b.env(), from, m)
	b.state = next
	b.history = append(b.history, fmt.Sprintf("<- %T %s", m, showInput(m)))
	for _, e := range effects {
		b.history = append(b.history, "   "+show(e))
		if p, ok := e.(persist); ok {
			b.handOver(p.Append)
			continue
		}
		if !isDecision(m) && len(b.waiting) > 0 && !waitsForNobody(e) {
			b.t.Fatalf("%T: said while %d commits are under way: %s", m, len(b.waiting), show(e))
		}
		b.checkDurable(e)
		if look, ok := e.(readTranscript); ok && !b.manual && !b.reads && b.unacknowledged(look) {
			b.looked = append(b.looked, look)
			continue
		}
		if after, ok := e.(act.After); ok {
			if slow, ok := after.Message.(inquirySlow); ok {
				b.inquired = slow.request
			}
		}
		if ask, ok := e.(askPool); ok {
			_, b.knocked = ask.message.(pool.Want)
		}
		b.effects = append(b.effects, e)
		if word := show(e); word != "" {
			b.said = append(b.said, word)
		}
	}
	b.checkNumbers()
	if len(b.waiting) == 0 && b.state.durable.failure == nil { // else memory holds what is not on disk
		b.checkRebuild()
	}
}

// waitsForNobody reports whether an effect is one that a full disk asks for: the journal
// may be the one that finds no room.
func waitsForNobody(e act.Effect) bool {
	told, ok := e.(sendToRun)
	_, hold := told.message.(run.Freeze)
	return ok && hold
}

// isDecision reports whether a message is the journal's word on an append.
func isDecision(m any) bool {
	switch m.(type) {
	case messages.Committed, messages.AppendRefused:
		return true
	}
	return false
}

func (b *bench) handOver(a messages.Append) {
	b.t.Helper()
	if b.handed++; a.Commit != b.handed {
		b.t.Fatalf("commit %d was handed over as %d", b.handed, a.Commit)
	}
	if b.handing != nil {
		b.handing(a)
	}
	b.waiting = append(b.waiting, a)
}

// commit lets the journal decide about the oldest append.
func (b *bench) commit() {
	b.t.Helper()
	a := b.waiting[0]
	b.waiting = b.waiting[1:]
	err := b.journal.Apply(a)
	switch {
	case err == nil:
		b.deliver(nil, messages.Committed{Session: a.Session, Commit: a.Commit})
	case err.Code == messages.SessionClosed:
		b.deliver(nil, messages.AppendRefused{Session: a.Session, Commit: a.Commit, Err: err})
	default:
		b.t.Fatalf("the journal refuses commit %d: %v", a.Commit, err)
	}
}

// up says that the newest run has been started.
func (b *bench) up() messages.ProcessStarted {
	run := *b.state.run
	run.State, run.Process = messages.RunRunning, messages.ProcessIdentity{PID: 100 + int(run.Run)}
	return messages.ProcessStarted{Record: run}
}

// adopted says that the newest run was found alive.
func (b *bench) adopted() messages.ProcessStarted {
	m := b.up()
	m.Adopted = true
	return m
}

// out is the next output of the newest run: each item is ten bytes.
func (b *bench) out(items ...claude.Item) run.Output {
	from := b.read
	b.read += 10 * int64(len(items))
	return run.Output{Run: b.state.record.Run, From: from, To: b.read, Items: items, Translator: fmt.Appendf(nil, "at %d", b.read)}
}

// exit is the end of the newest run, with what is known about it.
func (b *bench) exit(code int) messages.RunEnded {
	return messages.RunEnded{Run: b.state.record.Run, Exit: messages.Exit{Known: true, Code: code, Reason: "exited", At: b.now}}
}

// last returns the newest effect of a kind.
func last[E act.Effect](b *bench) E {
	b.t.Helper()
	for _, e := range slices.Backward(b.effects) {
		if found, ok := e.(E); ok {
			return found
		}
	}
	var none E
	b.t.Fatalf("there is no %T among:\n%s", none, strings.Join(b.said, "\n"))
	return none
}

func asker(m any) *actor.PID {
	name := ""
	switch m := m.(type) {
	case messages.StartSession:
		name = string(m.Client)
	case messages.SendInput:
		name = string(m.Client)
	case messages.AnswerPermission:
		name = string(m.Client)
	case messages.CancelTurn:
		name = string(m.Client)
	case messages.TakeLock:
		name = string(m.Client)
	case messages.ReleaseLock:
		name = string(m.Client)
	case messages.RefuseLock:
		name = string(m.Client)
	case messages.ChangeSettings:
		name = string(m.Client)
	case messages.Attach:
		name = m.Stream
	case messages.Request:
		name = "op"
	case EndAgent:
		name = "daemon"
	}
	if name == "" {
		return nil
	}
	return actor.NewPID("here", name)
}
