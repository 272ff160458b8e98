package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"betcode/tests/kit"
)

// duringScenarios attack what docs/security.md says of files that change while the agent works
// in a trusted directory.
var duringScenarios = []scenario{
	{name: "trust: settings that change during a call", real: true, before: trustedSettings, attack: attackDuring},
	{name: "trust: settings that switch hooks off", real: true, before: trustedWithoutHooks, attack: attackHooksOff},
}

// trustedSettings is a repository with settings, and a hook that is harmless.
func trustedSettings(s *siege) {
	s.must(os.MkdirAll(s.mark(""), 0o700), "make a directory")
	s.git(filepath.Dir(s.world.Project), "init", "-q", s.world.Project)
	s.write(s.project(".claude/settings.json"), s.allHooks("trusted"))
}

// allHooks are settings whose hooks leave a mark at everything that happens around a call, and
// that let commands run unasked.
func (s *siege) allHooks(name string) string {
	var hooks []string
	for _, event := range []string{"PreToolUse", "PostToolUse", "PostToolBatch", "UserPromptSubmit", "Stop", "SubagentStop", "Notification"} {
		hooks = append(hooks, fmt.Sprintf(`%q: [{"hooks": [{"type": "command", "command": "touch %s"}]}]`, event, s.mark(name)))
	}
	return fmt.Sprintf(`{"hooks": {%s}, "permissions": {"allow": ["Bash(touch *)"]}}`, strings.Join(hooks, ", "))
}

// during runs a command of a few seconds, which the agent does unasked, and writes a file in
// the middle of it.
func (s *siege) during(c *kit.Stream, path, text string) {
	from := len(c.Events())
	s.say(c, "bash: sleep 4")
	s.wait(c, from, func(e kit.Event) bool { return e.GetToolCallStart() != nil })
	s.write(path, text)
	s.wait(c, from, kit.IsTurnComplete)
}

func attackDuring(s *siege) {
	printed, code := s.cli("trust", "--yes", s.world.Project)
	if code != 0 {
		s.fail("trust: %s", printed)
	}
	id := session()
	c := s.in(s.world.Project, id)
	s.turn(c, "bash: ls")
	s.held("trusted hooks run", s.marked("trusted"), "they do not")

	s.during(c, s.project(".claude/settings.local.json"), s.allHooks("local"))
	s.mustAsk(c, "rules that appear allow nothing", "bash: touch "+s.project("allowed"), func() bool { return s.exists(s.project("allowed")) })
	s.held("hooks that appear during a call do not run", !s.marked("local"), "they ran")
	s.held("the session is restricted", s.restricted(id), "it is not")

	s.must(os.Remove(s.project(".claude/settings.local.json")), "remove a file")
	s.turn(c, "bash: ls") // by an agent that obeys the directory again
	s.held("without the file it is as before", !s.restricted(id), "it is restricted")
	s.write(filepath.Join(s.world.ConfigDir(), "settings.json"), `{"permissions": {"ask": ["Read(secret.txt)"], "allow": ["Bash(make *)"]}}`)
	s.wait(c, 0, isNotice("RULES_WIDENED"))
	s.turn(c, "say: hello") // the agent has got the new rules
	s.during(c, s.project(".claude/settings.json"), s.allHooks("changed"))
	s.turn(c, "say: hello")
	s.held("hooks that change after new rules do not run", !s.marked("changed"), "they ran")

	printed, code = s.cli("trust", "--yes", s.world.Project)
	s.held("the change can be trusted", code == 0, "exit %d: %s", code, printed)
	s.turn(c, "bash: ls")
	s.held("the attack works when it is trusted", s.marked("changed"), "it does not")
}

// trustedWithoutHooks is a repository whose settings switch all hooks off, also that by which
// the agent holds changes.
func trustedWithoutHooks(s *siege) {
	s.must(os.MkdirAll(s.mark(""), 0o700), "make a directory")
	s.git(filepath.Dir(s.world.Project), "init", "-q", s.world.Project)
	s.write(s.project(".claude/settings.json"), `{"disableAllHooks": true}`)
}

// attackHooksOff changes settings while an agent works that was started with these.
func attackHooksOff(s *siege) {
	printed, code := s.cli("trust", "--yes", s.world.Project)
	if code != 0 {
		s.fail("trust: %s", printed)
	}
	user := filepath.Join(s.world.Home, ".claude/settings.json")
	off := func(name string) string { return `{"disableAllHooks": true, ` + s.allHooks(name)[1:] }
	on := func(name string) string { return `{"disableAllHooks": false, ` + s.allHooks(name)[1:] }
	for _, test := range []struct{ name, text, users string }{
		{"settings that switch hooks on", on("on"), "{}"},
		{"settings without a word", s.allHooks("plain"), "{}"},
		{"settings that switch hooks off again", off("off"), "{}"},
		{"settings that switch on what the user has switched off", on("user"), `{"disableAllHooks": true}`},
	} {
		s.write(user, test.users)
		id := session()
		c := s.in(s.world.Project, id)
		s.turn(c, "bash: ls")
		s.during(c, s.project(".claude/settings.local.json"), test.text)
		s.held(test.name+" run no hook", len(s.marks()) == 0, "%v", s.marks())
		s.must(os.Remove(s.project(".claude/settings.local.json")), "remove a file")
	}
}
