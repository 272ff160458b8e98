package fence

import (
	"os"
	"path/filepath"
	"strings"

	"betcode/messages/regular"
)

// repository returns what git writes to for a working directory: the root of its
// worktree, the git directory and the common one. None where there is no repository.
//
// What a .git file says is believed only if the git directory that it names says the
// same: an agent could write such a file, and open any directory with it for the next.
func repository(dir, home string) []string {
	for top := filepath.Clean(dir); ; top = filepath.Dir(top) {
		dot := filepath.Join(top, ".git")
		info, err := os.Lstat(dot)
		switch {
		case err != nil:
		case !owned(info):
			return nil // another user's, above us: git does not work in it either
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

// maxPointer bounds a file that holds a path, in bytes.
const maxPointer = 64 << 10

// pointer reads a file that holds a path behind a prefix, relative to the file.
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
