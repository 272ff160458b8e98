package fence

import (
	"os"
	"path/filepath"
	"strings"

	"betcode/messages/regular"
)

// repository returns the directories that git writes to for a working directory: the root of its
// worktree, the git directory and the common one. It returns none if there is no repository.
//
// A .git file is trusted only if the git directory that it names refers back to it:
// otherwise an agent could write such a file, and make any directory writable for the next agent.
func repository(dir, home string) []string {
	for top := filepath.Clean(dir); ; top = filepath.Dir(top) {
		dot := filepath.Join(top, ".git")
		info, err := os.Lstat(dot)
		switch {
		case err != nil:
		case !owned(info):
			return nil // another user's directory above: git does not work in it either
		case info.IsDir():
			if top == home || top == "/" {
				return []string{dot} // a home directory under git is no project
			}
			return []string{top, dot}
		case info.Mode().IsRegular():
			if git, common, ok := linked(dot); ok {
				return []string{top, git, common}
			}
			return nil
		default:
			return nil
		}
		if top == filepath.Dir(top) {
			return nil
		}
	}
}

// linked reads the .git file of a linked worktree.
func linked(dot string) (git, common string, ok bool) {
	git, ok = pointer(dot, "gitdir: ")
	if !ok || filepath.Base(filepath.Dir(git)) != "worktrees" {
		return "", "", false
	}
	if back, ok := pointer(filepath.Join(git, "gitdir"), ""); !ok || !same(back, dot) {
		return "", "", false
	}
	common, ok = pointer(filepath.Join(git, "commondir"), "")
	if !ok || !same(common, filepath.Dir(filepath.Dir(git))) {
		return "", "", false
	}
	if _, err := os.Stat(filepath.Join(common, "HEAD")); err != nil {
		return "", "", false
	}
	return git, common, true
}

// maxPointer bounds a file that contains a path, in bytes.
const maxPointer = 64 << 10

// pointer reads a file that contains a path behind a prefix, relative to the file.
func pointer(file, prefix string) (string, bool) {
	raw, err := regular.Read(file, maxPointer)
	path, ok := strings.CutPrefix(strings.TrimRight(string(raw), "\r\n"), prefix)
	if err != nil || !ok || path == "" || strings.ContainsAny(path, "\n\x00") {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return filepath.Clean(path), true
}

func same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
