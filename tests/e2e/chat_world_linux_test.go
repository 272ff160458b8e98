package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// screen starts a command of the world on a terminal that is drawn.
func (s *story) screen(columns, rows int, args ...string) (*kit.Screen, *exec.Cmd) {
	s.Helper()
	return s.screenOf(columns, rows, exec.Command(s.world.Binary, args...))
}

// screenOf starts a program on a terminal that is drawn, with the environment of the world before its own.
func (s *story) screenOf(columns, rows int, cmd *exec.Cmd) (*kit.Screen, *exec.Cmd) {
	s.Helper()
	t, err := kit.OpenScreen(columns, rows)
	if errors.Is(err, kit.ErrNoTerminal) {
		s.Skip(err)
	}
	if err != nil {
		s.Fatal(err)
	}
	cmd.Env, cmd.Dir = slices.Concat(s.world.Environ(), []string{"TERM=xterm-256color", "USER=" + userAt(t.Terminal)}, cmd.Env), s.world.Project
	s.begins(t, cmd)
	return t, cmd
}

// userAt returns a name for the user of a terminal with which the client's name, user@host pts/N, has the same width on every
// machine and terminal: lines that show it wrap at the same word.
func userAt(t *kit.Terminal) string {
	const width = 24
	host, _ := os.Hostname() // without it the user is named alone
	return strings.Repeat("u", max(width-len("@"+host+" "+t.Name()), 1))
}

// shows waits for a text on a screen.
func (s *story) shows(t *kit.Screen, text string) {
	s.Helper()
	if err := t.Shows(text); err != nil {
		s.Fatal(err)
	}
}

// stored waits until typed text is in the file of a draft. A process that is killed as soon as its screen shows the text may not
// have written its last key yet.
func (s *story) stored(text string) {
	s.Helper()
	s.eventually("a draft has "+text, func() bool {
		files, _ := filepath.Glob(filepath.Join(s.world.StateDir(), "*", "drafts", "*", "*.json"))
		return slices.ContainsFunc(files, func(file string) bool {
			raw, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(raw), text)
		})
	})
}

// pasted marks text as terminals do.
func pasted(text string) string { return "\x1b[200~" + text + "\x1b[201~" }

// messages waits until a session has so many messages of users, and returns them.
func (s *story) messages(id string, n int) (texts []string) {
	s.Helper()
	c := s.converseWith("listener", &pb.StartConversation{SessionId: id, History: pb.HistoryPolicy_HISTORY_POLICY_FULL, Observer: true})
	defer c.Close()
	for at := 0; len(texts) < n; {
		var e kit.Event
		e, at = s.wait(c, at, func(e kit.Event) bool { return e.GetUserInput() != nil })
		texts = append(texts, e.GetUserInput().GetContent())
	}
	return texts
}

// pause is a person's pause. An answer needs silence before it, and so does an Enter that sends; a test of an answer presses again
// until it was long enough.
func pause(t *testing.T) {
	t.Helper()
	time.Sleep(600 * time.Millisecond)
}
