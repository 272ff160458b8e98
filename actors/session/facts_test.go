package session

import (
	"maps"
	"slices"
	"testing"

	"betcode/messages"
)

// Options of a session are in its journal from the beginning, on the command line of each of
// its agents, and in no record that is written with each commit.
func TestOptionsAreKept(t *testing.T) {
	b := newBench(t)
	begin := start("ann")
	begin.Options = messages.AgentOptions{Effort: "low", MaxTurns: 3, Directories: []string{"/srv"}, Servers: messages.Secret(`{"mcpServers":{}}`)}
	b.tell(begin)
	if got := b.journal.Record.Options; got.Effort != "low" {
		t.Errorf("the session keeps %+v", got)
	}
	b.crash()
	b.tell(input("ann", "k1"))
	again := start("bob")
	again.Options = messages.AgentOptions{Effort: "max"}
	b.tell(again)
	for run := messages.RunNumber(1); run < 4; run++ {
		r := b.journal.Runs[run]
		if r.Options.Effort != "low" || r.Options.MaxTurns != 3 || string(r.Options.Servers) != `{"mcpServers":{}}` || !b.journal.Record.Options.Empty() {
			t.Errorf("run %d has %+v, the session %+v", run, r.Options, b.journal.Record.Options)
		}
		for _, pair := range [][]string{{"--effort", "low"}, {"--max-turns", "3"}, {"--add-dir", "/srv"}} {
			if i := slices.Index(r.Argv, pair[0]); i < 0 || r.Argv[i+1] != pair[1] {
				t.Errorf("run %d: no %s in %q", run, pair, r.Argv)
			}
		}
		b.tell(b.exit(137))
		b.tell(restartDue{run})
		b.crash()
	}
}

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
