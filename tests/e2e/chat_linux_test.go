package e2e

import (
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
)

// A message is sent with Enter, and its answer is above the editor.
func TestChatOnAScreen(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	screen, cmd := s.screen(80, 24, "chat")
	s.shows(screen, "idle")
	s.types(screen.Terminal, "echo:the-answer\r")
	s.shows(screen, "\nthe-answer")
	s.shows(screen, "idle")
	s.types(screen.Terminal, "/quit\r")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	s.shows(screen, "The session goes on")
}

// A chat without a message leaves no session, whether its person leaves it or its terminal dies; typed text is stored for the
// next chat. The screen does the same. A chat with a name keeps its session.
func TestChatWithoutAWord(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	gone := func(what string) {
		s.Helper()
		s.eventually(what+" leaves no session", func() bool { return s.cli(0, "ps", "--all", "-o", "name") == "" })
	}
	screen, cmd := s.screen(80, 24, "chat")
	s.shows(screen, "idle")
	s.types(screen.Terminal, "/mod\t")
	s.shows(screen, "/model")
	s.types(screen.Terminal, "\x15/quit\r")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	s.shows(screen, "Nothing was said, so no session is kept.")
	gone("a chat that is left")

	screen, cmd = s.screen(80, 24, "chat")
	s.shows(screen, "idle")
	s.types(screen.Terminal, "echo:half")
	s.shows(screen, "> echo:half")
	s.stored("echo:half")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	gone("a chat whose process was killed")

	screen, cmd = s.screen(80, 24, "ui")
	s.shows(screen, "q leave")
	s.types(screen.Terminal, "c")
	s.shows(screen, "> echo:half")
	s.types(screen.Terminal, "\x15\x1b")
	s.shows(screen, "q leave")
	gone("the screen's c")
	s.types(screen.Terminal, "q")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}

	screen, _ = s.screen(80, 24, "chat", "--plain")
	s.shows(screen, ">")
	s.types(screen.Terminal, "/quit\r")
	s.shows(screen, "Nothing was said, so no session is kept.")
	gone("a plain chat")

	screen, _ = s.screen(80, 24, "chat", "--name", "kept")
	s.shows(screen, "idle")
	s.types(screen.Terminal, "/quit\r")
	s.shows(screen, "The session goes on")
	if said := s.cli(0, "ps", "--all", "-o", "name"); said == "" {
		t.Error("the session with a name is gone")
	}
}

// A paste is one message, whatever its size, and whether the terminal marks it or not. It is sent by Enter.
func TestChatPasteIsOneMessage(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	lines := strings.Repeat("a line that was pasted\n", 199) + "the last line"
	screen, _ := s.screen(80, 24, "chat")
	s.shows(screen, "idle")
	s.types(screen.Terminal, "echo:one ")
	s.types(screen.Terminal, pasted(lines))
	s.shows(screen, "> echo:one [200 lines pasted]")
	pause(t)
	s.types(screen.Terminal, "\r")
	id := s.waitForSession()
	if got := s.messages(id, 1)[0]; got != "echo:one "+lines {
		t.Errorf("the first message has %d bytes", len(got))
	}
	s.shows(screen, "idle")

	big := strings.Repeat("0123456789abcde\n", 1<<16) // 1 MiB
	s.types(screen.Terminal, "echo:two ")
	s.types(screen.Terminal, pasted(big))
	s.shows(screen, "> echo:two [65536 lines pasted]")
	pause(t)
	s.types(screen.Terminal, "\r")
	if got := s.messages(id, 2)[1]; got != "echo:two "+strings.TrimRight(big, "\n") {
		t.Errorf("the second message has %d bytes", len(got))
	}

	s.types(screen.Terminal, "three\rfour\rfive\r") // without marks
	s.shows(screen, "> three\n  four\n  five")
	s.types(screen.Terminal, "\x03\x03\x03\x03")
	s.shows(screen, "The session goes on")
	view, err := s.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: id})
	if err != nil || len(view.GetInputs()) > 1 {
		t.Errorf("an unmarked paste was sent: %v, %v", view.GetInputs(), err)
	}
}

// A pasted key approves no tool, and neither does a key that is pressed while a person types. A key that is meant does.
func TestChatPromptWhileTyping(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	screen, _ := s.screen(80, 24, "chat")
	s.shows(screen, "idle")
	s.types(screen.Terminal, "gate:go\rrun:touch made\r") // an unmarked paste of two steps
	s.shows(screen, "run:touch made")
	pause(t)
	s.types(screen.Terminal, "\x7f\r") // removes its last line end
	s.shows(screen, "working")
	s.types(screen.Terminal, "yes I am typ")
	s.create("go")
	s.shows(screen, "? allow Bash")
	s.types(screen.Terminal, "ying")
	s.shows(screen, "> yes I am typying")
	s.shows(screen, "Tab answers it")
	s.types(screen.Terminal, "\x15") // Ctrl-U: the editor is empty
	s.shows(screen, "y allow once")
	for i, paste := range []string{"y\r", "a\r", pasted("y")} {
		s.types(screen.Terminal, paste)
		s.shows(screen, []string{"> y", "a", "y"}[i])
		s.types(screen.Terminal, "\x15\x15\x7f\x15\x7f\x15")
	}
	s.shows(screen, "touch made")
	if s.exists("made") {
		t.Fatal("the tool ran without an answer")
	}
	s.eventually("the answer is taken", func() bool {
		s.types(screen.Terminal, "\x15")
		pause(t)
		s.types(screen.Terminal, "y")
		pause(t)
		return s.exists("made")
	})
	s.shows(screen, "idle")
	s.types(screen.Terminal, "\x03/quit\r")
}

// Typed text survives the end of the terminal's process and of the daemon. Up restores earlier messages.
func TestChatDraftSurvives(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	screen, cmd := s.screen(80, 24, "chat")
	s.shows(screen, "idle")
	s.types(screen.Terminal, "echo:before\r")
	s.shows(screen, "\nbefore")
	s.shows(screen, "idle")
	s.types(screen.Terminal, "echo:half a sent")
	s.shows(screen, "> echo:half a sent")
	s.daemon.Kill()
	s.shows(screen, "does not answer")
	s.types(screen.Terminal, "ence")
	s.shows(screen, "> echo:half a sentence")
	s.stored("echo:half a sentence")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.start()
	again, _ := s.screen(80, 24, "chat")
	s.shows(again, "> echo:half a sentence")
	s.types(again.Terminal, "\r")
	s.shows(again, "\nhalf a sentence")
	s.shows(again, "idle")
	s.types(again.Terminal, "\x1b[A\x1b[A")
	s.shows(again, "> echo:before")
	s.types(again.Terminal, "\x1b[B\x1b[B\x12half")
	s.shows(again, "search: half")
	s.shows(again, "> echo:half a sentence")
	s.types(again.Terminal, "\r\x03\x03\x03")
}

// The screen follows the terminal's size, and long words wrap.
func TestChatResize(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	screen, _ := s.screen(80, 24, "chat")
	s.shows(screen, "idle")
	s.types(screen.Terminal, "echo:"+strings.Repeat("word ", 30)+"end\r")
	s.shows(screen, "tokens in")
	if err := screen.Resize(40, 12); err != nil {
		t.Fatal(err)
	}
	s.types(screen.Terminal, "still here")
	s.shows(screen, strings.Repeat("─", 39)+"\n> still here\n")
	if err := screen.Resize(100, 30); err != nil {
		t.Fatal(err)
	}
	s.shows(screen, strings.Repeat("─", 99)+"\n> still here\n")
	s.types(screen.Terminal, "\x03\x03\x03")
}
