package trust

import (
	"os"
	"path/filepath"
	"strings"
)

// gitAt notes the repository whose working tree has its root in a directory, and
// reports whether there is one. If ".git" is a file, the CLI also obeys the
// directory that holds the repository, whichever that is.
func (in *inspector) gitAt(dir string) bool {
	path := filepath.Join(dir, ".git")
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if in.report.Worktree == "" {
		in.report.Worktree = dir
		in.report.Repository = vouches(dir, path, info.IsDir())
		in.repository(dir, map[string]bool{})
	}
	if info.IsDir() && resolved(path) == path {
		return true
	}
	for _, main := range mains(path, info.IsDir()) {
		if main != dir {
			in.claude(main, true)
		}
	}
	return true
}

// mains are the directories whose ".claude" the CLI may read because of a ".git"
// that leads elsewhere: beside the git directory, and beside the common one.
func mains(path string, directory bool) []string {
	git := resolved(path)
	if !directory {
		var ok bool
		if git, ok = pointer(path, "gitdir: "); !ok {
			return nil
		}
	}
	found := []string{filepath.Dir(git)}
	if common, ok := pointer(filepath.Join(git, "commondir"), ""); ok && filepath.Dir(common) != found[0] {
		found = append(found, filepath.Dir(common))
	}
	return found
}

// vouches returns the common git directory of a working tree if that directory
// knows the working tree: its own, or a worktree that it lists. Anybody can write a
// ".git" file that points at a repository.
func vouches(dir, path string, directory bool) string {
	if directory {
		if resolved(path) != path {
			return ""
		}
		return path
	}
	git, ok := pointer(path, "gitdir: ")
	if !ok {
		return ""
	}
	common, ok := pointer(filepath.Join(git, "commondir"), "")
	if !ok || filepath.Dir(git) != filepath.Join(common, "worktrees") {
		return ""
	}
	if back, ok := pointer(filepath.Join(git, "gitdir"), ""); !ok || back != filepath.Join(dir, ".git") {
		return ""
	}
	return common
}

// pointer reads a small file of git's that holds a path, relative to the file's
// directory, behind a prefix.
func pointer(path, prefix string) (string, bool) {
	content, reason := readBounded(path, maxPointer)
	if reason != "" {
		return "", false
	}
	text, ok := strings.CutPrefix(strings.TrimSpace(string(content)), prefix)
	if !ok || text == "" {
		return "", false
	}
	if !filepath.IsAbs(text) {
		text = filepath.Join(filepath.Dir(path), text)
	}
	return resolved(text), true
}
