package sidecar

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// load reads a file of JSON that known accepts. It returns false without an error if there is no path or no file.
func load[F any](path string, known func(F) error) (file F, found bool, err error) {
	if path == "" {
		return file, false, nil
	}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return file, false, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &file)
	}
	if err == nil {
		err = known(file)
	}
	if err != nil {
		return file, false, fmt.Errorf("read %s: %w", path, err)
	}
	return file, true, nil
}

// remove removes a file, if it exists.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
