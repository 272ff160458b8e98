package protect

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"betcode/actors/internal/realpath"
)

// A repository has settings and hooks that git runs. Those of the repository that a session
// works in are judged by trust in its directory. Below it there may be others: working trees
// of their own, and bare repositories, which are plain files for all programs but git and can
// be part of a clone. When a call runs git there, the programs that git would run are searched.

// maxSettings bounds the part of a settings file that is read, in bytes.
const maxSettings = 1 << 20

// GitRun is a directory in which a call runs git.
type GitRun struct {
	Directory string // absolute, as it is spelled
	Quiet     bool   // by a command that runs no hooks but post-index-change
}

// quiet are commands of git that run no hooks but post-index-change.
var quiet = reasons(map[string]string{
	gits: "annotate blame branch cat-file describe diff for-each-ref grep help log ls-files ls-tree merge-base name-rev reflog remote rev-list rev-parse " +
		"shortlog show show-ref status tag version whatchanged",
})

// isRepository reports whether git treats a directory as a repository, whatever its name.
func isRepository(dir string) bool {
	if _, err := os.Lstat(path.Join(dir, "HEAD")); err != nil {
		return false
	}
	if _, err := os.Lstat(path.Join(dir, "commondir")); err == nil {
		return true
	}
	return isDirectory(path.Join(dir, "objects")) && isDirectory(path.Join(dir, "refs"))
}

func isDirectory(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// inRepository reports whether a file is in the directory of a repository, and not in a working
// tree inside it. repositories caches the answers for directories.
func inRepository(file string, repositories map[string]bool) bool {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		known, looked := repositories[dir]
		if !looked {
			known = isRepository(dir)
			repositories[dir] = known
		}
		if known || dir == path.Dir(dir) {
			return known
		}
		if _, err := os.Lstat(path.Join(dir, ".git")); err == nil {
			return false
		}
	}
}

// repositoryOf returns the repository that git finds in a directory with symbolic links resolved:
// its working tree, or the repository itself if it is bare, and the directory of its settings.
// root is empty if there is none.
func repositoryOf(dir string) (root, git string) {
	for at := dir; ; at = path.Dir(at) {
		inside := path.Join(at, ".git")
		if info, err := os.Stat(inside); err == nil {
			if info.IsDir() && isRepository(inside) {
				return at, inside
			}
			if to, ok := pointer(inside, "gitdir: "); ok && !info.IsDir() {
				return at, to
			}
		}
		if isRepository(at) {
			return at, at
		}
		if at == path.Dir(at) {
			return "", ""
		}
	}
}

// pointer reads a small file of git that contains a path behind a prefix.
func pointer(file, prefix string) (string, bool) {
	content, err := readSettings(file)
	to, found := strings.CutPrefix(strings.TrimSpace(string(content)), prefix)
	if err != nil || !found || to == "" {
		return "", false
	}
	if !path.IsAbs(to) {
		to = path.Join(path.Dir(file), to)
	}
	return path.Clean(to), true
}

// runsHere returns why a person is asked about a run of git: the repository is not the one that
// the session works in, and has programs for git to run. It reads the disk.
func runsHere(run GitRun, session string) string {
	session = realpath.Resolve(session).Path
	root, git := repositoryOf(realpath.Resolve(run.Directory).Path)
	if root == "" || within(root, session) {
		return ""
	}
	common := commonOf(git)
	files := []string{path.Join(git, "config.worktree")}
	var hooks []string
	if _, own := repositoryOf(session); own == "" || commonOf(own) != common { // otherwise it is a worktree beside the session's
		files = append(files, path.Join(common, "config"), path.Join(common, "config.worktree"))
		hooks = append(hooks, path.Join(common, "hooks"))
	}
	for _, file := range files {
		content, err := readSettings(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return "the settings of the repository " + root + " cannot be read"
		}
		found, places := runningSettings(string(content))
		if found != "" {
			return "git runs what the repository " + root + " says: " + found
		}
		for _, to := range places {
			hooks = append(hooks, beside(root, to))
		}
	}
	for _, dir := range hooks {
		if name := hook(dir, run.Quiet); name != "" {
			return "git runs what the repository " + root + " says: hook " + name
		}
	}
	return ""
}

