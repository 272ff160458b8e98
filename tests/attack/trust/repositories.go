package trust

import (
	"fmt"
	"os"
	"path/filepath"

	"betcode/tests/attack/siege"
)

// repositoryScenarios attack with repositories beside the one that the agent works in, and
// with settings of that one.
var repositoryScenarios = []siege.Scenario{
	{
		Name: "trust: repositories below the directory", Real: true, Before: plantRepositories, Attack: enterRepositories,
		Settings: `{"permissions": {"allow": ["Bash(git *)", "Bash(cd *)", "Edit(./**)", "Write"]}}`,
	},
	{
		Name: "trust: programs for commands that write", Real: true, Before: hostileCommands, Attack: runHostileCommands,
		Settings: `{"permissions": {"allow": ["Bash(git *)"]}}`,
	},
}

// plantRepositories creates a clean repository with another one in it, as from an archive, and a
// bare one, which is plain files for git and may be part of a clone.
func plantRepositories(s *siege.Siege) {
	s.Must(os.MkdirAll(s.Mark(""), 0o700), "make a directory")
	nested, bare, plain := s.Project("vendor/nested"), s.Project("vendor/bare"), s.Project("vendor/plain")
	for _, dir := range []string{s.World.Project, nested, plain} {
		s.Git(filepath.Dir(s.World.Project), "init", "-q", dir)
		s.Write(filepath.Join(dir, "a.txt"), "one\n")
		s.Git(dir, "add", "a.txt")
		s.Git(dir, "commit", "-q", "-m", "one")
	}
	s.Git(nested, "config", "core.fsmonitor", "touch "+s.Mark("nested"))
	s.Git(filepath.Dir(s.World.Project), "clone", "-q", "--bare", plain, bare)
	s.Write(filepath.Join(bare, "config"), fmt.Sprintf("[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = touch %s\n", s.Mark("bare")))
}

func enterRepositories(s *siege.Siege) {
	c := s.In(s.World.Project, siege.NewSession())
	for _, command := range []string{
		"git -C vendor/nested status", "git -C vendor -C nested diff", "cd vendor/nested && git status; cd ../..", "git -C vendor/bare status", "cd vendor/bare && git status; cd ../..",
	} {
		s.MustAsk(c, command, "bash: "+command, s.AnyMark)
	}
	_, asked := s.Asked(c, "bash: git -C vendor/plain status")
	s.Held("a repository that runs nothing is not asked about", !asked, "it is")
	s.Git(filepath.Dir(s.World.Project), "clone", "-q", "--bare", s.Project("vendor/plain"), s.Project("vendor/made"))
	config := s.Project("vendor/made/config")
	s.MustAsk(c, "a write to the settings of a bare repository", "edit: "+config+" core alias", func() bool { return s.Contains(config, "[alias]") })

	c = s.In(s.World.Project, siege.NewSession())
	s.Turn(c, "bash: cd vendor/nested")
	s.MustAsk(c, "a directory that an earlier call has gone to", "bash: git status", s.AnyMark)
	c = s.In(s.World.Project, siege.NewSession())
	s.Turn(c, "bash: cd vendor/bare")
	s.Turn(c, "bash: git status")
	s.Held("a bare repository that an earlier call has gone to", !s.AnyMark(), "its program has run")
	c = s.In(s.Project("vendor/bare"), siege.NewSession())
	for _, command := range []string{"git status", "git diff"} {
		s.MustAsk(c, "a session in a bare repository: "+command, "bash: "+command, s.AnyMark)
	}
}

// hostileCommands is a repository whose settings name programs for commands that agents run only
// when they are allowed.
func hostileCommands(s *siege.Siege) {
	s.Must(os.MkdirAll(s.Mark(""), 0o700), "make a directory")
	s.Git(filepath.Dir(s.World.Project), "init", "-q", s.World.Project)
	s.Write(s.Project("a.txt"), "one\n")
	s.Git(s.World.Project, "add", "a.txt")
	s.Git(s.World.Project, "config", "alias.st", "!touch "+s.Mark("alias"))
	s.Git(s.World.Project, "config", "alias.gr", "grep -O"+s.Project("evil"))
	s.Git(s.World.Project, "config", "core.sshCommand", "touch "+s.Mark("ssh"))
	s.Git(s.World.Project, "config", "core.editor", "touch "+s.Mark("editor"))
	s.Write(s.Project("evil"), "#!/bin/sh\ntouch "+s.Mark("pager")+"\n")
	s.Must(os.Chmod(s.Project("evil"), 0o700), "make it executable") //nolint:gosec // it has to be
}

func runHostileCommands(s *siege.Siege) {
	c := s.In(s.World.Project, siege.NewSession())
	for _, command := range []string{"git st", "git gr one", "git fetch ssh://a.invalid/b", "git commit --allow-empty"} {
		s.MustAsk(c, command, "bash: "+command, s.AnyMark)
	}
}
