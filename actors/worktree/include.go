package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"betcode/messages"
	"betcode/messages/regular"
)

// includeFile lists ignored files of the main working tree that are copied into new worktrees.
const includeFile = ".worktreeinclude"

// maxInclude bounds the copied files, in bytes.
const maxInclude = 1 << 30

// include copies the files into a new worktree. It copies only regular files, follows no links, and replaces nothing.
func (c *changes) include(ctx context.Context, rec record) error {
	patterns := filepath.Join(rec.Main, includeFile)
	if info, err := os.Lstat(patterns); err != nil || !info.Mode().IsRegular() || rec.Main == rec.Common {
		return nil // without includeFile nothing is copied
	}
	names, err := c.git.Included(ctx, rec.Main, patterns)
	if err != nil || len(names) == 0 {
		return err
	}
	room, err := c.deps.Spare(rec.Path)
	if err != nil {
		return err
	}
	from, err := os.OpenRoot(rec.Main)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenRoot(rec.Path)
	if err != nil {
		return err
	}
	defer to.Close()
	left := min(room, maxInclude)
	var errs []error
	for _, name := range names {
		n, err := copyFile(from, to, filepath.FromSlash(name), left)
		if left -= n; messages.KindOf(err) == messages.Exhausted {
			return errors.Join(append(errs, err)...)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// copyFile copies a file of at most so many bytes and returns its size.
func copyFile(from, to *os.Root, name string, most int64) (int64, error) {
	info, err := from.Lstat(name)
	switch {
	case err != nil:
		return 0, err
	case !info.Mode().IsRegular():
		return 0, nil
	case info.Size() > most:
		return 0, messages.Errorf("copy "+name, messages.Exhausted, "%d bytes are too many", info.Size())
	}
	in, err := from.OpenFile(name, os.O_RDONLY|regular.NoWait, 0)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	if info, err = in.Stat(); err != nil || !info.Mode().IsRegular() { // it may have been replaced since
		return 0, err
	}
	if err := to.MkdirAll(filepath.Dir(name), 0o777); err != nil { // the umask is the user's
		return 0, err
	}
	out, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if errors.Is(err, fs.ErrExist) {
		return 0, nil // the branch has a file of that name
	}
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(out, io.LimitReader(in, most))
	if err = errors.Join(err, out.Close()); err != nil {
		return n, fmt.Errorf("copy %s: %w", name, err)
	}
	return n, nil
}
