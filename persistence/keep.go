package persistence

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// keepTree makes to a copy of a directory tree whose files never change, such as the
// payloads of a journal: they are linked where the disk can, and copied otherwise. A
// tree that is not there is nothing to keep.
func keepTree(from, to string) error {
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		into := filepath.Join(to, inside)
		switch {
		case e.IsDir():
			return os.MkdirAll(into, 0o700)
		case filepath.Ext(path) == unfinished:
			return nil
		}
		return keepFile(path, into)
	})
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// keepFile makes to a copy of a file that never changes, linked where the disk can.
func keepFile(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	return copyFile(context.Background(), from, to)
}
