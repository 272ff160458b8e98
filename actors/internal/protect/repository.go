package protect

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"betcode/actors/internal/realpath"
)

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
