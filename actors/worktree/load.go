package worktree

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// suffix ends the name of a record's file; before it is the id of the record.
const suffix = ".json"

// load reads the files with a suffix in a directory, which it creates: records by their ids. Records that cannot be read, or that
// check refuses, are joined into the error; their files stay.
func load[R any](dir, suffix string, check func(id string, rec R) error) (map[string]R, error) {
	records := map[string]R{}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return records, err
	}
	entries, err := os.ReadDir(dir)
	problems := []error{err}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), suffix)
		if !ok {
			continue
		}
		var rec R
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err == nil {
			err = json.Unmarshal(content, &rec)
		}
		if err == nil {
			err = check(id, rec)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("read %s: %w", e.Name(), err))
			continue
		}
		records[id] = rec
	}
	return records, errors.Join(problems...)
}
