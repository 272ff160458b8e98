package session

import (
	"maps"
	"testing"

	"betcode/messages"
)

// Of the environment of the client that begins it a session keeps what is declared,
// and hands it on from run to run.
func TestEnvironmentIsKept(t *testing.T) {
	kept := map[string]string{"PATH": "/opt/bin:/bin"}
	before := benchOptions
	benchOptions.Keeps = func(name string) bool { return name == "PATH" }
	defer func() { benchOptions = before }()
	b := newBench(t)
	begin := start("ann")
	begin.Environment = map[string]string{"PATH": "/opt/bin:/bin", "ANTHROPIC_API_KEY": "sk"}
	b.tell(begin)
	if got := b.journal.Record.Environment; !maps.Equal(got, kept) {
		t.Errorf("the session keeps %v", got)
	}
	b.crash()
	b.tell(input("ann", "k1"))
	again := start("bob")
	again.Environment = map[string]string{"PATH": "/other"}
	b.tell(again)
	for run := messages.RunNumber(1); run < 4; run++ {
		if got := b.journal.Runs[run].Environment; !maps.Equal(got, kept) || b.journal.Record.Environment != nil {
			t.Errorf("run %d has %v, the session %v", run, got, b.journal.Record.Environment)
		}
		b.tell(b.exit(137))
		b.tell(restartDue{run})
		b.crash()
	}
}
