package e2e

import (
	"os"
	"strings"
	"testing"
)

// The screen with Claude Code itself: its request with the rule that it suggests, which is written; its subagent, its questions, and its
// plan.
func TestScreenRealAgent(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	screen, _ := s.screen(80, 30, "ui")
	s.shows(screen, "no session yet")
	s.types(screen.Terminal, "c")
	s.shows(screen, "Esc ‹")
	say := func(text string) {
		t.Helper()
		s.shows(screen, "idle")
		s.types(screen.Terminal, text)
		s.shows(screen, "> "+text)
		s.types(screen.Terminal, "\r")
	}
	say("tool please")
	s.shows(screen, "? allow Bash")
	s.shows(screen, "│   touch made.txt && echo hi")
	s.shows(screen, "because of: ")
	s.shows(screen, "r always: Bash(touch made.txt")
	s.presses(screen, "y allow once", "r")
	s.shows(screen, "Done: the tool ran.")
	if rules, err := os.ReadFile(s.file(".claude/settings.local.json")); err != nil || !strings.Contains(string(rules), "touch made.txt") {
		t.Errorf("the rule is not written: %s, %v", rules, err)
	}
	say("helper please")
	s.shows(screen, "? allow Bash of a subagent")
	s.presses(screen, "y allow once", "y")
	s.shows(screen, "The subagent is finished.")
	s.shows(screen, "idle")
	s.shows(screen, "\n  ● Bash  touch sub.txt")
	s.shows(screen, "\n      from-sub\n")
	say("ask me")
	s.presses(screen, "(1 of 3)", "2")
	s.presses(screen, "(2 of 3)", "3")
	s.shows(screen, "[x]")
	pause(t)
	s.types(screen.Terminal, "\r")
	s.presses(screen, "(3 of 3)", "1")
	s.shows(screen, `="build"`)
	say("/mode plan")
	s.shows(screen, "The permission mode is plan now")
	say("plan it")
	s.shows(screen, "the agent has a plan")
	s.shows(screen, "│ 1. Edit the file\n│ 2. Run the tests\n")
	s.presses(screen, "y approve", "y")
	s.presses(screen, "│   touch planned.txt", "y")
	s.shows(screen, "The plan is carried out.")
	s.shows(screen, "context ")
	s.types(screen.Terminal, "\x1b")
	s.shows(screen, "1 idle")
	s.types(screen.Terminal, "q")
}
