package actors

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

// stops remembers the sessions that are to be stopped although the journal could
// not take that down. Stop beats everything, the journal too: the agent is ended at
// once, and what is to follow from it (nothing is started again, nothing continued)
// is noted here until the journal has it. Sessions read it, from any goroutine.
//
// What survives a restart: all of it, one small file for each session. In memory
// alone it outlives a rebuilt session, should nothing at all be writable.
type stops struct {
	directory string // empty = in memory alone

	mu     sync.Mutex
	wanted map[messages.SessionID]messages.RunNumber

	disk sync.Mutex // held around what is done with files
}

// stopFile is the format of such a file. Its name is the session's id.
type stopFile struct {
	Format int                `json:"format"`
	Run    messages.RunNumber `json:"run"` // the newest when the stop was asked for
}

const stopFormat = 1

// loadStops reads what an earlier daemon could not write down elsewhere. A file that
// cannot be understood still says which session it is about.
func loadStops(directory string) (*stops, error) {
	s := &stops{directory: directory, wanted: map[messages.SessionID]messages.RunNumber{}}
	files, err := os.ReadDir(directory)
	if errors.Is(err, fs.ErrNotExist) || directory == "" {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("read stops: %w", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file.Name(), notes.Half) {
			continue // nobody was told that it is noted
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

// of returns the run at which a session was to be stopped, if it was.
func (s *stops) Of(id messages.SessionID) (messages.RunNumber, bool) {
	if s == nil {
		return 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	run, wanted := s.wanted[id]
	return run, wanted
}

// want remembers in memory that a session is to be stopped, drop that it is no
// longer, or that the journal has it. save makes it so on disk.
func (s *stops) Want(id messages.SessionID, run messages.RunNumber) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted[id] = run
}

func (s *stops) Drop(id messages.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.wanted, id)
}

// save writes down what is remembered of a session now. It is on disk when there is
// no error.
func (s *stops) Save(id messages.SessionID) error {
	if s.directory == "" {
		return nil
	}
	s.disk.Lock()
	defer s.disk.Unlock()
	path := filepath.Join(s.directory, string(id))
	run, wanted := s.Of(id)
	if !wanted {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget stop: %w", err) // the next daemon stops it once more
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
