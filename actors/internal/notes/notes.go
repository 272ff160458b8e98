// Package notes writes small files beside the journal. Each is complete or does not exist.
package notes

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Half is the suffix of a note that is being written. A leftover one is from a crash.
const Half = ".new"

// Replace writes a note and a line break. After a loss of power the former note may be there instead. It writes nothing if the
// directory of the path does not exist: the session that owned it was deleted.
func Replace(path string, content []byte) error {
	err := os.WriteFile(path+Half, append(content, '\n'), 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Rename(path+Half, path)
}

// Write writes a note and a line break. When it returns without an error the note is durable.
func Write(path string, content []byte) error {
	file, err := os.OpenFile(path+Half, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(content, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+Half, path); err != nil {
		return err
	}
	directory, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}
