package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Unfinished ends the name of a file that is being written. The file is
// renamed when it is complete and durable; a leftover one is removed when the journal is opened.
const Unfinished = ".new"

// Steps is called at the named steps of an atomic change, with the disk as a crash at
// that point would leave it. An error stands for a failure of the step. Only tests set
// it.
type Steps func(step string) error

// At calls the hook, if there is one.
func (h Steps) At(step string) error {
	if h == nil {
		return nil
	}
	return h(step)
}

// Replace makes data the content of directory/name: after a crash at any time the file
// has its old content or the new one. When renamed is true and there is an error, it is
// unknown which.
func Replace(directory, name string, data []byte, steps Steps) (renamed bool, err error) {
	path := filepath.Join(directory, name)
	if err := WriteSynced(path+Unfinished, data); err != nil {
		return false, err
	}
	if err := steps.At(name + " written"); err != nil {
		return false, err
	}
	return RenameSynced(path, steps, name)
}

// WriteSynced writes a file and syncs it. Its name is not durable yet: see SyncDirectory.
func WriteSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

// RenameSynced removes the suffix [Unfinished] from the name of a file, and syncs the
// directory.
func RenameSynced(path string, steps Steps, name string) (renamed bool, err error) {
	if err := os.Rename(path+Unfinished, path); err != nil {
		return false, err
	}
	if err := steps.At(name + " renamed"); err != nil {
		return true, err
	}
	return true, SyncDirectory(filepath.Dir(path))
}

// SyncFile syncs a file that was written without syncing.
func SyncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = f.Sync()
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

// SyncDirectory makes the names in a directory durable.
func SyncDirectory(path string) error {
	if runtime.GOOS == "windows" {
		return nil // Windows cannot sync a directory, and need not
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if closing := d.Close(); err == nil {
		err = closing
	}
	return err
}

// MakeDirectory makes a directory, readable by its owner only, and makes its name durable.
func MakeDirectory(path string) error {
	if info, err := os.Stat(path); err == nil {
		if !info.IsDir() {
			return fmt.Errorf("%s is not a directory", path)
		}
		return nil
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	return SyncDirectory(filepath.Dir(path))
}

// RenameDirectory renames a directory, also to the name of an empty one, which
// some systems refuse.
func RenameDirectory(from, to string) error {
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Rename(from, to)
}
