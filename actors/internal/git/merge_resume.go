package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ResumeMerge finishes or undoes a merge that [Git.Advance] has begun and that was interrupted; merged reports whether it is made.
// A working tree that was changed in part gets its former files back. Files that were changed since stay, and
// are an error. Take the [Lock] first, so that no other git of the daemon runs.
func (g *Git) ResumeMerge(ctx context.Context, lock *Lock, m Merge, began time.Time) (merged bool, err error) {
	commit, exists, err := g.Branch(ctx, m.Common, m.Into)
	switch {
	case err != nil || !exists:
		return false, err
	case commit != m.Old: // the branch moves last
		return g.Contains(ctx, m.Common, commit, m.New)
	case m.Tree == "" || !there(filepath.Join(m.Tree, ".git")):
		return false, nil
	}
	err = g.withStandIn(ctx, m.Tree, func(a *apart, environ []string) error {
		if err := unlockIndex(ctx, a, began); err != nil {
			return err
		}
		same, err := g.indexIs(ctx, a, m.New)
		if err != nil || same { // git writes the index when all files are there
			merged = same
			return err
		}
		return g.restore(ctx, lock, a, environ, m)
	})
	if err == nil && merged {
		err = g.move(ctx, lock, m)
	}
	return merged && err == nil, err
}

// ChangedError reports files of a working tree that were changed since a merge into it was interrupted. They stay as they are.
type ChangedError struct {
	Tree  string
	Paths []string // at most maxConflicts
}

// Error implements error.
func (c *ChangedError) Error() string {
	return fmt.Sprintf("files of %s were changed since the merge was cut short: %s", c.Tree, strings.Join(c.Paths, ", "))
}

// unlockIndex removes the lock of an index that a killed git has left. The lock of another git disappears when that git ends.
func unlockIndex(ctx context.Context, a *apart, began time.Time) error {
	file := filepath.Join(a.admin, "index.lock")
	info, err := os.Lstat(file)
	if err != nil || info.ModTime().Before(began.Add(-time.Second)) {
		return nil //nolint:nilerr // there is no lock of a killed git
	}
	id := Identity(file)
	select {
	case <-time.After(settle):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if Identity(file) != id {
		return nil
	}
	return removeInside(a.common, file)
}

func (g *Git) indexIs(ctx context.Context, a *apart, commit string) (bool, error) {
	_, err := g.run(ctx, a.command(command{reads: true, args: []string{"diff-index", "--cached", "--quiet", commit, "--"}}))
	var failed *ExitError
	if errors.As(err, &failed) && failed.Code == 1 {
		return false, nil
	}
	return err == nil, err
}

// restore restores the files of the old commit in a working tree, if all that differ are from the merge.
func (g *Git) restore(ctx context.Context, lock *Lock, a *apart, environ []string, m Merge) error {
	old, err := g.differing(ctx, a, lock, nil)
	if err != nil {
		return err
	}
	// A second index, of the new commit, shows git which files the merge has written; the first one stays that of the old commit.
	second := []string{"GIT_INDEX_FILE=" + filepath.Join(a.dir, "index")}
	if _, err := g.run(ctx, a.command(command{lock: lock, environ: second, args: []string{"read-tree", m.New}})); err != nil {
		return err
	}
	fresh, err := g.differing(ctx, a, lock, second)
	if err != nil {
		return err
	}
	foreign, err := g.foreign(ctx, a, m, old, fresh)
	if err != nil {
		return err
	}
	if len(foreign) > 0 {
		return &ChangedError{Tree: m.Tree, Paths: foreign[:min(len(foreign), maxConflicts)]}
	}
	_, err = g.run(ctx, a.command(command{lock: lock, environ: append(second, environ...), args: []string{"read-tree", "--reset", "-u", m.Old}}))
	if err != nil {
		return err
	}
	_, err = g.differing(ctx, a, lock, nil) // refreshes the index
	return err
}

// differing returns the files of an index that differ in the working tree. The index is refreshed.
func (g *Git) differing(ctx context.Context, a *apart, lock *Lock, environ []string) (map[string]bool, error) {
	var failed *ExitError
	_, err := g.run(ctx, a.command(command{lock: lock, environ: environ, args: []string{"update-index", "-q", "--refresh"}}))
	if err != nil && !errors.As(err, &failed) {
		return nil, err
	}
	all := map[string]bool{}
	_, err = g.run(ctx, a.command(command{environ: environ, args: []string{"diff-files", "--name-only", "-z", "--ignore-submodules"}, each: func(path string) error {
		all[path] = true
		return nil
	}}))
	return all, err
}

// foreign returns the files whose content is neither from the old commit nor from the merge. old and fresh are those that differ
// from the old and the new commit. A file that git was writing has the beginning of its new content.
func (g *Git) foreign(ctx context.Context, a *apart, m Merge, old, fresh map[string]bool) ([]string, error) {
	var words, found []string
	err := g.changes(ctx, m, func(status, path string) { words = append(words, status, path) })
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(a.tree)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	touched := map[string]bool{}
	for n := 0; n+1 < len(words); n += 2 {
		status, path := words[n], words[n+1]
		touched[path] = true
		info, missing := root.Lstat(filepath.FromSlash(path))
		switch {
		case missing != nil, status != "A" && !old[path], status != "D" && !fresh[path]:
			continue
		case status != "D" && info.Mode().IsRegular():
			content, err := root.ReadFile(filepath.FromSlash(path))
			if err != nil {
				return nil, err
			}
			blob, err := g.run(ctx, a.command(command{reads: true, args: []string{"cat-file", "blob", m.New + ":" + path}}))
			if err == nil && bytes.HasPrefix([]byte(blob), content) {
				continue
			}
		}
		found = append(found, path)
	}
	for path := range old {
		if !touched[path] {
			found = append(found, path)
		}
	}
	return found, nil
}
