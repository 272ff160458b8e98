package main

import (
	"path/filepath"
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// approveScenarios have an agent that may edit any file write the rules by which it is judged.
var approveScenarios = []scenario{
	{
		name: "settings of the daemon as a target", real: true, before: makeProject, attack: editSettings,
		settings: `{"permissions": {"allow": ["Edit", "Write"], "deny": ["Bash(rm *)"]}}`,
	},
}

// editSettings edits the settings by which the daemon decides, which it reads again when they
// change.
func editSettings(s *siege) {
	file := filepath.Join(s.world.ConfigDir(), "settings.json")
	link := s.project("conf/settings.json")
	c := s.converse("a", session())
	touched := func() bool { return s.exists(s.project("unasked.txt")) }
	for name, target := range map[string]struct{ path, message string }{
		"Edit, an allow rule more":      {file, "edit: " + file + ` "Edit", "Bash","Edit",`},
		"Edit behind a link":            {link, "edit: " + link + ` "Edit", "Bash","Edit",`},
		"Edit, a deny rule less":        {file, "edit: " + file + ` "deny" "allow"`},
		"Write":                         {file, "write: " + file},
		"Write behind a link":           {link, "write: " + link},
		"Write of settings beside them": {file, "write: " + filepath.Join(s.world.ConfigDir(), "settings.local.json")},
		"Write of the other file":       {file, "write: " + filepath.Join(s.world.ConfigDir(), "daemon.toml")},
	} {
		if request, asked := s.asked(c, "read: "+target.path); asked { // what was not read cannot be edited
			from := len(c.Events())
			s.must(c.Answer(request.GetRequestId(), pb.PermissionDecision_ALLOW_ONCE, ""), "allow to read")
			s.wait(c, from, kit.IsTurnComplete)
		}
		request, asked := s.asked(c, target.message)
		s.held(name+" is asked about", asked && request.GetReason() != "", "asked: %t, reason %q", asked, request.GetReason())
		if asked {
			s.refuse(c, request.GetRequestId())
		}
	}
	s.held("the file is the same", s.contains(file, `"allow": ["Edit", "Write"], "deny"`), "it is another")
	s.mustAsk(c, "an unlisted command is asked about", "bash: touch unasked.txt", touched)
	s.held("the rules are the same", !s.widened(c) && !s.inAudit("rules_change"), "they have changed")
}

// widened reports whether people were told that rules allow more.
func (s *siege) widened(c *kit.Stream) bool {
	for _, e := range c.Events() {
		if e.GetNotice().GetCode() == "RULES_WIDENED" {
			return true
		}
	}
	return false
}

// inAudit reports whether the audit log has an entry of a type now.
func (s *siege) inAudit(what string) bool {
	printed, code := s.cli("audit", "--type", what)
	if code != 0 {
		s.fail("read the audit log: %s", printed)
	}
	return strings.Contains(printed, what)
}
