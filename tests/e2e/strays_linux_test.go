package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"betcode/tests/kit"
)

// TestRestoreWithAgentsAlive kills a daemon and restores a backup while its agent
// lives: that is refused, or ends the agent.
func TestRestoreWithAgentsAlive(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:one")
	s.wait(c, 0, kit.IsIdle)
	backup := filepath.Join(s.world.Root, "backup")
	s.cli(0, "journal", "backup", backup)
	agent := s.agent(id)
	s.daemon.Kill()
	restore := []string{"journal", "restore", "--state-dir", s.world.StateDir(), "--force", backup}
	if out, code := s.command(binaries.betcode, restore); code != 1 || !strings.Contains(out, strconv.Itoa(agent)) || !alive(agent) {
		t.Errorf("with an agent alive: exit %d, %s", code, out)
	}
	s.cli(0, append([]string{"journal", "restore", "--end-agents"}, restore[2:]...)...)
	if alive(agent) && !zombie(agent) {
		t.Error("the agent lives on")
	}
	s.start()
	again := s.converse("a", id)
	s.say(again, "echo:two")
	s.wait(again, 0, kit.IsTurnComplete)
}

// TestAgentThatTheJournalDoesNotKnow replaces the journal while the agent lives
// while an agent lives: the next daemon ends the agent before it starts another.
func TestAgentThatTheJournalDoesNotKnow(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id, kept := session(), session()
	c := s.converse("a", id)
	s.say(c, "echo:one")
	s.wait(c, 0, kit.IsIdle)
	agent := s.agent(id)
	s.killDaemon() // agents in the journal are adopted
	other := s.converse("b", kept)
	s.say(other, "echo:two")
	s.wait(other, 0, kit.IsIdle)
	if !alive(agent) || s.agent(id) != agent {
		t.Fatal("the agent was not adopted")
	}
	s.daemon.Kill()
	runs := filepath.Join(s.world.StateDir(), "runs")
	if err := os.Rename(runs, runs+".replaced-20261120T120000Z"); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(s.world.StateDir(), "journal")); err != nil {
		t.Fatal(err)
	}
	s.start()
	if alive(agent) && !zombie(agent) {
		t.Error("the agent lives on")
	}
	again := s.converse("a", id)
	s.say(again, "echo:three")
	s.wait(again, 0, kit.IsTurnComplete)
}
