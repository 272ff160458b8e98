package sidecar

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

// Versions are the versions of the agent that do not continue a turn by themselves although their environment asks for it.
// The agent's documentation does not list them, so they are learned: a version counts as continuing until it once did
// not. Versions is safe for concurrent use.
//
// What survives a restart: all of it, in a small file beside the run directories.
type Versions struct {
	path string // empty = in memory alone

	mu    sync.Mutex
	stays []string // sorted; replaced as a whole
}

// versionsFile is the file's format.
type versionsFile struct {
	Format        int      `json:"format"`
	NotContinuing []string `json:"not_continuing"`
}

const versionsFormat = 1

// LoadVersions reads the versions from a file. After an error the result can be used and has no version.
func LoadVersions(path string) (*Versions, error) {
	v := &Versions{path: path}
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

// NotContinuing returns the versions, sorted. The slice is never changed later.
func (v *Versions) NotContinuing() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.stays
}

// Add adds a version, in memory and in the file.
func (v *Versions) Add(version string) error {
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
