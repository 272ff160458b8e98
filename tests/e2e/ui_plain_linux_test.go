package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// Without a terminal the screen refuses, and its plain form prints lines.
func TestScreenWithoutATerminal(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.named("resting", "echo:a finished answer")
	s.cli(5, "ui")
	if out := s.cli(0, "ui", "--plain"); !strings.Contains(out, "1 idle") {
		t.Errorf("printed:\n%s", out)
	}
}

// The plain screen is lines and words: each change is a line, a request is answered by a letter and Enter, and nothing moves the
// cursor or draws a box.
func TestScreenPlain(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.named("resting", "echo:a finished answer")
	screen, cmd := s.terminal(s.world.Binary, "ui", "--plain")
	s.awaits(screen, "1 idle.")
	s.awaits(screen, "1. resting: idle")
	id := s.named("asking", "run:touch made")
	s.awaits(screen, "2. asking: needs you: touch made")
	s.types(screen, "next\r")
	s.awaits(screen, "expires in")
	s.awaits(screen, "y = yes, a = yes for the whole session")
	s.eventually("the answer is taken", func() bool {
		pause(t)
		s.types(screen, "y")
		pause(t)
		s.types(screen, "\r")
		pause(t)
		return s.exists("made")
	})
	s.types(screen, "/back\r")
	s.awaits(screen, "Back in the list.")
	s.awaits(screen, "2. asking: idle")
	s.types(screen, "stop 2\r")
	s.awaits(screen, "done: stop "+id[:8])
	s.types(screen, "quit\r")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	shown := screen.Screen()
	if i := drawing.FindStringIndex(shown); i != nil {
		t.Errorf("%q is drawn in %q", shown[i[0]:i[1]], shown)
	}
}

// drawing matches output that a screen reader cannot use: control sequences other than colours and paste marks, a cursor that
// moves back, and boxes.
var drawing = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Zacdfgijknopqrstuvwxyz]|\x1b[^\\[]|[\u2500-\u259f]|\r[^\r\n]")

// hostile are texts that a terminal obeys or a person does not see, and how each is shown.
var hostile = []struct{ text, shown string }{
	{"\x1b]52;c;aGFoYQ==\x07\x1b[?1049l", `\x1b]52;c;aGFoYQ==\x07\x1b[?1049l`},
	{"\x1b]8;;http://e\x07\x1b]0;owned\x07", `\x1b]8;;http://e\x07\x1b]0;owned\x07`},
	{"\x1bP+q544e\u009c\u009b2J", `\x1bP+q544e\u009c\u009b2J`},
	{"\u202eevil\u202ca\u200bb", `\u202eevil\u202ca\u200bb`},
}

// Names and texts of agents, clients, sessions and files cannot control the terminal: they are shown escaped. A paste that
// contains its own end mark sends nothing.
func TestScreenShowsEscapes(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.create("f\x1b[31mile")
	ids := map[string]string{} // ids of sessions by their hostile part
	for _, h := range hostile {
		id := session()
		c := s.converseWith("web", &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project})
		s.say(c, "echo:said "+h.text+"\nrun:printf %s 'printed "+h.text+"'")
		s.wait(c, 0, kit.IsPermission)
		c.Close()
		ids[h.text] = id
	}
	screen, _ := s.screen(120, 40, "ui")
	s.shows(screen, fmt.Sprintf("%d need you", len(hostile)))
	for _, h := range hostile {
		s.shows(screen, "printf %s 'printed "+h.shown)
	}
	for _, h := range hostile {
		s.types(screen.Terminal, ":open "+ids[h.text]+"\r")
		s.shows(screen, "\nsaid "+h.shown)
		s.shows(screen, "│   printf %s 'printed "+h.shown+"'")
		s.presses(screen, "y allow once", "y")
		s.shows(screen, "    printed "+h.shown)
		s.shows(screen, "idle ·")
		s.types(screen.Terminal, "\x1b")
		s.shows(screen, "? help")
	}
	s.types(screen.Terminal, "1")
	s.shows(screen, "Esc ‹ echo:said")
	s.types(screen.Terminal, "@f")
	s.shows(screen, `@f\x1b[31mile`)
	s.types(screen.Terminal, "\x15"+pasted("echo:pasted\x1b[201~\r"))
	s.shows(screen, "> echo:pasted\n")
	printed := screen.Screen()
	for _, sequence := range []string{"\x1b]52", "\x1b[?1049l", "\x1b]8", "\x1b]0;owned", "\x1bP+q", "\u009b", "\u202e", "\u200b", "\x1b[31mile"} {
		if strings.Contains(printed, sequence) {
			t.Errorf("the terminal got %q", sequence)
		}
	}
	list, err := s.daemon.Agents().ListSessions(t.Context(), &pb.ListSessionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list.GetSessions() {
		if strings.Contains(one.GetLastMessagePreview(), "pasted") {
			t.Errorf("the paste was sent to %s", one.GetId())
		}
	}
}
