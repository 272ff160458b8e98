package actors

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"

	"betcode/actors/internal/notes"
)

// versions knows which versions of the agent do not continue a turn by themselves
// although they are told to by their environment. That is not in the agent's
// documentation, so it is learned from what they do: a version is believed to
// continue until it has not, once. A session reads it before each step.
//
// What survives a restart: all of it, in a small file beside the run directories.
type versions struct {
	path string

	mu    sync.Mutex
	stays []string // replaced as a whole
}

// versionsFile is the file's format.
type versionsFile struct {
	Format        int      `json:"format"`
	NotContinuing []string `json:"not_continuing"`
}

const versionsFormat = 1

// loadVersions reads what was learned. A file that is not there, or cannot be
// understood, knows nothing: it will be learned again.
func loadVersions(path string) (*versions, error) {
	v := &versions{path: path}
	words, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || path == "" {
		return v, nil
	}
	var file versionsFile
	if err == nil {
		err = json.Unmarshal(words, &file)
	}
	if err == nil && file.Format != versionsFormat {
		err = fmt.Errorf("its format is %d, this program knows %d", file.Format, versionsFormat)
	}
	if err != nil {
		return v, fmt.Errorf("read agent versions: %w", err)
	}
	v.stays = file.NotContinuing
	slices.Sort(v.stays)
	return v, nil
}

// known returns what has been learned. It is not changed later.
func (v *versions) known() []string {
	if v == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.stays
}

// note remembers that a version does not, at once and on disk.
func (v *versions) note(version string) error {
	v.mu.Lock()
	at, known := slices.BinarySearch(v.stays, version)
	if !known {
		v.stays = slices.Insert(slices.Clone(v.stays), at, version)
	}
	file := versionsFile{Format: versionsFormat, NotContinuing: v.stays}
	v.mu.Unlock()
	if known || v.path == "" {
		return nil
	}
	words, err := json.Marshal(file)
	if err == nil {
		err = notes.Replace(v.path, words)
	}
	if err != nil {
		return fmt.Errorf("write agent versions: %w", err)
	}
	return nil
}
