package main

import (
	"os"
	"path/filepath"
	"strings"
)

// nestedScenarios attack what docs/security.md says of directories below that of a session.
var nestedScenarios = []scenario{
	{name: "trust: skills below the directory", real: true, before: nestedSkills, attack: attackNested},
	{name: "trust: a directory below with everything", real: true, before: nestedEverything, attack: attackBelow},
}

// nest makes a directory with a file to read, and a skill that runs a shell command.
func (s *siege) nest(directory, skill string) {
	s.write(filepath.Join(directory, "a.txt"), "one\n")
	s.write(filepath.Join(directory, ".claude/skills", skill, "SKILL.md"), s.slashCommand("ran-"+skill))
}

// nestedSkills is a repository with a skill of its own, and one in a directory below.
func nestedSkills(s *siege) {
	s.git(filepath.Dir(s.world.Project), "init", "-q", s.world.Project)
	s.write(s.project(".claude/skills/own/SKILL.md"), s.slashCommand("ran-own"))
	s.nest(s.project("sub"), "below")
	s.nest(filepath.Join(s.world.Home, "plain/sub"), "plain")
}

// attackNested has the agent load skills from below its directory, which it does when it
// reads a file there.
func attackNested(s *siege) {
	id := session()
	c := s.in(s.world.Project, id)
	s.turn(c, "read: "+s.project("sub/a.txt"))
	s.turn(c, "/below")
	s.held("a skill below an untrusted directory does not run", !s.exists(s.project("ran-below")), "it ran")
	plain := s.in(filepath.Join(s.world.Home, "plain"), session())
	s.turn(plain, "read: "+filepath.Join(s.world.Home, "plain/sub/a.txt"))
	s.turn(plain, "/plain")
	s.held("nor one below a directory with nothing", !s.exists(filepath.Join(s.world.Home, "plain/ran-plain")), "it ran")

	printed, code := s.cli("trust", "--yes", s.world.Project)
	s.held("betcode trust shows what is below", code == 0 && strings.Contains(printed, "skill below runs touch ran-below"), "exit %d: %s", code, printed)
	s.turn(c, "read: "+s.project("sub/a.txt"))
	s.turn(c, "/below")
	s.held("the attack works when it is trusted", s.exists(s.project("ran-below")), "it does not")

	s.nest(s.project("other/deep"), "late")
	s.turn(c, "read: "+s.project("other/deep/a.txt"))
	s.turn(c, "/late")
	s.held("a skill that appears below a trusted directory does not run", !s.exists(s.project("ran-late")), "it ran")
	s.held("the session is restricted", s.restricted(id), "it is not")
	printed, code = s.cli("trust", "--yes", s.world.Project)
	s.held("the difference is shown", code == 0 && strings.Contains(printed, "+ shell    skill late runs touch ran-late"), "exit %d: %s", code, printed)
	s.turn(c, "read: "+s.project("other/deep/a.txt"))
	s.turn(c, "/late")
	s.held("it runs when it is trusted", s.exists(s.project("ran-late")), "it does not")

	s.write(s.project("sub/.claude/skills/below/SKILL.md"), s.slashCommand("ran-changed"))
	s.turn(c, "/below")
	s.held("a changed one does not", !s.exists(s.project("ran-changed")), "it ran")
}

// nestedEverything is a trusted repository with a directory below that has whatever an
// agent obeys in its own.
func nestedEverything(s *siege) {
	s.must(os.MkdirAll(s.mark(""), 0o700), "make a directory")
	s.git(filepath.Dir(s.world.Project), "init", "-q", s.world.Project)
	s.write(s.project(".claude/commands/own.md"), s.slashCommand("ran-own"))
	s.write(s.project("sub/a.txt"), "one\n")
	s.write(s.project("sub/.mcp.json"), s.server("server"))
	s.write(s.project("sub/.claude/.mcp.json"), s.server("inner-server"))
	s.write(s.project("sub/.claude/settings.json"), s.hooks("hook"))
	s.write(s.project("sub/.claude/settings.local.json"), s.hooks("local-hook"))
	s.write(s.project("sub/.claude/commands/command.md"), s.slashCommand("ran-command"))
	s.write(s.project("sub/.claude/agents/helper.md"), "---\nname: helper\ndescription: x\n---\nx\n")
	for _, plugin := range []string{"sub", "sub/plugin", "sub/.claude/plugins/plugin", "sub/.claude/skills/plugin", "plugin"} {
		s.write(s.project(plugin+"/.claude-plugin/plugin.json"), `{"name": "plugin", "version": "1.0.0"}`)
		s.write(s.project(plugin+"/hooks/hooks.json"), s.hooks("plugin-hook"))
		s.write(s.project(plugin+"/.lsp.json"), `{"x": {"command": "touch", "args": ["`+s.mark("language-server")+`"], "extensionToLanguage": {".txt": "text"}}}`)
		s.write(s.project(plugin+"/commands/plugged.md"), s.slashCommand("ran-plugged"))
	}
}

// attackBelow shows that the agent takes nothing else from below its directory.
func attackBelow(s *siege) {
	printed, code := s.cli("trust", "--yes", s.world.Project)
	if code != 0 {
		s.fail("trust: %s", printed)
	}
	c := s.in(s.world.Project, session())
	s.turn(c, "/own")
	s.held("the directory is trusted", s.exists(s.project("ran-own")), "its command does not run")
	for _, text := range []string{"read: " + s.project("sub/a.txt"), "bash: cd sub && ls", "bash: cd sub", "bash: ls", "/command", "/plugged", "/plugin:plugged", "/sub:command"} {
		s.turn(c, text)
	}
	s.held("no hook runs and no server starts", len(s.marks()) == 0, "marks %v", s.marks())
	for _, name := range []string{"ran-command", "ran-plugged", "sub/ran-command", "sub/ran-plugged"} {
		s.held(name+" is not there", !s.exists(s.project(name)), "it ran")
	}
}
