package session

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/journal"
	"betcode/messages"
)

// refuse lets the journal fail with everything that was handed to it.
func (b *bench) refuse() {
	b.t.Helper()
	waiting := b.waiting
	b.waiting = nil
	for _, a := range waiting {
		b.deliver(nil, messages.AppendRefused{Session: a.Session, Commit: a.Commit, Err: messages.Errorf("append", messages.Unavailable, "no space left")})
	}
}

// degraded is a bench in the middle of a turn whose journal has just failed.
func degraded(t *testing.T) *bench {
	b := turning(t)
	b.manual = true
	b.tell(b.out(text("one")))
	b.refuse()
	return b
}

func TestFailingJournalShowsVolatileEvents(t *testing.T) {
	b := degraded(t)
	b.expect("the journal fails", "all: notice JOURNAL_FAILS", "all: text one")
	b.tell(b.out(text("two")))
	b.expect("the agent goes on", "all: text two")
	b.tell(b.out(claude.PermissionAsked{Request: "p1", Tool: "Bash", Input: []byte(`{}`), At: b.now}))
	said := b.effects
	for _, e := range said {
		if p, ok := e.(publish); ok {
			for _, event := range p.events {
				var shown pb.AgentEvent
				if err := proto.Unmarshal(event.Bytes, &shown); err != nil || event.Seq != 0 || shown.GetSequence() != 0 || !shown.GetVolatile() {
					t.Errorf("%v: %v", &shown, err)
				}
			}
		}
	}
	if len(b.waiting) > 0 {
		t.Errorf("%d appends were handed over", len(b.waiting))
	}
	if !slices.ContainsFunc(said, func(e act.Effect) bool { _, ok := e.(publish); return ok }) {
		t.Error("the request is not shown")
	}
}

func TestFailingJournalAcceptsNothing(t *testing.T) {
	b := degraded(t)
	b.quiet()
	for _, m := range []any{
		input("ann", "k2"),
		messages.AnswerPermission{Session: sessionA, Request: "p1", Client: "ann", Decision: messages.AllowOnce},
		messages.RenameSession{Session: sessionA, Name: "x"},
		messages.DeleteSession{Session: sessionA},
		messages.SetGrant{Session: sessionA, Tool: "Bash"},
	} {
		b.tell(m)
		said := last[act.Reply](b)
		if e, ok := said.With.(*messages.Error); !ok || e.Kind != messages.Unavailable || e.Hint == "" || len(b.quiet()) != 1 {
			t.Errorf("%T is answered with %v", m, said.With)
		}
	}
	b.tell(messages.CancelTurn{Session: sessionA, Client: "ann"})
	if got := b.quiet(); !slices.Contains(got, "run 1: interrupt") {
		t.Errorf("a cancellation: %v", got)
	}
	if _, credits := b.state.step(b.env(), nil, b.out(text("three"))); !slices.ContainsFunc(credits, func(e act.Effect) bool {
		told, ok := e.(sendToRun)
		c, credit := told.message.(messages.Credit)
		return ok && credit && c.Batches == 1 && c.Journaled == 0
	}) {
		t.Errorf("the agent's output stops: %v", credits)
	}
}

// What was accepted in the same breath in which the journal failed was not.
func TestFailingJournalWithdrawsAnswers(t *testing.T) {
	b := remembering(t)
	b.manual = true
	b.tell(input("ann", "k2"))
	b.expect("nothing is said before it is on disk")
	b.refuse()
	b.expect("the journal fails", "all: notice JOURNAL_FAILS", "all: input k2", "to ann: unavailable SQLITE_ERROR")
}

func TestJournalIsBack(t *testing.T) {
	b := degraded(t)
	b.quiet()
	b.tell(journal.Recovered{})
	b.expect("the journal is back", "session.rebuild")
	b.manual = false
	b.crash() // what its replacement comes to
	if b.state.durable.failure != nil || b.read != b.journal.Cursor.Offset {
		t.Errorf("degraded %v, read up to %d", b.state.durable.failure, b.read)
	}
	b.quiet()
	b.tell(Rebuilt{})
	b.expect("people are told", "all: 6 notice JOURNAL_BACK")
	b.tell(b.adopted())
	b.tell(b.out(text("one")))
	if got := b.quiet(); got[len(got)-1] != "all: 8 text one" {
		t.Errorf("told again: %q", got)
	}
}

// A session that was not loaded when the journal failed says so, and is loaded when
// it is back.
func TestFailingJournalLoadsNothing(t *testing.T) {
	s := state{id: sessionA, options: benchOptions.ownSettings()}
	now := (&bench{t: t, now: dawn}).env()
	s, _ = s.step(now, asker(input("ann", "k1")), input("ann", "k1"))
	s, first := s.step(now, nil, messages.Errorf("load session", messages.Unavailable, "no disk"))
	s, second := s.step(now, asker(input("bob", "k1")), input("bob", "k1"))
	for who, effects := range map[string][]act.Effect{"ann": first, "bob": second} {
		if len(effects) != 1 || show(effects[0]) != "to "+who+": unavailable SQLITE_ERROR" {
			t.Errorf("%s: %v", who, effects)
		}
	}
	if _, effects := s.step(now, nil, journal.Recovered{}); len(effects) != 1 || show(effects[0]) != "load again" {
		t.Errorf("%v", effects)
	}
}
