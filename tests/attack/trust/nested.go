package trust

import (
	"os"
	"path/filepath"
	"strings"

	"betcode/tests/attack/siege"
)

// nestedScenarios attack the claims of docs/security.md about directories below that of a session.
var nestedScenarios = []siege.Scenario{
	{Name: "trust: skills below the directory", Real: true, Before: nestedSkills, Attack: attackNested},
	{Name: "trust: a directory below with everything", Real: true, Before: nestedEverything, Attack: attackBelow},
}

// nest creates a directory with a file to read, and a skill that runs a shell command.
func nest(s *siege.Siege, directory, skill string) {
	s.Write(filepath.Join(directory, "a.txt"), "one\n")
	s.Write(filepath.Join(directory, ".claude/skills", skill, "SKILL.md"), slashCommand(s, "ran-"+skill))
}

// nestedSkills is a repository with a skill of its own, and one in a directory below.
func nestedSkills(s *siege.Siege) {
	s.Git(filepath.Dir(s.World.Project), "init", "-q", s.World.Project)
	s.Write(s.Project(".claude/skills/own/SKILL.md"), slashCommand(s, "ran-own"))
	nest(s, s.Project("sub"), "below")
	nest(s, filepath.Join(s.World.Home, "plain/sub"), "plain")
}

// attackNested has the agent load skills from below its directory, which it does when it
// reads a file there.
func attackNested(s *siege.Siege) {
	id := siege.NewSession()
	c := s.In(s.World.Project, id)
	s.Turn(c, "read: "+s.Project("sub/a.txt"))
	s.Turn(c, "/below")
	s.Held("a skill below an untrusted directory does not run", !s.Exists(s.Project("ran-below")), "it ran")
	plain := s.In(filepath.Join(s.World.Home, "plain"), siege.NewSession())
	s.Turn(plain, "read: "+filepath.Join(s.World.Home, "plain/sub/a.txt"))
	s.Turn(plain, "/plain")
	s.Held("nor one below a directory with nothing", !s.Exists(filepath.Join(s.World.Home, "plain/ran-plain")), "it ran")

	printed, code := s.Cli("trust", "--yes", s.World.Project)
	s.Held("betcode trust shows what is below", code == 0 && strings.Contains(printed, "skill below runs touch ran-below"), "exit %d: %s", code, printed)
	s.Turn(c, "read: "+s.Project("sub/a.txt"))
	s.Turn(c, "/below")
	s.Held("the attack works when it is trusted", s.Exists(s.Project("ran-below")), "it does not")

	nest(s, s.Project("other/deep"), "late")
	s.Turn(c, "read: "+s.Project("other/deep/a.txt"))
	s.Turn(c, "/late")
	s.Held("a skill that appears below a trusted directory does not run", !s.Exists(s.Project("ran-late")), "it ran")
	s.Held("the session is restricted", s.Restricted(id), "it is not")
	printed, code = s.Cli("trust", "--yes", s.World.Project)
	s.Held("the difference is shown", code == 0 && strings.Contains(printed, "+ shell    skill late runs touch ran-late"), "exit %d: %s", code, printed)
	s.Turn(c, "read: "+s.Project("other/deep/a.txt"))
	s.Turn(c, "/late")
	s.Held("it runs when it is trusted", s.Exists(s.Project("ran-late")), "it does not")

	s.Write(s.Project("sub/.claude/skills/below/SKILL.md"), slashCommand(s, "ran-changed"))
	s.Turn(c, "/below")
	s.Held("a changed one does not", !s.Exists(s.Project("ran-changed")), "it ran")
}

// nestedEverything is a trusted repository with a directory below that has whatever an
// agent obeys in its own.
func nestedEverything(s *siege.Siege) {
	s.Must(os.MkdirAll(s.Mark(""), 0o700), "make a directory")
	s.Git(filepath.Dir(s.World.Project), "init", "-q", s.World.Project)
	s.Write(s.Project(".claude/commands/own.md"), slashCommand(s, "ran-own"))
	s.Write(s.Project("sub/a.txt"), "one\n")
	s.Write(s.Project("sub/.mcp.json"), s.Server("server"))
	s.Write(s.Project("sub/.claude/.mcp.json"), s.Server("inner-server"))
	s.Write(s.Project("sub/.claude/settings.json"), s.Hooks("hook"))
	s.Write(s.Project("sub/.claude/settings.local.json"), s.Hooks("local-hook"))
	s.Write(s.Project("sub/.claude/commands/command.md"), slashCommand(s, "ran-command"))
	s.Write(s.Project("sub/.claude/agents/helper.md"), "---\nname: helper\ndescription: x\n---\nx\n")
	for _, plugin := range []string{"sub", "sub/plugin", "sub/.claude/plugins/plugin", "sub/.claude/skills/plugin", "plugin"} {
		s.Write(s.Project(plugin+"/.claude-plugin/plugin.json"), `{"name": "plugin", "version": "1.0.0"}`)
		s.Write(s.Project(plugin+"/hooks/hooks.json"), s.Hooks("plugin-hook"))
		s.Write(s.Project(plugin+"/.lsp.json"), `{"x": {"command": "touch", "args": ["`+s.Mark("language-server")+`"], "extensionToLanguage": {".txt": "text"}}}`)
		s.Write(s.Project(plugin+"/commands/plugged.md"), slashCommand(s, "ran-plugged"))
	}
}

// attackBelow shows that the agent takes nothing else from below its directory.
func attackBelow(s *siege.Siege) {
	printed, code := s.Cli("trust", "--yes", s.World.Project)
	if code != 0 {
		s.Fail("trust: %s", printed)
	}
	c := s.In(s.World.Project, siege.NewSession())
	s.Turn(c, "/own")
	s.Held("the directory is trusted", s.Exists(s.Project("ran-own")), "its command does not run")
	for _, text := range []string{"read: " + s.Project("sub/a.txt"), "bash: cd sub && ls", "bash: cd sub", "bash: ls", "/command", "/plugged", "/plugin:plugged", "/sub:command"} {
		s.Turn(c, text)
	}
	s.Held("no hook runs and no server starts", len(s.Marks()) == 0, "marks %v", s.Marks())
	for _, name := range []string{"ran-command", "ran-plugged", "sub/ran-command", "sub/ran-plugged"} {
		s.Held(name+" is not there", !s.Exists(s.Project(name)), "it ran")
	}
}
