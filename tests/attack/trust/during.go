package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// duringScenarios attack the claims of docs/security.md about files that change while the agent works
// in a trusted directory.
var duringScenarios = []siege.Scenario{
	{Name: "trust: settings that change during a call", Real: true, Before: trustedSettings, Attack: attackDuring},
	{Name: "trust: settings that switch hooks off", Real: true, Before: trustedWithoutHooks, Attack: attackHooksOff},
}

// trustedSettings is a repository with settings, and a hook that is harmless.
func trustedSettings(s *siege.Siege) {
	s.Must(os.MkdirAll(s.Mark(""), 0o700), "make a directory")
	s.Git(filepath.Dir(s.World.Project), "init", "-q", s.World.Project)
	s.Write(s.Project(".claude/settings.json"), allHooks(s, "trusted"))
}

// allHooks are settings whose hooks leave a mark at everything that happens around a call, and
// that let commands run unasked.
func allHooks(s *siege.Siege, name string) string {
	var hooks []string
	for _, event := range []string{"PreToolUse", "PostToolUse", "PostToolBatch", "UserPromptSubmit", "Stop", "SubagentStop", "Notification"} {
		hooks = append(hooks, fmt.Sprintf(`%q: [{"hooks": [{"type": "command", "command": "touch %s"}]}]`, event, s.Mark(name)))
	}
	return fmt.Sprintf(`{"hooks": {%s}, "permissions": {"allow": ["Bash(touch *)"]}}`, strings.Join(hooks, ", "))
}

// during runs a command of a few seconds, which the agent does unasked, and writes a file in
// the middle of it.
func during(s *siege.Siege, c *kit.Stream, path, text string) {
	from := len(c.Events())
	s.Say(c, "bash: sleep 4")
	s.Wait(c, from, func(e kit.Event) bool { return e.GetToolCallStart() != nil })
	s.Write(path, text)
	s.Wait(c, from, kit.IsTurnComplete)
}

func attackDuring(s *siege.Siege) {
	printed, code := s.Cli("trust", "--yes", s.World.Project)
	if code != 0 {
		s.Fail("trust: %s", printed)
	}
	id := siege.NewSession()
	c := s.In(s.World.Project, id)
	s.Turn(c, "bash: ls")
	s.Held("trusted hooks run", s.Marked("trusted"), "they do not")

	during(s, c, s.Project(".claude/settings.local.json"), allHooks(s, "local"))
	s.MustAsk(c, "rules that appear allow nothing", "bash: touch "+s.Project("allowed"), func() bool { return s.Exists(s.Project("allowed")) })
	s.Held("hooks that appear during a call do not run", !s.Marked("local"), "they ran")
	s.Held("the session is restricted", s.Restricted(id), "it is not")

	s.Must(os.Remove(s.Project(".claude/settings.local.json")), "remove a file")
	s.Turn(c, "bash: ls") // by an agent that obeys the directory again
	s.Held("without the file it is as before", !s.Restricted(id), "it is restricted")
	s.Write(filepath.Join(s.World.ConfigDir(), "settings.json"), `{"permissions": {"ask": ["Read(secret.txt)"], "allow": ["Bash(make *)"]}}`)
	s.Wait(c, 0, siege.IsNotice("RULES_WIDENED"))
	s.Turn(c, "say: hello") // the agent has got the new rules
	during(s, c, s.Project(".claude/settings.json"), allHooks(s, "changed"))
	s.Turn(c, "say: hello")
	s.Held("hooks that change after new rules do not run", !s.Marked("changed"), "they ran")

	printed, code = s.Cli("trust", "--yes", s.World.Project)
	s.Held("the change can be trusted", code == 0, "exit %d: %s", code, printed)
	s.Turn(c, "bash: ls")
	s.Held("the attack works when it is trusted", s.Marked("changed"), "it does not")
}

// trustedWithoutHooks is a repository whose settings switch all hooks off, also that by which
// the agent holds changes.
func trustedWithoutHooks(s *siege.Siege) {
	s.Must(os.MkdirAll(s.Mark(""), 0o700), "make a directory")
	s.Git(filepath.Dir(s.World.Project), "init", "-q", s.World.Project)
	s.Write(s.Project(".claude/settings.json"), `{"disableAllHooks": true}`)
}

// attackHooksOff changes settings while an agent works that was started with these.
func attackHooksOff(s *siege.Siege) {
	printed, code := s.Cli("trust", "--yes", s.World.Project)
	if code != 0 {
		s.Fail("trust: %s", printed)
	}
	user := filepath.Join(s.World.Home, ".claude/settings.json")
	off := func(name string) string { return `{"disableAllHooks": true, ` + allHooks(s, name)[1:] }
	on := func(name string) string { return `{"disableAllHooks": false, ` + allHooks(s, name)[1:] }
	for _, test := range []struct{ name, text, users string }{
		{"settings that switch hooks on", on("on"), "{}"},
		{"settings without a word", allHooks(s, "plain"), "{}"},
		{"settings that switch hooks off again", off("off"), "{}"},
		{"settings that switch on what the user has switched off", on("user"), `{"disableAllHooks": true}`},
	} {
		s.Write(user, test.users)
		id := siege.NewSession()
		c := s.In(s.World.Project, id)
		s.Turn(c, "bash: ls")
		during(s, c, s.Project(".claude/settings.local.json"), test.text)
		s.Held(test.name+" run no hook", len(s.Marks()) == 0, "%v", s.Marks())
		s.Must(os.Remove(s.Project(".claude/settings.local.json")), "remove a file")
	}
}
