package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Leftover describes the unfinished creation of a working tree, by a git that may have been killed at any time.
type Leftover struct {
	Common  string
	Path    string
	Branch  string
	Commit  string
	Created bool   // the branch was to be created at Commit
	Made    string // identity of the directory that the daemon made ([Identity]); empty if git was not started
	Began   time.Time
}

// settle is how long another git may have a file that looks as if it had been left behind.
const settle = 2 * time.Second

// Finished reports whether git had finished: the working tree is whole. Take the [Lock] first, so that no git of ours runs.
func (g *Git) Finished(ctx context.Context, l Leftover) bool {
	admin, found := adminOf(l.Common, l.Path)
	if !found || l.Made == "" || Identity(l.Path) != l.Made || there(filepath.Join(admin, "locked")) || there(filepath.Join(admin, "index.lock")) || !there(filepath.Join(admin, "index")) {
		return false
	}
	s, err := g.Status(ctx, l.Path)
	return err == nil && s.Branch == l.Branch && s.Changed == 0
}

// Undo removes the leftover, and nothing else: files of the commit in the directory that the daemon made, git's records of it, and
// the branch if it is unchanged. Other files stay, with the directory, and are an error.
func (g *Git) Undo(ctx context.Context, lock *Lock, l Leftover) error {
	admin, found := adminOf(l.Common, l.Path)
	ours := l.Made != "" && (Identity(l.Path) == l.Made || !there(l.Path))
	var kept error
	switch {
	case l.Made != "" && Identity(l.Path) == l.Made:
		kept = g.removeFiles(ctx, l)
	case l.Made == "":
		_ = os.Remove(l.Path) // succeeds if the directory is empty
	}
	if found && ours {
		kept = errors.Join(kept, removeInside(l.Common, admin))
	}
	kept = errors.Join(kept, removeSettled(ctx, l))
	_ = os.Remove(filepath.Join(l.Common, "worktrees")) // succeeds if it is empty; git removes it too
	if !l.Created {
		return kept
	}
	return errors.Join(kept, g.removeBranch(ctx, lock, l))
}

// removeBranch deletes the branch, unless a worktree uses it.
func (g *Git) removeBranch(ctx context.Context, lock *Lock, l Leftover) error {
	commit, exists, err := g.Branch(ctx, l.Common, l.Branch)
	if err != nil || !exists || commit != l.Commit {
		return err
	}
	notes, err := os.ReadFile(filepath.Join(l.Common, "logs", "refs", "heads", filepath.FromSlash(l.Branch)))
	if err == nil && !strings.Contains(string(notes), created) {
		return nil // another process made it
	}
	trees, err := g.Trees(ctx, l.Common)
	if err != nil || slices.ContainsFunc(trees, func(t Tree) bool { return t.Branch == l.Branch }) {
		return err
	}
	return g.deleteBranch(ctx, lock, l.Common, l.Branch, l.Commit)
}

// removeFiles removes the files of the commit from the directory, and the directories that are empty then.
func (g *Git) removeFiles(ctx context.Context, l Leftover) error {
	var names []string
	if err := g.files(ctx, l.Common, l.Commit, func(f file) { names = append(names, f.path) }); err != nil {
		return err
	}
	root, err := os.OpenRoot(l.Path) // no symbolic link leads out of it
	if err != nil {
		return err
	}
	defer root.Close()
	above := map[string]bool{}
	for _, name := range append(names, ".git") {
		if info, err := root.Lstat(filepath.FromSlash(name)); err == nil && !info.IsDir() {
			if err := root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		for dir := path.Dir(name); dir != "." && !above[dir]; dir = path.Dir(dir) {
			above[dir] = true
		}
	}
	dirs := make([]string, 0, len(above))
	for dir := range above {
		dirs = append(dirs, dir)
	}
	slices.SortFunc(dirs, func(a, b string) int { return len(b) - len(a) })
	for _, dir := range dirs {
		_ = root.Remove(filepath.FromSlash(dir)) // one that is not empty stays
	}
	if err := os.Remove(l.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the directory has other files, which stay: %w", err)
	}
	return nil
}

// adminOf returns git's directory for a working tree: the one that names its path.
func adminOf(common, tree string) (string, bool) {
	entries, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if err != nil {
		return "", false
	}
	for _, e := range entries {
		admin := filepath.Join(common, "worktrees", e.Name())
		if content, err := os.ReadFile(filepath.Join(admin, "gitdir")); err == nil && e.IsDir() {
			file := strings.TrimSpace(string(content))
			if !filepath.IsAbs(file) {
				file = filepath.Join(admin, file)
			}
			if filepath.Clean(file) == filepath.Join(tree, ".git") {
				return admin, true
			}
		}
	}
	return "", false
}

// removeSettled removes files that a killed git leaves and that name no working tree: a directory for a working tree that has
// no path yet, and the lock file of the branch. Another git has such files for microseconds, so those that
// stay for [settle] have no owner.
func removeSettled(ctx context.Context, l Leftover) error {
	before := ownerless(l)
	if len(before) == 0 {
		return nil
	}
	select {
	case <-time.After(settle):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	var errs []error
	after := ownerless(l)
	for path, id := range before {
		if after[path] == id {
			errs = append(errs, removeInside(l.Common, path))
		}
	}
	return errors.Join(errs...)
}

// ownerless finds such files, with their identities.
func ownerless(l Leftover) map[string]string {
	found := map[string]string{}
	since := func(path string) bool {
		info, err := os.Lstat(path)
		return err == nil && !info.ModTime().Before(l.Began.Add(-time.Second))
	}
	if file := filepath.Join(l.Common, "refs", "heads", filepath.FromSlash(l.Branch)) + ".lock"; l.Created && since(file) {
		found[file] = Identity(file)
	}
	entries, _ := os.ReadDir(filepath.Join(l.Common, "worktrees")) // without it there are none
	for _, e := range entries {
		admin := filepath.Join(l.Common, "worktrees", e.Name())
		if e.IsDir() && since(admin) && !there(filepath.Join(admin, "gitdir")) && !there(filepath.Join(admin, "HEAD")) {
			found[admin] = Identity(admin)
		}
	}
	return found
}

// removeInside removes a file or directory of a repository. It follows no link that leads out of the repository: an agent
// may have put one in the place of a directory.
func removeInside(common, path string) error {
	name, err := filepath.Rel(common, path)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(common)
	if err != nil {
		return err
	}
	return errors.Join(root.RemoveAll(name), root.Close())
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
