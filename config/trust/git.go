package trust

import (
	"os"
	"path/filepath"
	"strings"
)

// gitAt records the repository whose working tree has its root in a directory, and reports whether
// there is one. If ".git" is a file, the CLI also obeys the directory that contains the repository,
// wherever that is.
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

// mains returns the directories whose ".claude" the CLI may read because of a ".git" that points
// elsewhere: beside the git directory, and beside the common one.
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

// vouches returns the common git directory of a working tree, if that directory knows the working
// tree as its own or as a listed worktree. The check is needed because anybody can write a ".git"
// file that points to a repository.
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

// pointer reads a small git file that contains a path after a prefix, relative to the file's directory.
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
