package e2e

import (
	"strings"
	"testing"

	"betcode/tests/kit"
)

// presses presses a key deliberately: after a person's pause, with its subject on the screen.
func (s *story) presses(t *kit.Screen, about, key string) {
	s.Helper()
	s.shows(t, about)
	pause(s.T)
	s.types(t.Terminal, key)
}

// Each answer to a request by key: the command is edited, refused with words, allowed once, and always by the rule that is shown.
// A change of a file is shown as a difference.
func TestScreenAnswers(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.named("asking", "run:touch made\nrun:touch refused\n"+
		`tool:Edit:{"file_path":"notes.txt","old_string":"one\ntwo\nthree","new_string":"one\n2\nthree"}`+
		"\nrun:touch first\nrun:touch second\nask")
	screen, _ := s.screen(80, 24, "ui")
	s.shows(screen, "1 need you")
	s.types(screen.Terminal, "n")
	s.presses(screen, "touch made", "e")
	s.shows(screen, "change it, Enter allows it:")
	s.types(screen.Terminal, "\x17edited")
	s.shows(screen, "touch edited")
	s.golden(screen, "edit")
	s.types(screen.Terminal, "\r")
	s.presses(screen, "│   touch refused", "d")
	s.shows(screen, "tell the agent why not:")
	s.types(screen.Terminal, "use a file called kept")
	s.golden(screen, "deny")
	s.types(screen.Terminal, "\r")
	s.shows(screen, "? allow Edit")
	s.golden(screen, "difference")
	s.presses(screen, "y allow once", "y")
	s.presses(screen, "│   touch first", "r")
	s.shows(screen, "(1 of 3)") // the second command needed no answer
	for name, want := range map[string]bool{"made": false, "edited": true, "refused": false, "first": true, "second": true} {
		if s.exists(name) != want {
			t.Errorf("%s exists: %v", name, !want)
		}
	}
	s.golden(screen, "question")
	s.presses(screen, "(1 of 3)", "2")
	s.shows(screen, "(2 of 3)")
	s.presses(screen, "(2 of 3)", "1")
	pause(t)
	s.types(screen.Terminal, "\r")
	s.presses(screen, "(3 of 3)", "o")
	s.shows(screen, "your answer:")
	s.types(screen.Terminal, "in my own words")
	s.golden(screen, "words")
	s.types(screen.Terminal, "\r")
	s.shows(screen, "idle ·")
	s.golden(screen, "answered")
}

// n opens the session that waits, and Ctrl-N the next one, from within a session. Both remain open.
func TestScreenNext(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.named("one", "run:touch a")
	s.named("two", "run:touch b")
	screen, _ := s.screen(80, 24, "ui")
	s.shows(screen, "2 need you")
	s.types(screen.Terminal, "n")
	s.shows(screen, "1 more need you: Ctrl-N")
	s.shows(screen, "y allow once")
	first, second := "a", "b"
	if strings.Contains(screen.Shown(), "touch b") {
		first, second = second, first
	}
	s.types(screen.Terminal, "\x0e")
	s.shows(screen, "│   touch "+second)
	s.presses(screen, "y allow once", "y")
	s.eventually("the second command has run", func() bool { return s.exists(second) })
	s.types(screen.Terminal, "\x0e")
	s.shows(screen, "│   touch "+first)
	s.presses(screen, "y allow once", "y")
	s.eventually("the first command has run", func() bool { return s.exists(first) })
	s.shows(screen, "idle ·")
	s.types(screen.Terminal, "\x1b")
	s.shows(screen, "2 idle")
	s.types(screen.Terminal, "n")
	s.shows(screen, "Nothing waits for you.")
}

// What a subagent calls is below the call that started it, and its request names it.
func TestScreenSubagent(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.named("parent", "subagent\necho:after it")
	screen, _ := s.screen(80, 24, "ui")
	s.shows(screen, "1 need you")
	s.types(screen.Terminal, "n")
	s.shows(screen, "? allow Bash of a subagent")
	s.golden(screen, "subagent-asks")
	s.presses(screen, "y allow once", "y")
	s.shows(screen, "after it")
	s.shows(screen, "idle ·")
	s.golden(screen, "subagent")
}

// On 40 columns and 12 rows, and on fewer, nothing is lost that a person decides about: the command is seen, and so is the editor.
func TestScreenTiny(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.named("asking", "run:touch made # "+strings.Repeat("a long command ", 8)+"\nplan:# The plan, 1. look at everything")
	screen, _ := s.screen(40, 12, "ui")
	s.shows(screen, "1 need you")
	s.golden(screen, "tiny-list")
	s.types(screen.Terminal, "n")
	s.shows(screen, "y once")
	s.shows(screen, "│   touch made")
	s.golden(screen, "tiny-request")
	s.presses(screen, "y once", "y")
	s.shows(screen, "the agent has a plan")
	s.golden(screen, "tiny-plan")
	s.presses(screen, "approve", "\t")
	s.shows(screen, "Tab answers it")
	s.types(screen.Terminal, "half a line that is longer than the screen is wide")
	s.shows(screen, "is wide")
	s.golden(screen, "tiny-editor")
	for _, size := range [][2]int{{20, 6}, {10, 3}, {1, 1}, {40, 12}} {
		if err := screen.Resize(size[0], size[1]); err != nil {
			t.Fatal(err)
		}
		s.types(screen.Terminal, "x")
	}
	s.shows(screen, "is widexxxx")
}

// One press of Esc leads from a request to the list, and one from a text field of a request to the request. What was typed is there
// when the session is opened again, and nothing is answered.
func TestScreenEsc(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.named("asking", "run:touch made")
	screen, _ := s.screen(80, 24, "ui")
	s.shows(screen, "1 need you")
	s.types(screen.Terminal, "n")
	s.presses(screen, "y allow once", "\x1b")
	s.shows(screen, "NEEDS YOU")
	s.types(screen.Terminal, "n")
	s.presses(screen, "y allow once", "d")
	s.presses(screen, "tell the agent why not:", "\x1b")
	s.presses(screen, "y allow once", "\t")
	s.presses(screen, "Tab answers it", "half a line")
	s.presses(screen, "> half a line", "\x1b")
	s.shows(screen, "NEEDS YOU")
	s.types(screen.Terminal, "n")
	s.presses(screen, "> half a line", "\t")
	s.presses(screen, "y allow once", "\x1b")
	s.presses(screen, "Tab answers it", "\x1b")
	s.shows(screen, "NEEDS YOU")
	if s.exists("made") {
		t.Error("the command ran without an answer")
	}
	s.types(screen.Terminal, "q")
}
