package e2e

import (
	"testing"
)

// While no daemon runs the screen stays and typing goes on. The screen reconnects by itself, and nothing is lost. After a kill
// while a person types, the next screen has the text again, in its session.
func TestScreenRestart(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.named("first", "echo:one")
	s.named("second", "echo:two")
	screen, cmd := s.screen(80, 24, "ui")
	s.shows(screen, "2 idle")
	s.types(screen.Terminal, ":open first\r")
	s.shows(screen, "\none\n")
	s.types(screen.Terminal, "echo:half a")
	s.shows(screen, "> echo:half a")
	s.daemon.Kill()
	s.shows(screen, "does not answer")
	s.types(screen.Terminal, " sentence")
	s.shows(screen, "> echo:half a sentence")
	s.golden(screen, "outage")
	s.start()
	s.shows(screen, "idle ·")
	s.shows(screen, "> echo:half a sentence")
	s.shows(screen, "Esc ‹ first")
	s.types(screen.Terminal, " and more")
	s.shows(screen, "> echo:half a sentence and more")
	s.stored("echo:half a sentence and more")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	again, _ := s.screen(80, 24, "ui")
	s.shows(again, "2 idle")
	s.types(again.Terminal, ":open second\r")
	s.shows(again, "\ntwo\n")
	s.types(again.Terminal, "\x1b")
	s.shows(again, "2 idle")
	s.types(again.Terminal, ":open first\r")
	s.shows(again, "> echo:half a sentence and more")
	pause(t)
	s.types(again.Terminal, "\r")
	s.shows(again, "\nhalf a sentence and more\n")
	s.shows(again, "idle ·")
	s.types(again.Terminal, "\x1b")
	s.shows(again, "2 idle")
	s.daemon.Kill()
	s.shows(again, "no daemon for")
	s.start()
	s.shows(again, "· live")
	s.types(again.Terminal, "q")
}

// A request that comes while a person types on the screen takes none of the keys.
func TestScreenPromptWhileTyping(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.named("busy", "gate:go\nrun:touch made")
	screen, _ := s.screen(80, 24, "ui")
	s.shows(screen, "1 working")
	s.types(screen.Terminal, "1")
	s.shows(screen, "Esc ‹ busy")
	s.types(screen.Terminal, "say y")
	s.shows(screen, "> say y")
	s.create("go")
	s.shows(screen, "? allow Bash")
	for _, key := range []string{"y", "a", "r", "n"} {
		s.types(screen.Terminal, key)
	}
	s.shows(screen, "> say yyarn")
	s.shows(screen, "Tab answers it")
	s.golden(screen, "typing")
	if s.exists("made") {
		t.Fatal("the tool ran without an answer")
	}
	pause(t)
	s.types(screen.Terminal, "\t")
	s.presses(screen, "y allow once", "y")
	s.shows(screen, "idle ·")
	s.shows(screen, "> say yyarn")
	if !s.exists("made") {
		t.Error("the tool did not run")
	}
	s.types(screen.Terminal, "\x15\x1b")
}

// Line by line there are the same answers: a command is edited, refused with words, allowed by the rule that is shown; questions are
// answered by number and in words, a plan is a document; and a daemon that restarts is found again.
func TestScreenPlainAnswers(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.named("asking", "run:touch made\nrun:touch refused\nrun:touch first\nrun:touch second\nask\nplan:# The plan, 1. look at *everything*")
	screen, cmd := s.terminal(s.world.Binary, "ui", "--plain")
	s.awaits(screen, "1. asking: needs you: touch made")
	s.types(screen, "next\r")
	answers := func(about, answer string) {
		t.Helper()
		s.awaits(screen, about)
		pause(t)
		s.types(screen, answer)
		s.awaits(screen, answer)
		pause(t)
		s.types(screen, "\r")
	}
	answers("command: touch made", "e touch edited")
	s.awaits(screen, ": touch edited (the agent says")
	answers("command: touch refused", "d use kept")
	answers("command: touch first", "r")
	answers("Which branch?", "2")
	answers("Which checks?", "1,2")
	answers("Go on?", "in my own words")
	s.awaits(screen, ": Which branch? → develop; Which checks?")
	answers("the agent has a plan", "y")
	s.awaits(screen, "tokens in")
	for name, want := range map[string]bool{"made": false, "edited": true, "refused": false, "first": true, "second": true} {
		if s.exists(name) != want {
			t.Errorf("%s exists: %v", name, !want)
		}
	}
	s.daemon.Kill()
	s.awaits(screen, "The daemon does not answer; trying again.")
	s.start()
	s.awaits(screen, "Connected again.")
	pause(t)
	s.types(screen, "/back\r")
	s.awaits(screen, "Back in the list.")
	s.types(screen, "quit\r")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	shown := screen.Screen()
	if i := drawing.FindStringIndex(shown); i != nil {
		t.Errorf("%q is drawn in %q", shown[i[0]:i[1]], shown)
	}
}
