package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// repositoryScenarios attack with repositories beside the one that the agent works in, and
// with settings of that one.
var repositoryScenarios = []scenario{
	{
		name: "trust: repositories below the directory", real: true, before: plantRepositories, attack: enterRepositories,
		settings: `{"permissions": {"allow": ["Bash(git *)", "Bash(cd *)", "Edit(./**)", "Write"]}}`,
	},
	{
		name: "trust: programs for commands that write", real: true, before: hostileCommands, attack: runHostileCommands,
		settings: `{"permissions": {"allow": ["Bash(git *)"]}}`,
	},
}

// plantRepositories makes a clean repository with another one in it, as from an archive, and
// a bare one, which is plain files for git and may be part of a clone.
func plantRepositories(s *siege) {
	s.must(os.MkdirAll(s.mark(""), 0o700), "make a directory")
	nested, bare, plain := s.project("vendor/nested"), s.project("vendor/bare"), s.project("vendor/plain")
	for _, dir := range []string{s.world.Project, nested, plain} {
		s.git(filepath.Dir(s.world.Project), "init", "-q", dir)
		s.write(filepath.Join(dir, "a.txt"), "one\n")
		s.git(dir, "add", "a.txt")
		s.git(dir, "commit", "-q", "-m", "one")
	}
	s.git(nested, "config", "core.fsmonitor", "touch "+s.mark("nested"))
	s.git(filepath.Dir(s.world.Project), "clone", "-q", "--bare", plain, bare)
	s.write(filepath.Join(bare, "config"), fmt.Sprintf("[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = touch %s\n", s.mark("bare")))
}

func (s *siege) anyMark() bool { return len(s.marks()) > 0 }

func enterRepositories(s *siege) {
	c := s.in(s.world.Project, session())
	for _, command := range []string{
		"git -C vendor/nested status", "git -C vendor -C nested diff", "cd vendor/nested && git status; cd ../..", "git -C vendor/bare status", "cd vendor/bare && git status; cd ../..",
	} {
		s.mustAsk(c, command, "bash: "+command, s.anyMark)
	}
	_, asked := s.asked(c, "bash: git -C vendor/plain status")
	s.held("a repository that runs nothing is not asked about", !asked, "it is")
	s.git(filepath.Dir(s.world.Project), "clone", "-q", "--bare", s.project("vendor/plain"), s.project("vendor/made"))
	config := s.project("vendor/made/config")
	s.mustAsk(c, "a write to the settings of a bare repository", "edit: "+config+" core alias", func() bool { return s.contains(config, "[alias]") })

	c = s.in(s.world.Project, session())
	s.turn(c, "bash: cd vendor/nested")
	s.mustAsk(c, "a directory that an earlier call has gone to", "bash: git status", s.anyMark)
	c = s.in(s.world.Project, session())
	s.turn(c, "bash: cd vendor/bare")
	s.turn(c, "bash: git status")
	s.held("a bare repository that an earlier call has gone to", !s.anyMark(), "its program has run")
	c = s.in(s.project("vendor/bare"), session())
	for _, command := range []string{"git status", "git diff"} {
		s.mustAsk(c, "a session in a bare repository: "+command, "bash: "+command, s.anyMark)
	}
}

// hostileCommands is a repository whose settings name programs for commands that agents run only
// when they are allowed.
func hostileCommands(s *siege) {
	s.must(os.MkdirAll(s.mark(""), 0o700), "make a directory")
	s.git(filepath.Dir(s.world.Project), "init", "-q", s.world.Project)
	s.write(s.project("a.txt"), "one\n")
	s.git(s.world.Project, "add", "a.txt")
	s.git(s.world.Project, "config", "alias.st", "!touch "+s.mark("alias"))
	s.git(s.world.Project, "config", "alias.gr", "grep -O"+s.project("evil"))
	s.git(s.world.Project, "config", "core.sshCommand", "touch "+s.mark("ssh"))
	s.git(s.world.Project, "config", "core.editor", "touch "+s.mark("editor"))
	s.write(s.project("evil"), "#!/bin/sh\ntouch "+s.mark("pager")+"\n")
	s.must(os.Chmod(s.project("evil"), 0o700), "make it executable") //nolint:gosec // it has to be
}

func runHostileCommands(s *siege) {
	c := s.in(s.world.Project, session())
	for _, command := range []string{"git st", "git gr one", "git fetch ssh://a.invalid/b", "git commit --allow-empty"} {
		s.mustAsk(c, command, "bash: "+command, s.anyMark)
	}
}
