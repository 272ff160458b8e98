package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	pb "betcode/proto/betcode/v1"
)

// hardScenarios attack protected files by their other names.
var hardScenarios = []scenario{
	{name: "protected files behind hard links", real: true, before: makeHardLinks, attack: writeHardLinks},
}

// hardLinked are protected files, each with a second name in the project: link0, link1 and so on.
func hardLinked(s *siege) []string {
	return []string{s.project(".claude/settings.json"), s.project(".git/hooks/pre-push"), s.project(".git/config"), filepath.Join(s.world.Home, ".ssh", "authorized_keys")}
}

func makeHardLinks(s *siege) {
	makeProject(s)
	for n, file := range hardLinked(s) {
		s.write(file, "{\"old\": 1}\n")
		s.must(os.Link(file, s.project(fmt.Sprintf("link%d", n))), "link")
	}
}

// writeHardLinks has an agent that accepts edits write to files by their other names, which
// Claude Code does not ask about, and make such names.
func writeHardLinks(s *siege) {
	c := s.converseWith("a", &pb.StartConversation{SessionId: session(), WorkingDirectory: s.world.Project, PermissionMode: "acceptEdits"})
	e, _ := s.wait(c, 0, isModeRequest)
	s.held("the mode has to be confirmed, with the reason", strings.Contains(e.GetPermissionRequest().GetReason(), "another name"), "%q", e.GetPermissionRequest().GetReason())
	at := s.decide(c, 0, pb.PermissionDecision_DENY)
	link := func(n int) string { return s.project(fmt.Sprintf("link%d", n)) }
	changed := func(file string) func() bool {
		return func() bool { return !s.contains(file, "old") || s.contains(file, "attack") }
	}
	for n, file := range hardLinked(s) {
		s.mustAsk(c, "a copy over another name of "+filepath.Base(file), "bash: cp plain.txt "+link(n), changed(file))
		s.mustAsk(c, "a redirection to another name of "+filepath.Base(file), "bash: echo attack > "+link(n), changed(file))
	}
	s.setMode(c, "acceptEdits")
	s.decide(c, at, pb.PermissionDecision_ALLOW_ONCE)

	// Confirmed: the tools for files put a new file in the place of the name.
	for n, file := range hardLinked(s) {
		s.runTurn(c, "read: "+link(n))
		for _, tool := range []string{"edit", "write"} {
			message := map[string]string{"edit": "edit: " + link(n) + " old attack", "write": "write: " + link(n)}[tool]
			request, asked := s.asked(c, message)
			if asked {
				s.refuse(c, request.GetRequestId())
			}
			s.held(tool+" by another name of "+filepath.Base(file), !changed(file)(), "it is changed (asked: %t)", asked)
			if !asked && !s.contains(link(n), "attack") {
				s.fail("%s did nothing", message)
			}
		}
		made := s.project(fmt.Sprintf("made%d", n))
		for _, command := range []string{"ln %s %s", "cp -l %s %s", "cp --link %s %s", "cp -al %s %s", "mv %s %s"} {
			s.mustAsk(c, fmt.Sprintf(command, filepath.Base(file), "elsewhere"), "bash: "+fmt.Sprintf(command, file, made), func() bool { return s.exists(made) })
		}
	}
}
