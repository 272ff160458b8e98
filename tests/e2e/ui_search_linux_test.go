package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// s searches all sessions. A hit opens its session there, and Esc leads back to the hits. The line about the absence is shown again
// until a person has left the screen.
func TestScreenSearch(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	var prompt strings.Builder
	for i := range 60 {
		fmt.Fprintf(&prompt, "echo:answer %d\n", i)
	}
	s.named("long", "echo:the needle is here\n"+prompt.String())
	s.named("other", "echo:nothing of the kind")
	if err := s.daemon.Indexed(t.Context()); err != nil {
		t.Fatal(err)
	}
	screen, cmd := s.screen(80, 24)
	s.shows(screen, "2 idle")
	s.shows(screen, "In the last 24 hours: 2 sessions, 2 turns")
	s.types(screen.Terminal, "s")
	s.shows(screen, "words that all occur")
	s.types(screen.Terminal, "needle is\r")
	s.shows(screen, "› long")
	s.golden(screen, "search")
	s.types(screen.Terminal, "\r")
	s.shows(screen, "› found here")
	s.shows(screen, "needle is here")
	s.types(screen.Terminal, "\x1b")
	s.shows(screen, "Enter opens the session there")
	s.types(screen.Terminal, "sno such words at all\r")
	s.shows(screen, "Nothing is found.")
	s.types(screen.Terminal, "\x1b")
	s.shows(screen, "In the last 24 hours")
	s.types(screen.Terminal, "q")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	again, _ := s.screen(80, 24)
	s.shows(again, "2 idle")
	s.named("later", "echo:later")
	s.shows(again, "3 idle")
	if strings.Contains(again.Shown(), "While you were away") || strings.Contains(again.Shown(), "In the last") {
		t.Errorf("the absence is shown twice:\n%s", again.Shown())
	}
}

// The plain screen prints a summary of the absence, and gives each hit a number.
func TestScreenPlainSearch(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.named("long", "echo:the needle is here")
	if err := s.daemon.Indexed(t.Context()); err != nil {
		t.Fatal(err)
	}
	screen, cmd := s.terminal(s.world.Binary, "ui", "--plain")
	s.awaits(screen, "In the last 24 hours: 1 session, 1 turn")
	s.awaits(screen, "1 idle.")
	s.types(screen, "search needle\r")
	s.awaits(screen, "hit 2. long: ")
	s.types(screen, "hit 1\r")
	s.awaits(screen, "/quit leaves")
	s.types(screen, "/back\r")
	s.awaits(screen, "Back in the list.")
	s.types(screen, "quit\r")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
