package actors

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Notes are small files beside the journal, each written whole or not at all, with an end
// to its line.

// halfNote ends the name of a note that is being written.
const halfNote = ".new"

// replaceNote writes a note that may be lost: after a loss of power it may be the one
// before. A directory that is not there any more, because its session was deleted,
// gets none.
func replaceNote(path string, content []byte) error {
	err := os.WriteFile(path+halfNote, append(content, '\n'), 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Rename(path+halfNote, path)
}

// writeDurably writes a note that is on disk when there is no error.
func writeDurably(path string, content []byte) error {
	file, err := os.OpenFile(path+halfNote, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(content, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+halfNote, path); err != nil {
		return err
	}
	directory, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}
