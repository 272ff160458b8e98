package rules

import (
	"regexp"
	"slices"
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
	runs := gitRunners[command]
	switch {
	case strings.Contains(command, "/"), gitPrograms[command]: // git evil/x runs git-evil/x
		return why
	case merges[command] && strategyFile(words):
		return why
	case remotes[command] && anyWord(words, func(w string) bool { return remoteHelper.MatchString(w) }):
		return why
	case runs != nil && anyWord(words, runs):
		return why
	case command == "config" && len(words) > 0 && !harmlessConfig(words):
		return "`git config` may define an alias or name a program"
	}
	return ""
}

// gitPrograms are commands of git that always run programs.
var gitPrograms = set("filter-branch", "difftool", "mergetool", "send-email", "instaweb", "daemon", "shell", "cvsserver", "remote-ext", "web--browse", "for-each-repo",
	"merge-index", "submodule--helper")

// gitRunners report for a command of git whether a word behind it names a command to run.
var gitRunners = map[string]func(word string) bool{
	"submodule":  beginsWith("foreach", hole, names),
	"bisect":     beginsWith("run", "visualize", "view", hole, names),
	"rebase":     either(beginsWith("--exec", hole, names), bundles("x", "sXCS")),
	"grep":       either(beginsWith("--open-files-in-pager"), bundles("O", "eABCfm")),
	"clone":      either(namesRemoteProgram, abbreviatesClone, bundles("uc", "bjo")),
	"fetch":      namesRemoteProgram,
	"pull":       namesRemoteProgram,
	"ls-remote":  namesRemoteProgram,
	"archive":    namesRemoteProgram,
	"fetch-pack": namesRemoteProgram,
	"send-pack":  namesRemoteProgram,
	"push":       namesTransport, // its -u names no program
	"init":       abbreviatesClone,
	"init-db":    abbreviatesClone,
}

var (
	namesTransport     = beginsWith("--upload-pack", "--receive-pack", "--exec", "-c", "--config", "ext::", "--template")
	namesRemoteProgram = either(namesTransport, beginsWith("-u"))
)

// beginsWith recognises words that begin with one of the texts.
func beginsWith(texts ...string) func(word string) bool {
	return func(word string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.HasPrefix(word, text) })
	}
}

// bundles recognises options with one of the letters; see [flags.Bundled].
func bundles(letters, valued string) func(word string) bool {
	return func(word string) bool { return flags.Bundled(word, letters, valued) }
}

// either recognises words that one of the functions recognises.
func either(recognise ...func(word string) bool) func(word string) bool {
	return func(word string) bool {
		return slices.ContainsFunc(recognise, func(is func(string) bool) bool { return is(word) })
	}
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
