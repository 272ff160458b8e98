package session

import (
	"testing"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

// A compaction fails as a whole: nothing has changed, and it may be tried again.
func TestCompactionFails(t *testing.T) {
	failed := "error COMPACTION_FAILED"
	for _, c := range []struct {
		name string
		do   func(*bench)
		want []string
	}{
		{"the agent says so", func(b *bench) {
			b.tell(b.out(append(took("c1"), claude.CompactionFailed{Error: "too few"}, local("c1"))...))
		}, []string{"all: 12 " + failed + ", 13 IDLE", "to op: internal COMPACTION_FAILED"}},
		{
			"it says nothing of it", func(b *bench) { b.tell(b.out(append(took("c1"), local("c1"))...)) },
			[]string{"all: 12 " + failed + ", 13 IDLE", "to op: internal COMPACTION_FAILED"},
		},
		{"it is stopped", func(b *bench) {
			b.tell(messages.StopSession{Session: sessionA})
			b.tell(b.exit(0))
		}, []string{
			"run 1: stop in order",
			"all: 12 run 1 exited, 13 notice INPUT_DROPPED, 14 " + failed + ", 15 IDLE", "drop run 1",
			"to op: internal COMPACTION_FAILED", "to op: stopped, was running true", "retire",
		}},
		{
			"it takes too long", func(b *bench) { b.tell(compactionLate{"c1"}) },
			[]string{"all: 12 " + failed + ", 13 IDLE", "to op: internal COMPACTION_FAILED", "run 1: stop resumably"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := talked(t)
			b.tell(compact("c1"))
			b.quiet()
			c.do(b)
			b.expect("in the end", c.want...)
			if p := b.state.record.Past; p.Boundary.Seq != 0 || p.Compaction.Phase != messages.CompactionUndone {
				t.Errorf("%+v", p)
			}
			b.quiet()
			b.tell(compact("c1"))
			b.expect("the same key", "to op: internal COMPACTION_FAILED")
		})
	}
}

// An agent that is killed before it has read the message gets it again.
func TestCompactionSurvivesTheAgent(t *testing.T) {
	b := talked(t)
	b.tell(compact("c1"))
	b.tell(b.exit(137))
	b.tell(restartDue{1})
	b.tell(b.up())
	b.quiet()
	b.on(b.out(append(took("c1"), summarized(), local("c1"))...), "all: 15 notice HISTORY_COMPACTED, 16 IDLE",
		"to op: compacted true up to 6, 3 messages of 4, 300 tokens of 5100")
}

// One that had read it, and had not come to an end with it, is not told again.
func TestCompactionEndsWithTheAgent(t *testing.T) {
	b := talked(t)
	b.tell(compact("c1"))
	b.tell(b.out(heard("c1", claude.Queued)))
	b.tell(b.exit(137))
	b.quiet()
	b.on(inTranscript(1, "c1"), "all: 13 error COMPACTION_FAILED, 14 IDLE, 15 error SUBPROCESS_CRASHED", "to op: internal COMPACTION_FAILED")
	if p := b.state.record.Past; p.Boundary.Seq != 0 || b.state.busy() {
		t.Errorf("%+v, busy %v", p, b.state.busy())
	}
}

// An agent that is killed in the middle of its summary has left no turn to go on
// with, whatever is to become of those.
func TestCompactionIsNoTurn(t *testing.T) {
	for _, remembered := range []bool{false, true} {
		b := talked(t)
		b.state.options.Resume = messages.ResumeAsk
		b.tell(compact("c1"))
		b.tell(b.out(took("c1")...))
		b.tell(b.exit(137))
		b.quiet()
		if remembered {
			b.on(inTranscript(1, "c1"), "all: 13 error COMPACTION_FAILED, 14 IDLE, 15 error SUBPROCESS_CRASHED", "to op: internal COMPACTION_FAILED")
			if b.state.busy() || b.state.blocked() {
				t.Errorf("%+v", b.state.record)
			}
			continue
		}
		b.on(inTranscript(1), "all: 13 error SUBPROCESS_CRASHED", "in 500ms session.restartDue")
		b.on(restartDue{1}, "run 2: start with --resume")
	}
}

// The word of the agent that it has summarised, and the end of its turn, may lie in
// two daemons.
func TestCompactionSurvivesTheDaemon(t *testing.T) {
	b := talked(t)
	b.tell(compact("c1"))
	b.tell(b.out(append(took("c1"), summarized())...))
	b.crash()
	b.tell(b.adopted())
	b.tell(b.out(local("c1")))
	if p := b.state.record.Past; p.Boundary != (messages.Place{Seq: 6, Messages: 1}) || p.Compaction.Phase != messages.CompactionDone {
		t.Errorf("%+v", p)
	}
}
