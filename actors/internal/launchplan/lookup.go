package launchplan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// shownDirectories bounds how many directories of a PATH an error lists.
const shownDirectories = 20

// lookUp returns the absolute path of the agent's program. The error has the places that were searched.
func lookUp(program string) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return "", &missing{text: lookedFor(program, os.Getenv("PATH")), cause: err}
	}
	return filepath.Abs(path)
}

// missing is the failure to find a program.
type missing struct {
	text  string
	cause error
}

// Error returns the places that were searched, and the cause.
func (m *missing) Error() string {
	cause := m.cause
	var lookup *exec.Error
	if errors.As(cause, &lookup) {
		cause = lookup.Err // without the name, which the caller adds
	}
	var file *fs.PathError
	if errors.As(cause, &file) {
		cause = file.Err
	}
	if errors.Is(cause, exec.ErrNotFound) {
		return m.text
	}
	return m.text + ": " + cause.Error()
}

// Unwrap returns the cause.
func (m *missing) Unwrap() error { return m.cause }

// lookedFor returns the places that are searched for a program: its path, or the directories of a PATH.
func lookedFor(program, path string) string {
	if strings.ContainsRune(program, filepath.Separator) {
		return "agent.path names it"
	}
	var directories []string
	for _, dir := range filepath.SplitList(path) {
		if dir != "" && !slices.Contains(directories, dir) {
			directories = append(directories, dir)
		}
	}
	if len(directories) == 0 {
		return "the daemon's PATH is empty"
	}
	more := ""
	if n := len(directories) - shownDirectories; n > 0 {
		directories, more = directories[:shownDirectories], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("it is in no directory of the daemon's PATH: %s%s", strings.Join(directories, ", "), more)
}
