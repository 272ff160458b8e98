package protect

import (
	"path"
	"strings"

	"betcode/actors/internal/flags"
)

// reading are the commands of git that write no file of a working tree except git's own
// files below .git.
var reading = reasons(map[string]string{
	gits: "add annotate blame branch cat-file commit describe diff fetch for-each-ref grep help log ls-files ls-remote ls-tree merge-base name-rev " +
		"push reflog remote rev-list rev-parse shortlog show show-ref status tag version whatchanged",
})

// executing are settings of git whose values are run, or name files with such settings. A
// star stands for anything.
var executing = strings.Fields("core.hookspath core.fsmonitor core.sshcommand core.editor core.pager core.askpass core.gitproxy core.worktree " +
	"sequence.editor alias.* pager.* filter.* diff.*.command diff.*.textconv diff.external interactive.difffilter merge.*.driver mergetool.* difftool.* " +
	"credential.* gpg.program gpg.*.program include.path includeif.* init.templatedir remote.*.uploadpack remote.*.receivepack remote.*.vcs " +
	"uploadpack.packobjectshook submodule.*.update trailer.*.command browser.* man.* guitool.* instaweb.* sendemail.* imap.tunnel protocol.* web.browser tar.*.command")

// git handles a command of git: the working tree that it changes by name, and settings
// that would make it run commands.
func (s *shell) git(words []string, unread map[int]bool) {
	n, at := s.gitOptions(words, unread)
	if n >= len(words) {
		return
	}
	s.runsGit(at, quiet[words[n]] != "" && !unread[n])
	switch command := words[n]; {
	case unread[n]:
		s.ask("what git is to do is known only when it runs")
	case command == "config":
		s.config(words[n+1:], shifted(unread, n+1))
	case reading[command] != "":
		s.gitReads(command, words[n+1:])
	default:
		s.gitChanges(words, n, unread)
	}
}

// gitOptions judges the options in front of the command. It returns the place of the command, and the directory in which git runs.
func (s *shell) gitOptions(words []string, unread map[int]bool) (n int, at string) {
	n, at = 1, "."
	for ; n < len(words) && strings.HasPrefix(words[n], "-"); n++ {
		switch w := words[n]; {
		case w == "-c" || w == "--config-env" || strings.HasPrefix(w, "--config-env="):
			if _, value, found := strings.Cut(w, "="); found {
				s.setting(value, unread[n])
			} else if n++; n < len(words) {
				s.setting(words[n], unread[n])
			}
		case strings.HasPrefix(w, "--exec-path="):
			s.ask("git is told where its programs are")
		case strings.HasPrefix(w, "--git-dir="):
			s.runsGit(beside(at, strings.TrimPrefix(w, "--git-dir=")), false)
		case w == "-C" || w == "--git-dir" || w == "--work-tree" || w == "--namespace":
			if n++; n < len(words) && w == "--git-dir" {
				s.runsGit(beside(at, words[n]), false)
			}
			if n < len(words) && w == "-C" {
				at = beside(at, words[n])
				if s.dirs = append(s.dirs, absolute(words[n], s.dirs[0], s.home)); unread[n] {
					s.lost = true
				}
			}
		}
	}
	return n, at
}

// gitReads judges the words behind a command that only reads.
func (s *shell) gitReads(command string, words []string) {
	for i, w := range words {
		if strings.HasPrefix(w, "--ou") || strings.HasPrefix(w, "-o") { // git takes abbreviations
			s.generic(append([]string{"git", strings.TrimPrefix(w, "-o")}, words[i:min(i+2, len(words))]...))
		}
		if namesCommand(command, w) {
			s.ask("git is told what to run")
		}
	}
}

// gitChanges judges a command at a place and the words behind it.
func (s *shell) gitChanges(words []string, n int, unread map[int]bool) {
	command := words[n]
	s.generic(words[n:])
	for i := n + 1; i < len(words); i++ {
		w := words[i]
		if namesCommand(command, w) {
			s.ask("git is told what to run")
		}
		if text, given := settingOf(command, w); text != "" {
			s.setting(text, unread[i])
		} else if given && i+1 < len(words) {
			s.setting(words[i+1], unread[i+1])
		}
	}
}

// beside returns a path that is relative to a directory, unless it is absolute.
func beside(dir, to string) string {
	if path.IsAbs(to) || strings.HasPrefix(to, "~") {
		return to
	}
	return path.Join(dir, to)
}

// runsGit records that git runs in a directory, relative to the possible working directories.
func (s *shell) runsGit(dir string, quiet bool) {
	if len(s.gits) >= maxPaths {
		s.ask("the command runs git in more directories than are looked at")
		return
	}
	for _, at := range s.dirs {
		s.gits[GitRun{absolute(dir, at, s.home), quiet}] = true
	}
}

// namesCommand reports whether an option of a command of git, or the address of a
// repository, is or contains a program to run.
func namesCommand(command, word string) bool {
	switch {
	case flags.Abbreviates(word, "--template", "--exec", "--upload-pack", "--receive-pack", "--open-files-in-pager", "--extcmd"), strings.HasPrefix(word, "ext::"):
		return true
	case command == "rebase":
		return flags.Bundled(word, "x", "sXCS")
	case command == "clone":
		return flags.Bundled(word, "u", "bjoc")
	case command == "grep":
		return flags.Bundled(word, "O", "eABCfm")
	}
	return false
}

// settingOf recognises the option that gives a repository a setting. The setting is in the
// same word, or given is true and it is the next one.
func settingOf(command, word string) (text string, given bool) {
	switch {
	case word == "-c":
		return "", true
	case flags.Abbreviates(word, "--config"):
		_, text, _ = strings.Cut(word, "=")
		return text, true
	case command == "clone" && flags.Bundled(word, "c", "bjou"):
		return word[strings.IndexByte(word, 'c')+1:], true
	}
	return "", false
}

// setting asks about a setting of one command.
func (s *shell) setting(text string, unread bool) {
	key, _, _ := strings.Cut(text, "=")
	if unread && !strings.Contains(text, "=") || runsCommands(key) {
		s.ask("the setting " + key + " makes git run commands")
	}
}

// config asks about settings that make git run commands. Reading them needs no person.
func (s *shell) config(words []string, unread map[int]bool) {
	names := 0
	for n, w := range words {
		switch {
		case n == 0 && (w == "list" || w == "get" || w == "--list" || w == "-l" || strings.HasPrefix(w, "--get")):
			return
		case w == "edit" && n == 0 || w == "--edit" || w == "-e":
			s.ask("the settings of git can make it run commands")
		case (w == "--file" || w == "-f" || strings.HasPrefix(w, "--file=") || strings.HasPrefix(w, "-f")) && n+1 <= len(words):
			s.generic(words[max(n-1, 0):min(n+2, len(words))])
		}
		if unread[n] && names == 0 {
			s.ask("which setting of git is changed is known only when it runs")
		}
		if strings.Contains(w, ".") {
			if names++; runsCommands(w) && len(words) > 1 {
				s.ask("the setting " + w + " makes git run commands")
			}
		}
		if w == "rename-section" || w == "--rename-section" {
			s.ask("the settings of git can make it run commands")
		}
	}
}

// runsCommands reports whether the value of a setting is run.
func runsCommands(key string) bool {
	key = strings.ToLower(key)
	for _, pattern := range executing {
		head, tail, wild := strings.Cut(pattern, "*")
		if key == pattern || wild && strings.HasPrefix(key, head) && strings.HasSuffix(key, tail) {
			return true
		}
	}
	return false
}
