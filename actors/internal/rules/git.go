package rules

import (
	"regexp"
	"strings"

	"betcode/actors/internal/flags"
)

// gitRuns returns why a call of git may run another command. The words follow "git".
func gitRuns(words []string) string {
	for n := 0; n < len(words); n++ {
		w := words[n]
		switch {
		case w == "-c" || w == "--config-env":
			if n++; n == len(words) || !harmlessKey(words[n]) {
				return "`git " + w + "` may define an alias or name a program"
			}
		case w == "-C" || w == "--work-tree" || w == "--namespace":
			n++
		case harmlessGit[w] || strings.HasPrefix(w, "--work-tree=") || strings.HasPrefix(w, "--namespace="):
		case strings.HasPrefix(w, "-"): // --git-dir too, since settings there name programs
			return "an option of `git` may name a program"
		default:
			return gitCommandRuns(w, words[n+1:])
		}
	}
	return ""
}

// harmlessGit are options in front of a command of git that name no program and take no
// word behind them.
var harmlessGit = set("-p", "--paginate", "-P", "--no-pager", "--no-replace-objects", "--no-lazy-fetch", "--no-optional-locks", "--no-advice", "--bare",
	"--literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs", "--icase-pathspecs", "-v", "--version", "-h", "--help", "--html-path", "--man-path",
	"--info-path", "--exec-path")

func gitCommandRuns(command string, words []string) string {
	const why = "`git` runs commands that are named by its arguments"
	has := func(prefixes ...string) bool {
		return anyWord(words, func(w string) bool {
			for _, p := range prefixes {
				if strings.HasPrefix(w, p) {
					return true
				}
			}
			return false
		})
	}
	hasLetter := func(letters, valued string) bool {
		return anyWord(words, func(w string) bool { return flags.Bundled(w, letters, valued) })
	}
	switch {
	case strings.Contains(command, "/"): // git evil/x runs git-evil/x
		return why
	case merges[command] && strategyFile(words):
		return why
	case remotes[command] && anyWord(words, func(w string) bool { return remoteHelper.MatchString(w) }):
		return why
	}
	switch command {
	case "submodule":
		if has("foreach", hole, names) {
			return why
		}
	case "bisect":
		if has("run", "visualize", "view", hole, names) {
			return why
		}
	case "rebase":
		if has("--exec", hole, names) || hasLetter("x", "sXCS") {
			return why
		}
	case "filter-branch", "difftool", "mergetool", "send-email", "instaweb", "daemon", "shell", "cvsserver", "remote-ext", "web--browse", "for-each-repo", "merge-index",
		"submodule--helper":
		return why
	case "grep":
		if has("--open-files-in-pager") || hasLetter("O", "eABCfm") {
			return why
		}
	case "config":
		if len(words) > 0 && !harmlessConfig(words) {
			return "`git config` may define an alias or name a program"
		}
	case "clone", "fetch", "pull", "ls-remote", "push", "archive", "fetch-pack", "send-pack":
		if has("--upload-pack", "--receive-pack", "--exec", "-c", "--config", "ext::", "--template") || command != "push" && has("-u") {
			return why
		}
		if command == "clone" && (anyWord(words, abbreviatesClone) || hasLetter("uc", "bjo")) {
			return why
		}
	case "init", "init-db":
		if anyWord(words, abbreviatesClone) {
			return why
		}
	}
	return ""
}

// remotes are commands of git that take addresses of repositories.
var remotes = set("clone", "fetch", "pull", "push", "ls-remote", "archive", "remote", "submodule", "fetch-pack", "send-pack", "bundle", "config")

// remoteHelper finds addresses that name the program by which git reaches them: x::y is read by git-remote-x.
var remoteHelper = regexp.MustCompile(`^(--[a-z-]+=)?[A-Za-z][A-Za-z0-9+.-]*::`)

// merges are commands of git that take a merge strategy.
var merges = set("merge", "rebase", "pull", "cherry-pick", "revert", "am", "stash")

// strategyFile reports whether the name of a merge strategy is that of a file: rebase -s ./x runs git-merge-./x.
func strategyFile(words []string) bool {
	file := func(value string) bool { return strings.Contains(value, "/") || open(value) }
	for n, w := range words {
		option, value, joined := strings.Cut(w, "=")
		switch {
		case joined && flags.Abbreviates(option, "--strategy") && file(value),
			!strings.HasPrefix(w, "--") && strings.HasPrefix(w, "-s") && file(w[2:]),
			(w == "-s" || !joined && flags.Abbreviates(w, "--strategy")) && n+1 < len(words) && file(words[n+1]):
			return true
		}
	}
	return false
}

// abbreviatesClone recognises options of git clone and git init that bring along settings or
// hooks.
func abbreviatesClone(w string) bool {
	return flags.Abbreviates(w, "--template", "--config")
}

// harmlessConfig reports whether a call of git config reads, or changes a setting that
// names no program.
func harmlessConfig(words []string) bool {
	reads := func(w string) bool {
		return w == "--list" || w == "-l" || w == "--get" || w == "--get-all" || w == "--get-regexp" || w == "--get-urlmatch"
	}
	if reads(words[0]) {
		return true
	}
	for n := 0; n < len(words); n++ {
		switch w := words[n]; {
		case reads(w):
			return true
		case w == "-f" || w == "--file":
			n++
		case configOptions[w] || strings.HasPrefix(w, "--file=") || strings.HasPrefix(w, "--type="):
		case w == "get" || w == "list":
			return true
		case w == "set" || w == "unset":
		default:
			return harmlessKey(w)
		}
	}
	return false
}

// configOptions are options of git config that take no word behind them.
var configOptions = set("--global", "--local", "--system", "--worktree", "--add", "--unset", "--unset-all", "--replace-all", "--bool", "--int", "--bool-or-int",
	"--path", "-z", "--null", "--show-origin", "--show-scope", "--name-only", "--includes", "--fixed-value", "--all")

// harmlessKey reports whether a setting of git names no program.
func harmlessKey(setting string) bool {
	key, _, _ := strings.Cut(strings.ToLower(setting), "=")
	for _, p := range []string{
		"user.name", "user.email", "color.", "advice.", "core.autocrlf", "core.quotepath", "core.longpaths", "core.filemode", "init.defaultbranch",
		"commit.gpgsign", "tag.gpgsign", "log.", "pull.rebase", "pull.ff", "push.default", "merge.conflictstyle", "rerere.", "fetch.prune", "gc.auto", "http.postbuffer",
		"safe.directory", "diff.renames", "diff.noprefix", "column.", "status.",
	} {
		if key == p || strings.HasSuffix(p, ".") && strings.HasPrefix(key, p) && len(key) > len(p) {
			return true
		}
	}
	return false
}
