package disk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// LinkTree links the files of a directory tree into another directory, for files that
// never change, such as payloads. It copies if the filesystem cannot link. A tree that does
// not exist is empty.
func LinkTree(from, to string) error {
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
		case filepath.Ext(path) == Unfinished:
			return nil
		}
		return linkFile(path, into)
	})
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// linkFile links a file that never changes, or copies it if the filesystem cannot link.
func linkFile(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	return CopyFile(context.Background(), from, to)
}

// CopyFile copies a file and syncs the copy.
func CopyFile(ctx context.Context, from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	for err == nil { // the system copies a bounded amount at a time
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(out, in, copyBytes)
		}
	}
	if errors.Is(err, io.EOF) {
		err = out.Sync()
	}
	if closing := out.Close(); err == nil {
		err = closing
	}
	return err
}

const copyBytes = 4 << 20
