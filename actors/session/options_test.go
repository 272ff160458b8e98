package session

import (
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
	s := state{record: messages.SessionRecord{Options: messages.AgentOptions{MaxBudgetUSD: 1}}}
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
