package e2e

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/tests/model"
)

// Ctrl-G opens the person's editor with the typed text, and takes its result. An editor that fails leaves the text unchanged.
func TestChatExternalEditor(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	script := filepath.Join(s.world.Root, "my editor")
	text := "#!/bin/sh\n[ -e fail ] && exit 3\n[ \"$1\" = --wait ] || exit 4\ncp \"$2\" given\nprintf 'echo:line one\\nsaid by the editor\\n' >\"$2\"\n"
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	s.world.Extra = append(s.world.Extra, "VISUAL='"+script+"' --wait", "EDITOR=false")
	screen, _ := s.screen(80, 24, "chat")
	s.shows(screen, "idle")
	s.types(screen.Terminal, "typed here")
	s.shows(screen, "> typed here")
	s.types(screen.Terminal, "\x07")
	s.shows(screen, "> echo:line one\n  said by the editor\n")
	if given, err := os.ReadFile(s.file("given")); err != nil || string(given) != "typed here" {
		t.Errorf("the editor got %q, %v", given, err)
	}
	s.create("fail")
	s.types(screen.Terminal, "\x07")
	s.shows(screen, "the editor failed: ")
	s.shows(screen, "> echo:line one\n  said by the editor\n")
	pause(t)
	s.types(screen.Terminal, "\r")
	s.shows(screen, "\nline one")
	s.shows(screen, "tokens in")
	err := filepath.WalkDir(s.world.Root, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(path), "message-") {
			t.Errorf("left behind: %s", path)
		}
		if errors.Is(err, fs.ErrNotExist) { // the daemon has removed a directory meanwhile
			return nil
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	s.types(screen.Terminal, "\x03\x03\x03")
}

// The agent refuses a model that does not exist: the answer has its error, the session goes on, and another model answers.
func TestChatUnknownModel(t *testing.T) {
	t.Parallel()
	script, err := model.Parse([]byte(`{"rules": [
		{"name": "unknown", "when": {"after": -1, "model": "no-such-model"}, "reply": [{"error": 404, "type": "not_found_error", "message": "model: no-such-model"}]},
		{"name": "known", "when": {"after": -1}, "reply": [{"text": "You said: ${prompt}"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	w, _ := scriptedWorld(t, binaries.betcode, script)
	s := storyIn(t, w)
	screen, _ := s.screen(100, 30, "chat")
	s.shows(screen, "idle")
	s.types(screen.Terminal, "first words\r")
	s.shows(screen, "You said: first words")
	s.shows(screen, "idle ·")
	s.types(screen.Terminal, "/model no-such-model\r")
	s.shows(screen, "no-such-model from the next message on")
	pause(t)
	s.types(screen.Terminal, "second words\r")
	s.shows(screen, "issue with the selected model")
	s.shows(screen, "idle ·")
	s.types(screen.Terminal, "/model claude-opus-5-5\r")
	pause(t)
	s.types(screen.Terminal, "third words\r")
	s.shows(screen, "You said: third words")
	s.shows(screen, "idle ·")
	if strings.Contains(screen.Shown(), "blocked") {
		t.Errorf("the session is blocked:\n%s", screen.Shown())
	}
	s.types(screen.Terminal, "\x03\x03\x03")
}

// A message that waits for a slot is queued, and the status shows that.
func TestChatQueued(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	for _, name := range []string{"1", "2", "3", "4", "5"} {
		s.named(name, "gate:go")
	}
	screen, _ := s.screen(100, 24, "chat")
	s.shows(screen, "idle")
	s.types(screen.Terminal, "echo:late\r")
	s.shows(screen, "queued until an agent may start")
	s.create("go")
	s.shows(screen, "\nlate\n")
	s.shows(screen, "idle ·")
	s.types(screen.Terminal, "\x03\x03\x03")
}

// A message that is sent while a request waits is announced with what it waits for, and so is that the agent gets it: in a chat, in one
// line by line, and on the screen.
func TestChatQueuedBehindARequest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		say  string // types the message
		ends string // the answer
	}{
		"chat":   {[]string{"attach"}, "echo:second", "y"},
		"plain":  {[]string{"chat", "--plain", "-r"}, "/say echo:second", "/allow\r"},
		"screen": {[]string{"ui"}, "echo:second", "y"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory(t, binaries.fake)
			s.named("asking", "run:touch made")
			args := test.args
			if name != "screen" {
				args = append(args, "asking")
			}
			screen, _ := s.screen(110, 30, args...)
			if name == "screen" {
				s.shows(screen, "1 need you")
				s.types(screen.Terminal, "n")
			}
			s.presses(screen, "allow Bash", test.say)
			s.presses(screen, test.say, "\r")
			s.shows(screen, "Queued: the agent reads this message after an answer to the request for Bash: touch made")
			if name != "plain" {
				s.shows(screen, "waits for you · 1 message queued")
			}
			s.presses(screen, "allow Bash", test.ends)
			s.shows(screen, "The agent gets the queued message: echo:second")
			s.shows(screen, "second\n")
			s.eventually("the command has run", func() bool { return s.exists("made") })
			s.types(screen.Terminal, "\x03\x03\x03")
		})
	}
}
