package sidecar

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"betcode/actors/internal/notes"
	"betcode/messages"
)

// Fleet stores whether the fleet is stopped. It is safe for concurrent use.
//
// What survives a restart: all of it, in one small file, which exists while the fleet is stopped.
type Fleet struct {
	path string // empty = in memory alone

	mu   sync.Mutex // guards stop and the file
	stop messages.FleetStop
}

// fleetFile is the format of the file.
type fleetFile struct {
	Format int       `json:"format"`
	Since  time.Time `json:"since"`
	By     string    `json:"by,omitempty"`
	Reason string    `json:"reason,omitempty"`
}

const fleetFormat = 1

// maxReason bounds the stored reason of a stop, in bytes.
const maxReason = 1 << 10

// LoadFleet reads the state of an earlier daemon. If the file cannot be read, the fleet is stopped. The result can be
// used after an error as well.
func LoadFleet(path string, now time.Time) (*Fleet, error) {
	f := &Fleet{path: path}
	file, found, err := load(path, func(f fleetFile) error {
		if f.Format != fleetFormat || f.Since.IsZero() {
			return fmt.Errorf("format %d is not known", f.Format)
		}
		return nil
	})
	switch {
	case err != nil:
		f.stop = messages.FleetStop{Since: now, Reason: "the stop of an earlier daemon cannot be read"}
		return f, err
	case !found:
		return f, nil
	}
	f.stop = messages.FleetStop{Since: file.Since, By: messages.ClientID(file.By), Reason: file.Reason}
	return f, nil
}

// Stop stores that the fleet is stopped, unless it already is. After an error it is stopped in this daemon alone.
func (f *Fleet) Stop(stop messages.FleetStop) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stop.Stopped() {
		return nil
	}
	stop.Reason = stop.Reason[:min(len(stop.Reason), maxReason)]
	f.stop = stop
	if f.path == "" {
		return nil
	}
	content, err := json.Marshal(fleetFile{fleetFormat, stop.Since, string(stop.By), stop.Reason})
	if err != nil {
		return err
	}
	return notes.Write(f.path, content)
}

// Resume stores that the fleet is not stopped. After an error it stays stopped.
func (f *Fleet) Resume() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path != "" {
		if err := remove(f.path); err != nil {
			return err
		}
	}
	f.stop = messages.FleetStop{}
	return nil
}

// Present returns the state.
func (f *Fleet) Present() messages.FleetStop {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stop
}
