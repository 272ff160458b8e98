package e2e

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

var update = flag.Bool("update", false, "write the golden screens")

// changing are the parts of a screen that differ from run to run.
var changing = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(` *\b(\d+[smh] ago|now)\b`), " N ago"},
	{regexp.MustCompile(`lock: \S+`), "lock: CLIENT"},
	{regexp.MustCompile(`/tmp/bc\d+`), "/tmp/bc"},
	{regexp.MustCompile(`/tmp/bc/\S*…`), "/tmp/bc/…"},
	{regexp.MustCompile(`, \d+\.\ds`), ""},
	{regexp.MustCompile(`(trying again).*`), "$1"},
	{regexp.MustCompile(`working (\d+m )?\d+s`), "working 0s"},
	{regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`), "ID"},
}

// golden compares a screen with its file, without what changes. It waits until they are the same.
func (s *story) golden(t *kit.Screen, name string) {
	s.Helper()
	path := filepath.Join("testdata", "screens", name+".txt")
	settled := func(shown string) string {
		for _, c := range changing {
			shown = c.what.ReplaceAllString(shown, c.with)
		}
		return shown + "\n"
	}
	if *update {
		for last := ""; last != t.Shown(); time.Sleep(time.Second) { // until nothing changes any more
			last = t.Shown()
		}
		if err := os.WriteFile(path, []byte(settled(t.Shown())), 0o600); err != nil {
			s.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		s.Fatal(err)
	}
	if err := t.Until("it is "+path+":\n"+string(want), func(shown string) bool { return settled(shown) == string(want) }); err != nil {
		s.Error(err)
	}
}

// named begins a session with a name and a prompt.
func (s *story) named(name, prompt string) string {
	s.Helper()
	id := session()
	c := s.converseWith(name, &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project, Name: name})
	s.say(c, prompt)
	s.wait(c, 0, func(e kit.Event) bool { return e.GetUserInput() != nil })
	switch {
	case strings.HasPrefix(prompt, "run:"), strings.HasPrefix(prompt, "subagent"):
		s.wait(c, 0, func(e kit.Event) bool { return e.GetPermissionRequest() != nil })
	case strings.HasPrefix(prompt, "echo:"):
		s.wait(c, 0, kit.IsIdle)
	}
	c.Close() // it gives the input lock back
	return id
}

// The screen shows what needs a person first. n opens it, the request is answered, and Esc leads back. The view stays when the
// daemon restarts.
func TestScreen(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.named("resting", "echo:a finished answer")
	s.named("asking", "run:touch made")
	s.named("busy", "gate:go")
	screen, cmd := s.screen(80, 24)
	s.shows(screen, "1 need you · 1 working · 1 idle")
	s.golden(screen, "list")
	s.types(screen.Terminal, "/rest")
	s.shows(screen, "› 1 resting")
	s.types(screen.Terminal, "\x1b")
	s.shows(screen, "WORKING")

	s.types(screen.Terminal, "n")
	s.shows(screen, "? allow Bash")
	s.shows(screen, "y allow once")
	s.golden(screen, "request")
	s.killDaemon()
	s.eventually("the answer is taken", func() bool {
		pause(t)
		s.types(screen.Terminal, "y")
		pause(t)
		return s.exists("made")
	})
	s.shows(screen, "asking")
	s.shows(screen, "idle")
	s.types(screen.Terminal, "\x1b")
	s.shows(screen, "WORKING")

	if err := screen.Resize(50, 12); err != nil {
		t.Fatal(err)
	}
	s.shows(screen, strings.Repeat("─", 49)+"\n")
	s.types(screen.Terminal, "?")
	s.shows(screen, "In the list")
	s.types(screen.Terminal, "?q")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	s.create("go")
}

// A draft of one session is not in the way of another, and several are open at once.
func TestScreenSeveralSessions(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.named("first", "echo:one")
	s.named("second", "echo:two")
	screen, _ := s.screen(80, 24, "ui")
	s.shows(screen, "2 idle")
	s.types(screen.Terminal, ":open first\r")
	s.shows(screen, "\none\n")
	s.types(screen.Terminal, "echo:half a")
	s.shows(screen, "> echo:half a")
	s.types(screen.Terminal, "\x15")
	s.types(screen.Terminal, "echo:three\r")
	s.shows(screen, "\nthree\n")
	s.types(screen.Terminal, "\x1b")
	s.shows(screen, "2 idle")
	s.types(screen.Terminal, ":open second\rquick") // text that is typed before the session is open is for the session
	s.shows(screen, "\ntwo\n")
	s.shows(screen, "> quick\n")
	s.types(screen.Terminal, "\x15")
	s.shows(screen, ">\n")
	s.types(screen.Terminal, "\x1b")
	s.shows(screen, "2 idle")
	s.types(screen.Terminal, "c")
	s.shows(screen, "Esc ‹")
	s.types(screen.Terminal, "echo:new one\r")
	s.shows(screen, "\nnew one\n")
	s.types(screen.Terminal, "\x1b")
	s.shows(screen, "3 idle")
	s.types(screen.Terminal, "q")
}

// A plan is a document. It can be changed, sent back with words, and approved so that its edits need no further answers.
func TestScreenPlan(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := s.named("planning", "plan:# The plan, 1. look at *everything*")
	screen, _ := s.screen(80, 24, "ui")
	s.shows(screen, "1 need you")
	s.types(screen.Terminal, "n")
	s.shows(screen, "the agent has a plan")
	s.shows(screen, "a approve and accept edits")
	s.golden(screen, "plan")
	s.eventually("the answer is taken", func() bool {
		pause(t)
		s.types(screen.Terminal, "a")
		pause(t)
		return !strings.Contains(screen.Shown(), "approve and accept edits")
	})
	s.eventually("the session accepts edits", func() bool {
		r, err := s.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: id})
		return err == nil && r.GetPermissionMode() == "acceptEdits"
	})
}

// The plans of orchestrations are a graph: the newest first, and a step opens its session.
func TestScreenPlans(t *testing.T) {
	t.Parallel()
	s := newPlanStory(t)
	s.write("plan.yaml", "name: release\nsteps:\n  - {id: build, prompt: 'gate:never'}\n  - {id: lint, prompt: 'echo:clean'}\n"+
		"  - {id: test, prompt: 'echo:x', depends_on: [build]}\n  - {id: ship, prompt: 'echo:y', depends_on: [test, lint]}\n")
	s.cli(0, "orchestrate", "run", "--session", s.parent, "--detach", s.file("plan.yaml"))
	screen, _ := s.screen(80, 24, "ui")
	s.shows(screen, "project") // the list is read
	s.types(screen.Terminal, "p")
	s.shows(screen, "1 of 4 completed")
	s.shows(screen, "▶ build running")
	s.golden(screen, "plans")
	s.types(screen.Terminal, "j\r")
	s.shows(screen, "> gate:never")
	s.types(screen.Terminal, "\x1b")
	s.shows(screen, "build running")
	s.types(screen.Terminal, "\x1b")
	s.shows(screen, "· live")
}
