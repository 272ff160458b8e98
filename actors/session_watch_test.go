package actors

import (
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

// watched returns a bench whose agent is in the middle of a turn, at a moment
// that the test moves.
func watched(t *testing.T) *bench {
	b := newBench(t)
	b.tell(start("ann"))
	b.tell(input("ann", "k1"))
	b.tell(b.up())
	b.tell(messages.InputWrittenTo{Run: 1, Key: "k1"})
	b.tell(b.out(took("k1")...))
	b.quiet()
	return b
}

// wake tells the session that the time for a look has come.
func (b *bench) wake(after time.Duration) {
	b.now = b.now.Add(after)
	b.tell(silenceDue{1})
}

func TestSilentAgentIsInterruptedThenEnded(t *testing.T) {
	b := watched(t)
	b.wake(6 * time.Minute)
	b.expect("a silence that is not long")
	b.wake(time.Minute)
	b.expect("a long one", "all: 6 notice AGENT_SILENT", "run 1: interrupt")
	b.wake(interruptSilence)
	b.expect("no reaction", "all: 7 notice AGENT_HANGS", "run 1: stop resumably")
	b.tell(b.exit(143))
	b.tell(transcriptRead{run: 1, known: map[string]bool{"k1": true}})
	if !b.state.active() || b.state.record.Run != 2 {
		t.Errorf("it is not started again: %+v", b.state.run)
	}
}

func TestAgentThatIsHeardIsLeftAlone(t *testing.T) {
	b := watched(t)
	b.now = b.now.Add(5 * time.Minute)
	b.tell(b.out(text("still at it")))
	b.quiet()
	b.wake(2 * time.Minute)
	b.expect("heard two minutes ago")
	b.wake(5 * time.Minute)
	b.expect("silent since", "all: 7 notice AGENT_SILENT", "run 1: interrupt")
	b.tell(b.out(finished("k1")))
	b.quiet()
	b.wake(interruptSilence)
	b.expect("the turn is over")
	if b.state.watched || b.state.warned {
		t.Error("it is still watched")
	}
}

// An agent that waits for a person may be silent for days.
func TestWaitingForAPersonIsNoSilence(t *testing.T) {
	b := watched(t)
	b.tell(b.out(claude.PermissionAsked{Request: "p1", Tool: "Bash", Input: []byte(`{}`), At: b.now}))
	b.quiet()
	for range 100 {
		b.wake(time.Hour)
	}
	b.expect("a hundred hours")
}
