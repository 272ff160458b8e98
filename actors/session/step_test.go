package session

import (
	"slices"
	"strings"
	"testing"

	"betcode/actors/session/recall"
	"betcode/messages"
)

// Every step compares what is wanted with what is there. While something keeps the agent away, no
// event starts it; what ends that starts it.
func TestReconcile(t *testing.T) {
	starts := func(b *bench) bool {
		return slices.ContainsFunc(b.quiet(), func(s string) bool { return strings.Contains(s, "start with") })
	}
	crashed := func(t tester) *bench {
		b := running(t)
		b.tell(b.exit(1))
		return b
	}
	for name, c := range map[string]struct {
		kept func(tester) *bench // an agent is wanted, and something keeps it away
		ends func(*bench)
	}{
		"backoff":           {crashed, func(b *bench) { b.tell(restartDue{1}) }},
		"a person in it":    {crashed, func(b *bench) { b.tell(input("ann", "k2")) }},
		"a restart in it":   {crashed, func(b *bench) { b.tell(messages.RestartSession{Session: sessionA}) }},
		"a rebuilt session": {crashed, func(b *bench) { b.crash() }},
		"full disk": {func(t tester) *bench {
			b := running(t)
			b.full = true
			b.tell(b.exit(1))
			b.tell(restartDue{1})
			return b
		}, func(b *bench) {
			b.full = false
			b.tell(messages.GetSession{Session: sessionA}) // whatever comes first
		}},
		"transcript": {func(t tester) *bench {
			b := turning(t)
			b.tell(messages.RestartSession{Session: sessionA})
			b.tell(b.exit(143))
			return b
		}, func(b *bench) { b.tell(recall.Answer{Run: 1, Found: true}) }},
	} {
		t.Run(name, func(t *testing.T) {
			b := c.kept(t)
			if !b.state.wanted() || b.state.active() {
				t.Fatalf("wanted %v, active %v", b.state.wanted(), b.state.active())
			}
			b.quiet()
			b.tell(messages.GetSession{Session: sessionA})
			b.tell(messages.RenameSession{Session: sessionA, Name: "another"})
			b.tell(restartDue{7}) // of another run
			if starts(b) {
				t.Fatal("it is started by an event that has nothing to do with it")
			}
			c.ends(b)
			if !starts(b) {
				t.Errorf("it is not started: %v", b.history[max(0, len(b.history)-6):])
			}
		})
	}
}
