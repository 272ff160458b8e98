package statedir

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace replaces a file, durably: after a crash it has the former content or this one. Only the
// user can read it.
func Replace(path string, content []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil // the file exists; only a power loss could undo it
	}
	_ = dir.Sync() // as well as the file system can
	return dir.Close()
}
