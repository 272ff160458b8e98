//go:build unix

package process

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"betcode/actors/internal/launch"
	"betcode/messages"
)

// Prepare makes the run directory dir, which must be absolute and not exist yet
// (or be empty), and everything in it that the daemon owns.
func Prepare(dir string) error {
	const op = "prepare run directory"
	if !filepath.IsAbs(dir) {
		return messages.Errorf(op, messages.Invalid, "%q is not absolute", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fileError(op, err)
	}
	if err := os.Chmod(dir, 0o700); err != nil { // the directory may have existed
		return fileError(op, err)
	}
	if err := CheckDirectory(dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fileError(op, err)
	}
	if len(entries) > 0 {
		return messages.Errorf(op, messages.AlreadyExists, "%s is in use", dir)
	}
	fifo := filepath.Join(dir, launch.StdinFile)
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		return fileError(op, &fs.PathError{Op: "mkfifo", Path: fifo, Err: err})
	}
	for _, name := range []string{launch.StdoutFile, launch.StderrFile, launch.LockFile} {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return fileError(op, err)
		}
		if err := f.Close(); err != nil {
			return fileError(op, err)
		}
	}
	return nil
}

// fileError gives an error of the filesystem its kind.
func fileError(op string, err error) *messages.Error {
	kind := messages.Unavailable
	switch {
	case errors.Is(err, fs.ErrNotExist):
		kind = messages.NotFound
	case errors.Is(err, fs.ErrExist):
		kind = messages.AlreadyExists
	case errors.Is(err, fs.ErrPermission):
		kind = messages.Denied
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT), errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE),
		errors.Is(err, unix.EAGAIN), errors.Is(err, unix.ENOMEM):
		kind = messages.Exhausted
	}
	return &messages.Error{Op: op, Kind: kind, Err: err}
}
