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

// Claude Code runs "git status", "git diff", "git log" and "git show" without asking, since they
// only read (measured with 2.1.328). Settings of a repository may name programs that these commands
// run. A clone does not get such settings, but a copied or unpacked repository has the settings of
// its author.

const (
	maxConfig       = 1 << 20  // bytes of one file of settings
	maxIndex        = 64 << 20 // bytes of one index
	maxRepositories = 200      // submodules that are inspected
	maxIncludes     = 32       // settings that are included by others

	includePath = "path" // the setting that includes a file
)

// running lists the names of settings whose values git commands may run: commands that only read,
// which the agent runs unasked, and commands that a user's rule may allow. Names are matched in
// every section, since a false match is only shown.
var running = map[string]bool{
	"fsmonitor": true, "clean": true, "process": true, "textconv": true, "command": true, "external": true, "program": true, "hookspath": true,
	"uploadpack": true, "vcs": true, "allow": true,
	"sshcommand": true, "gitproxy": true, "askpass": true, "editor": true, "driver": true, "smudge": true, "receivepack": true, "templatedir": true,
	"cmd": true, "difffilter": true, "alternaterefscommand": true,
}

// shelled lists settings whose values are run only if they look like a command. Otherwise the value
// is a keyword of git, or an installed helper.
var shelled = map[string]bool{"helper": true, "update": true}

// harmless lists settings with values that run no program of the repository.
var harmless = []string{
	"fsmonitor = true", "fsmonitor = false", "fsmonitor = 1", "fsmonitor = 0", "fsmonitor = yes", "fsmonitor = no", "fsmonitor = on", "fsmonitor = off", "fsmonitor =", "fsmonitor",
	"clean = git-lfs clean -- %f", "process = git-lfs filter-process", "smudge = git-lfs smudge -- %f",
}

// plainAlias matches an alias that is only another name of a command.
var plainAlias = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

var gitSetting = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*)[ \t\r\v\f]*(?:=[ \t\r\v\f]*(.*))?`)

// programs returns the lines of a git settings file that make git run a program.
// Every line that could be a setting is treated as one, also inside of longer values, so that
// quoting cannot hide one.
func programs(content string) []string {
	var found []string
	aliases, includes := false, false
	for line := range strings.SplitSeq(strings.TrimPrefix(content, "\uFEFF"), "\n") {
		line = strings.Trim(line, " \t\r\v\f")
		candidates := []string{line}
		for n := range len(line) { // a setting may follow the header of its section on the same line
			if line[n] == ']' && line[0] == '[' {
				candidates = append(candidates, strings.Trim(line[n+1:], " \t\r\v\f"))
			}
		}
		for _, c := range candidates {
			if head := strings.ToLower(strings.TrimLeft(c, "[ \t")); strings.HasPrefix(c, "[") {
				if aliases, includes = strings.HasPrefix(head, "alias"), strings.HasPrefix(head, "include"); includes {
					found = append(found, c)
				}
				continue
			}
			m := gitSetting.FindStringSubmatch(c)
			if m == nil {
				continue
			}
			name := strings.ToLower(m[1])
			text := strings.TrimSpace(name + " = " + m[2])
			switch {
			case slices.Contains(harmless, text):
			case running[name], shelled[name] && strings.ContainsAny(m[2], `!/\`), aliases && !plainAlias.MatchString(strings.TrimSpace(m[2])), includes && name == includePath:
				found = append(found, text)
			}
		}
	}
	return found
}

// repository reports what git would run for the working tree with its root in a directory, and for its submodules.
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
	in.programs(root, git, common)
	for _, link := range in.submodules(git) {
		in.repository(filepath.Join(root, filepath.FromSlash(link)), seen)
	}
}

// bare reports what git would run in a directory that is itself a repository, whatever its name.
// Such a directory may be part of a clone, since it contains only plain files.
func (in *inspector) bare(dir string) {
	if !in.present(filepath.Join(dir, "HEAD")) || in.present(filepath.Join(dir, ".git")) {
		return
	}
	common := dir
	if in.present(filepath.Join(dir, "commondir")) {
		var ok bool
		if common, ok = in.exactPointer(filepath.Join(dir, "commondir"), ""); !ok {
			return
		}
	}
	if in.present(filepath.Join(common, "objects")) && in.present(filepath.Join(common, "refs")) {
		in.programs(dir, dir, common)
	}
}

// programs reports what settings and hooks of a repository make git run.
func (in *inspector) programs(root, git, common string) {
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

// gitSettings reports the settings of one file that run a program. It reports lines and not the
// file, because git often changes other settings in it. A plain path of hooks is only returned; its
// files are reported.
func (in *inspector) gitSettings(path string) []string {
	if !in.present(path) || !in.room(path) {
		return nil
	}
	content, reason := readBounded(path, maxConfig)
	if reason != "" {
		in.problem(path, reason)
		return nil
	}
	own := programs(string(content))
	all := append(slices.Clone(own), in.included(path, own)...)
	counted := slices.DeleteFunc(slices.Clone(own), func(text string) bool {
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
	text := strings.Join(counted, "\n")
	if strings.Contains(string(content), "\\") { // the next line may belong to the value
		text = string(content)
	}
	sum := sha256.Sum256([]byte(text))
	in.report.Files[path] = hex.EncodeToString(sum[:])
	for _, text := range counted {
		in.find(Finding{Git, path, text})
	}
	return all
}

// included reports the settings in included files, and returns the lines of all of them.
func (in *inspector) included(path string, lines []string) (all []string) {
	for _, text := range lines {
		to, is := strings.CutPrefix(text, includePath+" = ")
		if !is {
			continue
		}
		to = strings.Trim(to, `"`)
		if rest, ok := strings.CutPrefix(to, "~/"); ok {
			home, _ := os.UserHomeDir() // without one there is nothing to include
			to = filepath.Join(home, rest)
		}
		if in.includes++; in.includes > maxIncludes || strings.ContainsAny(to, "\\%\"#;~") {
			in.problem(path, "includes settings that cannot be followed: "+text)
			continue
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		all = append(all, in.gitSettings(to)...)
	}
	return all
}

// exactPointer is pointer for files that git reads itself: it removes only the end of the line.
func (in *inspector) exactPointer(path, prefix string) (string, bool) {
	content, reason := readBounded(path, maxPointer)
	if reason == "" && strings.TrimSpace(string(content)) != strings.TrimRight(string(content), "\r\n") {
		in.problem(path, "has blanks around the path in it")
		return "", false
	}
	return pointer(path, prefix)
}
