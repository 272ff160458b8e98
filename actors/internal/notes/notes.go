// Package notes writes small files beside the journal. Each is whole or not there.
package notes

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Half ends the name of a note that is being written. One that is left over is of a crash.
const Half = ".new"

// Replace writes a note, with an end to its line. After a loss of power the note may be the one before. Without the
// directory of the path it writes nothing: the session that owned it was deleted.
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

// Write writes a note, with an end to its line. Without an error the note is on disk.
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
