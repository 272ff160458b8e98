package actors

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"betcode/actors/internal/claude"
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

// The budget is the session's: each agent is given what is left, and a message is refused
// when nothing is.
func TestBudgetOfASession(t *testing.T) {
	s := sessionState{record: messages.SessionRecord{Options: messages.AgentOptions{MaxBudgetUSD: 1}}}
	for _, test := range []struct{ spent, want float64 }{{0, 1}, {0.25, 0.75}, {1, leastBudget}, {3, leastBudget}} { // US dollars
		s.record.Usage.CostUSD = test.spent
		if got := s.optionsAtStart().MaxBudgetUSD; got != test.want {
			t.Errorf("after $%v: $%v", test.spent, got)
		}
	}
	if _, err := s.optionsAtStart().Checked(); err != nil {
		t.Error(err)
	}
	b := newBench(t)
	begin := start("ann")
	begin.Options = messages.AgentOptions{MaxBudgetUSD: 0.5}
	b.tell(begin)
	b.tell(input("ann", "k1"))
	b.tell(b.up())
	b.tell(b.out(claude.TurnEnded{Inputs: []string{"k1"}, Usage: claude.Usage{CostUSD: 0.5}}))
	b.quiet()
	b.tell(input("ann", "k2"))
	if said := strings.Join(b.quiet(), "\n"); !strings.Contains(said, string(budgetSpentCode)) || len(b.state.inputs) > 0 {
		t.Errorf("said %s, inputs %v", said, b.state.inputs)
	}
}

func TestOptionsOfVersions(t *testing.T) {
	o := messages.AgentOptions{Effort: "low", MaxTurns: 2}
	for version, lacks := range map[string]bool{"2.0.77": true, "2.1.20": true, "2.1.119": false, "2.1.330": false, "": false} {
		if got := lackingOption(o, version); (got != "") != lacks {
			t.Errorf("%q: %q", version, got)
		}
		exit, refused := optionsRefused(o, version)
		if refused != lacks || refused && exit.Stage != stageVersion {
			t.Errorf("%q: %+v", version, exit)
		}
	}
	if got := lackingOption(messages.AgentOptions{MaxTurns: 2, NoTools: true}, "2.0.77"); got != "" {
		t.Errorf("2.0.77: %q", got)
	}
}

// A directory is known under each of its names. A link stands for the others here: a second
// mount needs root, and letters of either case another file system.
func TestBelow(t *testing.T) {
	root := t.TempDir()
	own, name := filepath.Join(root, "own"), filepath.Join(root, "name")
	for _, dir := range []string{filepath.Join(own, "runs"), filepath.Join(root, "ownother")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(own, name); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	for _, test := range []struct {
		path, dir string
		want      bool
	}{
		{own, own, true},
		{filepath.Join(own, "runs"), own, true},
		{filepath.Join(own, "runs"), name, true},
		{filepath.Join(name, "runs"), own, true},
		{filepath.Join(name, "runs", "none"), own, true},
		{own, name, true},
		{own, filepath.VolumeName(root) + string(filepath.Separator), true},
		{root, own, false},
		{root, name, false},
		{filepath.Join(root, "ownother"), own, false},
		{filepath.Join(root, "ownother"), name, false},
		{own, filepath.Join(root, "none"), false},
	} {
		if got := below(test.path, test.dir); got != test.want {
			t.Errorf("%s below %s: %t", test.path, test.dir, got)
		}
	}
}
