package commands

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"betcode/tests/attack/siege"
)

// stray are programs that commands and the daemon start by name.
var stray = []string{"git", "claude", "systemctl", "loginctl", "journalctl", "sh", "bash", "notify-send", "tput", "less", "vi", "ssh", "node", "fakeagent", "betcode"}

// attackRelativePath has a search path with relative and empty entries, and a repository with programs of the names that are looked for.
func attackRelativePath(s *siege.Siege) {
	s.Must(os.MkdirAll(s.Mark(""), 0o700), "make a directory")
	for _, directory := range []string{"", "bin"} {
		for _, name := range stray {
			program := filepath.Join(s.World.Project, directory, name)
			s.Write(program, "#!/bin/sh\n: >>"+s.Mark(name)+"\nexit 1\n")
			s.Must(os.Chmod(program, 0o700), "make a program")
		}
	}
	c := s.Converse("person", siege.NewSession())
	s.RunTurn(c, "echo:hello")
	for _, args := range [][]string{
		{"doctor"},
		{"doctor", "--fix"},
		{"init", "--yes"},
		{"service", "status"},
		{"service", "install", "--dry-run"},
		{"import", "--dry-run"},
		{"health"},
		{"trust", "--yes", s.World.Project},
		{"repo", "add", s.World.Project},
		{"worktree", "create", "--create-branch", "kept"},
		{"worktree", "list"},
		{"digest"},
		{"session", "list"},
		{"daemon", "status"},
		{"run", "echo:hello"},
		{"__complete", "session", "show", ""},
	} {
		printed, _, ended := ends(s, args...)
		ran := slices.DeleteFunc(slices.Clone(stray), func(name string) bool { return !s.Marked(name) })
		s.Held(strings.Join(args[:min(len(args), 2)], " ")+" runs no program of the repository", ended && len(ran) == 0, "%v ran: %s", ran, printed)
	}
}
