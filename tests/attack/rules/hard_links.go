package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
)

// hardScenarios attack protected files by their other names.
var hardScenarios = []siege.Scenario{
	{Name: "protected files behind hard links", Real: true, Before: makeHardLinks, Attack: writeHardLinks},
}

// hardLinked are protected files, each with a second name in the project: link0, link1 and so on.
func hardLinked(s *siege.Siege) []string {
	return []string{s.Project(".claude/settings.json"), s.Project(".git/hooks/pre-push"), s.Project(".git/config"), filepath.Join(s.World.Home, ".ssh", "authorized_keys")}
}

func makeHardLinks(s *siege.Siege) {
	makeProject(s)
	for n, file := range hardLinked(s) {
		s.Write(file, "{\"old\": 1}\n")
		s.Must(os.Link(file, s.Project(fmt.Sprintf("link%d", n))), "link")
	}
}

// writeHardLinks has an agent that accepts edits write to files by their other names, which
// Claude Code does not ask about, and make such names.
func writeHardLinks(s *siege.Siege) {
	c := s.ConverseWith("a", &pb.StartConversation{SessionId: siege.NewSession(), WorkingDirectory: s.World.Project, PermissionMode: "acceptEdits"})
	e, _ := s.Wait(c, 0, isModeRequest)
	s.Held("the mode has to be confirmed, with the reason", strings.Contains(e.GetPermissionRequest().GetReason(), "another name"), "%q", e.GetPermissionRequest().GetReason())
	at := decide(s, c, 0, pb.PermissionDecision_DENY)
	link := func(n int) string { return s.Project(fmt.Sprintf("link%d", n)) }
	changed := func(file string) func() bool {
		return func() bool { return !s.Contains(file, "old") || s.Contains(file, "attack") }
	}
	for n, file := range hardLinked(s) {
		s.MustAsk(c, "a copy over another name of "+filepath.Base(file), "bash: cp plain.txt "+link(n), changed(file))
		s.MustAsk(c, "a redirection to another name of "+filepath.Base(file), "bash: echo attack > "+link(n), changed(file))
	}
	setMode(s, c, "acceptEdits")
	decide(s, c, at, pb.PermissionDecision_ALLOW_ONCE)

	// Confirmed: the tools for files put a new file in the place of the name.
	for n, file := range hardLinked(s) {
		s.RunTurn(c, "read: "+link(n))
		for _, tool := range []string{"edit", "write"} {
			message := map[string]string{"edit": "edit: " + link(n) + " old attack", "write": "write: " + link(n)}[tool]
			request, asked := s.Asked(c, message)
			if asked {
				s.Refuse(c, request.GetRequestId())
			}
			s.Held(tool+" by another name of "+filepath.Base(file), !changed(file)(), "it is changed (asked: %t)", asked)
			if !asked && !s.Contains(link(n), "attack") {
				s.Fail("%s did nothing", message)
			}
		}
		made := s.Project(fmt.Sprintf("made%d", n))
		for _, command := range []string{"ln %s %s", "cp -l %s %s", "cp --link %s %s", "cp -al %s %s", "mv %s %s"} {
			s.MustAsk(c, fmt.Sprintf(command, filepath.Base(file), "elsewhere"), "bash: "+fmt.Sprintf(command, file, made), func() bool { return s.Exists(made) })
		}
	}
}
