package rules

import "strings"

// gitRuns says why a call of git may run another command. The words follow "git".
func gitRuns(words []string) string {
	for n := 0; n < len(words); n++ {
		w := words[n]
		switch {
		case w == "-c" || w == "--config-env":
			if n++; n == len(words) || !harmlessKey(words[n]) {
				return "`git " + w + "` may define an alias or name a program"
			}
		case strings.HasPrefix(w, "-c") && !strings.HasPrefix(w, "-C"), strings.HasPrefix(w, "--config-env"), strings.HasPrefix(w, "--exec-path="), open(w) && strings.HasPrefix(w, "-"):
			return "an option of `git` may name a program"
		case w == "-C" || w == "--git-dir" || w == "--work-tree" || w == "--namespace":
			n++
		case strings.HasPrefix(w, "-"):
		default:
			return gitCommandRuns(w, words[n+1:])
		}
	}
	return ""
}

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
	switch command {
	case "submodule":
		if has("foreach", hole, names) {
			return why
		}
	case "bisect":
		if has("run", hole, names) {
			return why
		}
	case "rebase":
		if has("-x", "--exec", hole, names) {
			return why
		}
	case "filter-branch", "difftool", "mergetool", "send-email", "instaweb", "daemon", "shell", "cvsserver", "remote-ext", "web--browse", "for-each-repo":
		return why
	case "grep":
		if has("-O", "--open-files-in-pager") {
			return why
		}
	case "config":
		if len(words) > 0 && !anyWord(words, func(w string) bool {
			return harmlessKey(w) || w == "--list" || w == "-l" || strings.HasPrefix(w, "--get")
		}) {
			return "`git config` may define an alias or name a program"
		}
	case "clone", "fetch", "pull", "ls-remote", "push", "archive", "fetch-pack", "send-pack":
		if has("--upload-pack", "--receive-pack", "--exec", "-c", "--config", "ext::", "--template") || command != "push" && has("-u") {
			return why
		}
	}
	return ""
}

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