// CheckRepository returns why a person is asked about a call for which the agent reports that git
// uses the repository in dir: an absolute path, or empty if the agent does not know it. It
// reads the disk.
func (l *List) CheckRepository(dir, session string) string {
	if l == nil {
		return ""
	}
	if dir != "" {
		actual := realpath.Resolve(dir).Path
		if root, _ := repositoryOf(actual); root == actual {
			return runsHere(GitRun{Directory: dir}, session)
		}
	}
	return "the shell has gone to another directory, and which repository git uses there cannot be told"
}

// commonOf returns the directory of a repository that its worktrees share.
func commonOf(git string) string {
	if to, ok := pointer(path.Join(git, "commondir"), ""); ok {
		return realpath.Resolve(to).Path
	}
	return git
}

// hook returns a hook in a directory that may run, empty if there is none.
func hook(dir string, quiet bool) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if name := e.Name(); !strings.HasSuffix(name, ".sample") && (!quiet || strings.EqualFold(name, "post-index-change")) {
			if info, err := os.Stat(path.Join(dir, name)); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
				return name
			}
		}
	}
	return ""
}

func readSettings(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSettings {
		return nil, fs.ErrInvalid
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	if err == nil && len(content) > maxSettings {
		err = fs.ErrInvalid
	}
	return bytes.ReplaceAll(content, []byte("\r"), nil), err
}

// executingNames are the last parts of the settings in executing, and sections of it that
// count as a whole.
var (
	executingNames = strings.Fields("fsmonitor sshcommand editor pager askpass gitproxy clean smudge process command textconv external difffilter driver cmd helper program " +
		"templatedir uploadpack receivepack vcs packobjectshook alternaterefscommand tunnel allow")
	executingSections = strings.Fields("alias include includeif pager credential mergetool difftool browser man guitool instaweb sendemail")
	harmlessSettings  = strings.Fields("fsmonitor=true fsmonitor=false fsmonitor=1 fsmonitor=0 fsmonitor= clean=git-lfsclean--%f smudge=git-lfssmudge--%f process=git-lfsfilter-process")
	sectionHead       = regexp.MustCompile(`^\[[ \t]*([A-Za-z0-9.-]+)`)
	settingName       = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*(.*))?`)
)

// runningSettings returns the first line of git's settings that makes git run a program, and the
// directories of hooks in them. Anything that may be a setting counts as one, also within others.
func runningSettings(content string) (found string, hooks []string) {
	for line := range strings.SplitSeq(strings.TrimPrefix(content, "\uFEFF"), "\n") {
		line = strings.Trim(line, " \t\v\f")
		if m := sectionHead.FindStringSubmatch(line); m != nil {
			name, _, _ := strings.Cut(strings.ToLower(m[1]), ".")
			if slices.Contains(executingSections, name) {
				return line, nil
			}
		}
		candidates := []string{line}
		for n := range len(line) { // a setting may follow the head of its section
			if line[n] == ']' && line[0] == '[' {
				candidates = append(candidates, strings.Trim(line[n+1:], " \t"))
			}
		}
		for _, c := range candidates {
			m := settingName.FindStringSubmatch(c)
			if m == nil {
				continue
			}
			name, value := strings.ToLower(m[1]), m[2]
			switch {
			case slices.Contains(harmlessSettings, name+"="+strings.Join(strings.Fields(value), "")):
			case slices.Contains(executingNames, name), name == "update" && strings.Contains(value, "!"):
				return c, nil
			case name == "hookspath":
				if strings.ContainsAny(value, "\\%#;~") {
					return c, nil
				}
				hooks = append(hooks, strings.Trim(value, `" `))
			}
		}
	}
	return "", hooks
}
