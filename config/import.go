package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The parts of the agent's directory that are copied: its settings and rules.
const importedRules = "rules"

// The bounds of a copy. A larger directory is unlikely to contain only rules.
const (
	maxImported      = 1000
	maxImportedBytes = maxSettings
)

// ImportStep is one file to be copied.
type ImportStep struct {
	From, To string
	Exists   bool // To exists and is not replaced
}

// AgentDir returns the directory of the agent's settings: $CLAUDE_CONFIG_DIR, or ~/.claude.
func (e Environment) AgentDir() (string, error) {
	if dir := e.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return e.absolute(dir)
	}
	return e.underHome(".claude")
}

// PlanImport returns the files that would be copied from the agent's directory into the
// daemon's. Existing files are not replaced. Invalid settings are an error with all invalid
// lines; a missing or empty directory is an empty plan.
func PlanImport(from, to string) ([]ImportStep, error) {
	var steps []ImportStep
	settings := filepath.Join(from, SettingsFile)
	switch _, err := os.Stat(settings); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("import settings: %w", err)
	default:
		if _, err := ReadFile(settings, FromUser); err != nil {
			return nil, err
		}
		steps = append(steps, step(settings, filepath.Join(to, SettingsFile)))
	}
	rules := filepath.Join(from, importedRules)
	if _, err := os.Lstat(rules); errors.Is(err, fs.ErrNotExist) {
		return steps, nil
	}
	err := filepath.WalkDir(rules, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Stat(path) // a link to a file is copied as the file
		if err != nil || !info.Mode().IsRegular() {
			return nil //nolint:nilerr // skip dangling links, directories and pipes
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case len(steps) >= maxImported:
			return fmt.Errorf("%s has more than %d files", rules, maxImported)
		case info.Size() > maxImportedBytes:
			return fmt.Errorf("%s has %d bytes, the limit is %d", path, info.Size(), maxImportedBytes)
		}
		steps = append(steps, step(path, filepath.Join(to, name)))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("import rules: %w", err)
	}
	return steps, nil
}

func step(from, to string) ImportStep {
	_, err := os.Lstat(to)
	return ImportStep{From: from, To: to, Exists: err == nil}
}

// Do copies the file, unless it exists meanwhile. Only the user can read the copy. It is a copy and
// not a link, so that later changes by one program do not affect the other.
func (s ImportStep) Do() error {
	content, err := os.ReadFile(s.From)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(s.To), 0o700)
	}
	if err != nil {
		return fmt.Errorf("import %s: %w", s.From, err)
	}
	if err := createFile(s.To, content); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("import %s: %w", s.From, err)
	}
	return nil
}
