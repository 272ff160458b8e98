package git

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// InTheWay returns files of the target's working tree that the merge would overwrite although git has no copy of them: git
// itself keeps untracked files, but not ignored ones. At most [maxConflicts], sorted.
func (g *Git) InTheWay(ctx context.Context, m Merge) ([]string, error) {
	if m.Tree == "" {
		return nil, nil
	}
	var added []string
	removed := map[string]bool{}
	err := g.changes(ctx, m, func(status, path string) {
		switch status {
		case "A":
			added = append(added, path)
		case "D":
			removed[path] = true
		}
	})
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(m.Tree)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	found := map[string]bool{}
	for _, name := range added {
		if err := occupied(root, name, removed, found); err != nil {
			return nil, err
		}
		if len(found) >= maxConflicts {
			break
		}
	}
	all := make([]string, 0, len(found))
	for name := range found {
		all = append(all, name)
	}
	slices.Sort(all)
	return all[:min(len(all), maxConflicts)], nil
}

// changes calls f with each path in which the commits of a merge differ, and the status that git gives it.
func (g *Git) changes(ctx context.Context, m Merge, f func(status, path string)) error {
	status := ""
	_, err := g.run(ctx, command{
		dir: m.Common, reads: true, args: at(m.Common, "diff-tree", "-r", "--no-renames", "--name-status", "-z", m.Old, m.New),
		each: func(word string) error {
			if status == "" {
				status = word
				return nil
			}
			f(status, word)
			status = ""
			return nil
		},
	})
	return err
}

// occupied adds to found everything at the place of a file that a merge adds, except files that the merge removes: a file or link
// there or at one of the directories above, or the files of a directory.
func occupied(root *os.Root, name string, removed, found map[string]bool) error {
	for n := range len(name) + 1 {
		if n < len(name) && name[n] != '/' {
			continue
		}
		above := name[:n]
		info, err := root.Lstat(filepath.FromSlash(above))
		if err != nil {
			return nil //nolint:nilerr // nothing is there
		}
		if !info.IsDir() {
			if !removed[above] {
				found[above] = true
			}
			return nil
		}
	}
	return fs.WalkDir(root.FS(), name, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir() && !removed[path.Clean(file)]:
			found[file] = true
		}
		if len(found) >= maxConflicts {
			return fs.SkipAll
		}
		return nil
	})
}
