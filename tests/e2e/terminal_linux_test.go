package e2e

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// terminal starts a command of the world on a terminal of its own.
func (s *story) terminal(name string, args ...string) (*kit.Terminal, *exec.Cmd) {
	s.Helper()
	t, err := kit.OpenTerminal()
	if errors.Is(err, kit.ErrNoTerminal) {
		s.Skip(err)
	}
	if err != nil {
		s.Fatal(err)
	}
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = append(s.world.Environ(), "TERM=xterm"), s.world.Project
	s.begins(t, cmd)
	return t, cmd
}

// onTerminal is a terminal of a story.
type onTerminal interface {
	Start(cmd *exec.Cmd) error
	Close() error
}

// begins starts a command on a terminal. Both end with the story.
func (s *story) begins(t onTerminal, cmd *exec.Cmd) {
	s.Helper()
	if err := t.Start(cmd); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended, unless the test failed
		_ = cmd.Wait()
		if err := t.Close(); err != nil {
			s.Error(err)
		}
	})
}

// awaits waits for a text on a terminal's screen.
func (s *story) awaits(t *kit.Terminal, text string) {
	s.Helper()
	if err := t.Awaits(text); err != nil {
		s.Fatal(err)
	}
}

// types types on a terminal.
func (s *story) types(t *kit.Terminal, text string) {
	s.Helper()
	if err := t.Types(text); err != nil {
		s.Fatal(err)
	}
}

// A run in the background of a shell neither stops at the terminal (SIGTTIN, SIGTTOU) nor
// reads from it: its session is made and its answer printed.
func TestRunInTheBackground(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no shell with job control")
	}
	s := newStory(t, binaries.fake)
	screen, _ := s.terminal("bash", "--norc", "--noprofile", "-c",
		`set -m; stty tostop; "$0" run echo:the-answer & wait $!; echo "ended with $?"`, s.world.Binary)
	s.awaits(screen, "ended with ")
	if shown := screen.Screen(); !strings.Contains(shown, "ended with 0") || !strings.Contains(shown, "the-answer") {
		t.Errorf("on the screen:\n%s", shown)
	}
	if list := s.cli(0, "session", "list"); !strings.Contains(list, "the-answer") {
		t.Errorf("no session was made:\n%s", list)
	}
}

// A pasted line approves no tool, whether the terminal marks pasted text or not. A typed word does.
func TestPastedLineApprovesNothing(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	screen, _ := s.terminal(s.world.Binary, "chat", "--plain")
	s.awaits(screen, "session ")
	s.types(screen, "run:touch made\n")
	s.awaits(screen, "expires in ") // the question is on the screen
	for i, pasted := range []string{"y\n", "a\n", "\x1b[200~y\n\x1b[201~\n"} {
		s.types(screen, pasted)
		s.eventually("the paste is refused", func() bool { return strings.Count(screen.Screen(), "Not taken as an answer") > i })
	}
	id := s.lastID()
	view, err := s.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: id})
	if err != nil || s.exists("made") || view.GetSummary().GetStatus() == "idle" {
		t.Errorf("the tool ran, or the turn is over: %v, %v", view, err)
	}
	s.types(screen, "/allow\n")
	s.waitFile("made")
	s.types(screen, "/quit\n")
}

// A line above the 4 095 bytes of a terminal's line buffer arrives whole, typed and from a pipe. A
// line above the limit of a message is refused as a whole.
func TestLongLinesArriveWhole(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	screen, _ := s.terminal(s.world.Binary, "chat", "--plain")
	s.awaits(screen, "session ")
	long := strings.Repeat("0123456789", 2000)
	s.types(screen, "echo:typed-"+long+"\n")
	s.awaitMessage(s.waitForSession(), "echo:typed-"+long)
	s.types(screen, "/quit\n")

	pipe := exec.Command(s.world.Binary, "chat")
	pipe.Env, pipe.Dir = s.world.Environ(), s.world.Project
	pipe.Stdin = strings.NewReader("echo:" + strings.Repeat("x", 4<<20) + "\necho:piped-" + long + "\n")
	said, err := pipe.CombinedOutput()
	if err != nil || !strings.Contains(string(said), "Not sent: the line has more than") {
		t.Errorf("%v: %.1000s", err, said)
	}
	s.awaitMessage(s.lastID(), "echo:piped-"+long)
}

// waitForSession waits until there is one session and returns its id.
func (s *story) waitForSession() (id string) {
	s.Helper()
	s.eventually("a session", func() bool {
		list, err := s.daemon.Agents().ListSessions(s.Context(), &pb.ListSessionsRequest{})
		if err != nil || len(list.GetSessions()) != 1 {
			return false
		}
		id = list.GetSessions()[0].GetId()
		return true
	})
	return id
}

// awaitMessage waits until the history of a session has a user message with exactly this text.
func (s *story) awaitMessage(id, text string) {
	s.Helper()
	c := s.converseWith("listener", &pb.StartConversation{SessionId: id, History: pb.HistoryPolicy_HISTORY_POLICY_FULL, Observer: true})
	got, _ := s.wait(c, 0, func(e kit.Event) bool { return e.GetUserInput() != nil })
	if content := got.GetUserInput().GetContent(); content != text {
		s.Errorf("%d bytes arrived, %d were sent: %.40q…", len(content), len(text), content)
	}
	c.Close()
}
