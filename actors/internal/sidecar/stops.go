package sidecar

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"betcode/actors/internal/notes"
	"betcode/messages"
)

// Stops are the saved stops: sessions that are to be stopped although the journal could not store that. A stop does not wait
// for the journal: the agent is ended at once, and the consequences of the stop (nothing starts again, nothing continues) are
// stored here until the journal has it. Stops is safe for concurrent use.
//
// What survives a restart: all of it, one small file for each session. A stop whose file cannot be written stays in memory, and
// so survives the rebuild of its session.
type Stops struct {
	directory string // empty = in memory alone

	mu     sync.Mutex
	wanted map[messages.SessionID]messages.RunNumber

	disk sync.Mutex // guards the files
}

// stopFile is the format of such a file. Its name is the session's id.
type stopFile struct {
	Format int                `json:"format"`
	Run    messages.RunNumber `json:"run"` // the newest at the time of the stop
}

const stopFormat = 1

// LoadStops reads the stops of an earlier daemon. A file that cannot be read still stops its session. The
// result can be used after an error as well.
func LoadStops(directory string) (*Stops, error) {
	s := &Stops{directory: directory, wanted: map[messages.SessionID]messages.RunNumber{}}
	files, err := os.ReadDir(directory)
	if errors.Is(err, fs.ErrNotExist) || directory == "" {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("read stops: %w", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file.Name(), notes.Half) {
			continue // half-written: no caller got an answer that it is saved
		}
		var f stopFile
		words, err := os.ReadFile(filepath.Join(directory, file.Name()))
		if err != nil || json.Unmarshal(words, &f) != nil || f.Format != stopFormat {
			f.Run = math.MaxUint64
		}
		s.wanted[messages.SessionID(file.Name())] = f.Run
	}
	return s, nil
}

// Of returns the run at which a session was to be stopped; false if there is no stop.
func (s *Stops) Of(id messages.SessionID) (messages.RunNumber, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	run, wanted := s.wanted[id]
	return run, wanted
}

// Want records in memory that a session is to be stopped. Save makes it durable.
func (s *Stops) Want(id messages.SessionID, run messages.RunNumber) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted[id] = run
}

// Drop removes the stop of a session from memory. Save makes it durable.
func (s *Stops) Drop(id messages.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.wanted, id)
}

// Save writes the present state of a session's stop. Without an error it is durable.
func (s *Stops) Save(id messages.SessionID) error {
	if s.directory == "" {
		return nil
	}
	s.disk.Lock()
	defer s.disk.Unlock()
	path := filepath.Join(s.directory, string(id))
	run, wanted := s.Of(id)
	if !wanted {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget stop: %w", err) // the next daemon stops the session once more
		}
		return nil
	}
	words, err := json.Marshal(stopFile{Format: stopFormat, Run: run})
	if err == nil {
		err = os.MkdirAll(s.directory, 0o700)
	}
	if err == nil {
		err = notes.Write(path, words)
	}
	if err != nil {
		return fmt.Errorf("note stop: %w", err)
	}
	return nil
}
