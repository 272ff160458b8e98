package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Claude Code runs "git status", "git diff", "git log" and "git show" without asking,
// since they only read (measured with 2.1.328). Settings of a repository may name
// programs that these commands run. A clone has none of them, but a repository that
// was copied or unpacked has whatever its author wrote.

const (
	maxConfig       = 1 << 20  // bytes of one file of settings
	maxIndex        = 64 << 20 // bytes of one index
	maxRepositories = 200      // submodules that are looked at
)

// running are the names of settings whose values commands that only read may run.
// Names are matched in every section: a setting of another section is only shown.
var running = map[string]bool{
	"fsmonitor": true, "clean": true, "process": true, "textconv": true, "command": true, "external": true, "program": true, "hookspath": true,
	"uploadpack": true, "vcs": true, "allow": true,
}

// fetching are those that matter where a command that reads fetches what is missing.
var fetching = map[string]bool{"sshcommand": true, "helper": true, "gitproxy": true, "askpass": true}

// harmless are values that run no program of the repository.
var harmless = []string{
	"fsmonitor = true", "fsmonitor = false", "fsmonitor = 1", "fsmonitor = 0", "fsmonitor = yes", "fsmonitor = no", "fsmonitor = on", "fsmonitor = off", "fsmonitor =", "fsmonitor",
	"clean = git-lfs clean -- %f", "process = git-lfs filter-process",
}

var gitSetting = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*)[ \t\r\v\f]*(?:=[ \t\r\v\f]*(.*))?`)

// programs returns the lines of a git settings file that make git run a program while it reads.
// Every line that could be a setting is treated as one, also inside of longer values, so that
// quoting cannot hide one.
func programs(content string) []string {
	var found, later []string
	partial := false
	for line := range strings.SplitSeq(strings.TrimPrefix(content, "\uFEFF"), "\n") {
		line = strings.Trim(line, " \t\r\v\f")
		candidates := []string{line}
		for n := range len(line) { // a setting may stand behind the head of its section
			if line[n] == ']' && line[0] == '[' {
				candidates = append(candidates, strings.Trim(line[n+1:], " \t\r\v\f"))
			}
		}
		for _, c := range candidates {
			if head := strings.ToLower(strings.TrimLeft(c, "[ \t")); strings.HasPrefix(c, "[") && strings.HasPrefix(head, "include") {
				found = append(found, c)
				continue
			}
			m := gitSetting.FindStringSubmatch(c)
			if m == nil {
				continue
			}
			name := strings.ToLower(m[1])
			text := strings.TrimSpace(name + " = " + m[2])
			partial = partial || name == "promisor" || name == "partialclone"
			switch {
			case slices.Contains(harmless, text):
			case running[name]:
				found = append(found, text)
			case fetching[name]:
				later = append(later, text)
			}
		}
	}
	if partial {
		found = append(found, later...)
	}
	return found
}

// repository takes what git would run for the working tree with its root in a
// directory, and for the submodules in it.
func (in *inspector) repository(root string, seen map[string]bool) {
	path := filepath.Join(root, ".git")
	info, err := os.Stat(path)
	if err != nil || seen[path] || len(seen) > maxRepositories {
		return
	}
	seen[path] = true
	git := resolved(path)
	if !info.IsDir() {
		var ok bool
		if git, ok = in.exactPointer(path, "gitdir: "); !ok {
			return
		}
	}
	common := git
	if in.present(filepath.Join(git, "commondir")) {
		var ok bool
		if common, ok = in.exactPointer(filepath.Join(git, "commondir"), ""); !ok {
			return
		}
	}
	hooks := []string{filepath.Join(common, "hooks")}
	for _, file := range []string{filepath.Join(common, "config"), filepath.Join(git, "config.worktree"), filepath.Join(common, "config.worktree")} {
		for _, text := range in.gitSettings(file) {
			if value, is := strings.CutPrefix(text, "hookspath = "); is {
				hooks = append(hooks, hooksAt(value, root))
			}
		}
	}
	for _, dir := range hooks { // the one hook that "git status" runs
		if content, ok := in.read(filepath.Join(dir, "post-index-change")); ok && len(content) > 0 {
			in.find(Finding{Git, filepath.Join(dir, "post-index-change"), "hook post-index-change"})
		}
	}
	for _, link := range in.submodules(git) {
		in.repository(filepath.Join(root, filepath.FromSlash(link)), seen)
	}
}

// hooksAt returns the directory of hooks that a setting names.
func hooksAt(value, root string) string {
	value = strings.Trim(strings.TrimSpace(value), `"`)
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		home, _ := os.UserHomeDir() // without one there are no hooks
		value = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(value) {
		value = filepath.Join(root, value)
	}
	return value
}

// gitSettings takes the settings of one file that run something into the report: their
// lines, since git writes other settings into that file all the time. A plain path of
// hooks is returned only; what is there counts.
func (in *inspector) gitSettings(path string) []string {
	if !in.present(path) || !in.room(path) {
		return nil
	}
	content, reason := readBounded(path, maxConfig)
	if reason != "" {
		in.problem(path, reason)
		return nil
	}
	all := programs(string(content))
	counted := slices.DeleteFunc(slices.Clone(all), func(text string) bool {
		value, is := strings.CutPrefix(text, "hookspath = ")
		return is && !strings.ContainsAny(value, `\%#;`) && strings.Count(value, `"`)%2 == 0 && !strings.Contains(strings.Trim(value, `"`), `"`)
	})
	if _, known := in.report.Files[path]; known || len(counted) == 0 {
		return all
	}
	if foreign(path) {
		in.problem(path, "belongs to another user")
		return all
	}
	sum := sha256.Sum256([]byte(strings.Join(counted, "\n")))
	in.report.Files[path] = hex.EncodeToString(sum[:])
	for _, text := range counted {
		in.find(Finding{Git, path, text})
	}
	return all
}

// exactPointer is pointer for files that git reads itself: it takes away the end of the
// line alone.
func (in *inspector) exactPointer(path, prefix string) (string, bool) {
	content, reason := readBounded(path, maxPointer)
	if reason == "" && strings.TrimSpace(string(content)) != strings.TrimRight(string(content), "\r\n") {
		in.problem(path, "has blanks around the path in it")
		return "", false
	}
	return pointer(path, prefix)
}
