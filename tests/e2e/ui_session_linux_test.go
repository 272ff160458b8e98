package e2e

import (
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// A session's view: Markdown, code, the folded output of a tool, other clients and the holder of
// the lock. Ctrl-T unfolds, PgUp scrolls, and the terminal rings when the agent waits and is not in
// focus.
func TestScreenSession(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converseWith("web", &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project, Name: "talk"})
	defer c.Close()
	s.say(c, "echo:# Title\n\nSome **bold** words, and a list:\n\n- one\n- two\n\n```go\nfunc main() {}\n```\nrun:seq 1 30\ngate:go\nrun:touch made")
	asked, next := s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	screen, _ := s.screen(80, 36, "ui")
	s.shows(screen, "1 working")
	s.types(screen.Terminal, "1")
	s.shows(screen, "… 24 more lines")
	s.shows(screen, "with web")
	s.golden(screen, "session")
	s.types(screen.Terminal, "\x14")
	s.shows(screen, "    30")
	s.types(screen.Terminal, "\x1b[5~")
	s.shows(screen, "rows below · PgDn")
	s.types(screen.Terminal, "\x14\x1b[6~\x1b[6~")
	s.shows(screen, "… 24 more lines")
	bells := strings.Count(screen.Screen(), "\a")
	s.types(screen.Terminal, "\x1b[O") // the terminal lost the focus
	s.types(screen.Terminal, "\x1b[5~")
	s.shows(screen, "rows below")
	s.types(screen.Terminal, "\x1b[6~\x1b[6~")
	s.create("go")
	asked, _ = s.wait(c, next, kit.IsPermission)
	s.shows(screen, "│   touch made")
	s.eventually("the bell rings", func() bool { return strings.Count(screen.Screen(), "\a") > bells })
	s.answer(c, asked, pb.PermissionDecision_DENY, "no")
	s.shows(screen, "idle ·")
	s.types(screen.Terminal, "mine\r")
	s.shows(screen, "web holds the input lock")
	s.shows(screen, "> mine\n") // back in the editor
	s.types(screen.Terminal, "\x15\x1b")
	s.shows(screen, "1 idle")
	s.types(screen.Terminal, "q")
}
