package rules

import (
	"path/filepath"
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// approveScenarios: an agent that may edit any file writes the rules that decide about its calls.
var approveScenarios = []siege.Scenario{
	{
		Name: "settings of the daemon as a target", Real: true, Before: makeProject, Attack: editSettings,
		Settings: `{"permissions": {"allow": ["Edit", "Write"], "deny": ["Bash(rm *)"]}}`,
	},
}

// editSettings edits the settings by which the daemon decides, which it reads again when they
// change.
func editSettings(s *siege.Siege) {
	file := filepath.Join(s.World.ConfigDir(), "settings.json")
	link := s.Project("conf/settings.json")
	c := s.Converse("a", siege.NewSession())
	touched := func() bool { return s.Exists(s.Project("unasked.txt")) }
	for name, target := range map[string]struct{ path, message string }{
		"Edit, an allow rule more":      {file, "edit: " + file + ` "Edit", "Bash","Edit",`},
		"Edit behind a link":            {link, "edit: " + link + ` "Edit", "Bash","Edit",`},
		"Edit, a deny rule less":        {file, "edit: " + file + ` "deny" "allow"`},
		"Write":                         {file, "write: " + file},
		"Write behind a link":           {link, "write: " + link},
		"Write of settings beside them": {file, "write: " + filepath.Join(s.World.ConfigDir(), "settings.local.json")},
		"Write of the other file":       {file, "write: " + filepath.Join(s.World.ConfigDir(), "daemon.toml")},
	} {
		if request, asked := s.Asked(c, "read: "+target.path); asked { // the agent edits only files that it has read
			from := len(c.Events())
			s.Must(c.Answer(request.GetRequestId(), pb.PermissionDecision_ALLOW_ONCE, ""), "allow to read")
			s.Wait(c, from, kit.IsTurnComplete)
		}
		request, asked := s.Asked(c, target.message)
		s.Held(name+" is asked about", asked && request.GetReason() != "", "asked: %t, reason %q", asked, request.GetReason())
		if asked {
			s.Refuse(c, request.GetRequestId())
		}
	}
	s.Held("the file is the same", s.Contains(file, `"allow": ["Edit", "Write"], "deny"`), "it is another")
	s.MustAsk(c, "an unlisted command is asked about", "bash: touch unasked.txt", touched)
	s.Held("the rules are the same", !widened(s, c) && !inAudit(s, "rules_change"), "they have changed")
}

// widened reports whether clients got the notice that rules allow more.
func widened(s *siege.Siege, c *kit.Stream) bool {
	for _, e := range c.Events() {
		if e.GetNotice().GetCode() == "RULES_WIDENED" {
			return true
		}
	}
	return false
}

// inAudit reports whether the audit log has an entry of a type now.
func inAudit(s *siege.Siege, what string) bool {
	printed, code := s.Cli("audit", "--type", what)
	if code != 0 {
		s.Fail("read the audit log: %s", printed)
	}
	return strings.Contains(printed, what)
}
