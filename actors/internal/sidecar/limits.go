package sidecar

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"betcode/actors/internal/notes"
	"betcode/messages"
)

// Limits stores the limits of accounts that keep turns from starting. It is safe for concurrent use.
//
// What survives a restart: the saved limits, in one small file, which exists while there is a limit.
type Limits struct {
	path string // empty = in memory alone

	mu     sync.Mutex // guards the fields below and the file
	limits []messages.FleetLimit
}

// limitsFile is the format of the file.
type limitsFile struct {
	Format int         `json:"format"`
	Limits []fileLimit `json:"limits"`
}

type fileLimit struct {
	Account string    `json:"account,omitempty"`
	Session string    `json:"session"`
	Kind    string    `json:"kind,omitempty"`
	Since   time.Time `json:"since"`
	Until   time.Time `json:"until"`
	Resets  time.Time `json:"resets"`
}

const limitsFormat = 1

// LoadLimits reads the limits of an earlier daemon. A file that cannot be read is no limit: the first turn that the account
// refuses makes a new one. The result can be used after an error as well.
func LoadLimits(path string) (*Limits, error) {
	l := &Limits{path: path}
	file, _, err := load(path, func(f limitsFile) error {
		if f.Format != limitsFormat {
			return fmt.Errorf("format %d is not known", f.Format)
		}
		return nil
	})
	if err != nil {
		return l, err
	}
	for _, f := range file.Limits {
		l.limits = append(l.limits, messages.FleetLimit{
			Account: f.Account, Session: messages.SessionID(f.Session), Kind: f.Kind, Since: f.Since, Until: f.Until, Resets: f.Resets,
		})
	}
	return l, nil
}

// Present returns the limits.
func (l *Limits) Present() []messages.FleetLimit {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.limits
}

// Hold replaces the limits in memory.
func (l *Limits) Hold(limits []messages.FleetLimit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limits = limits
}

// Set replaces the limits and stores them. After an error the former ones stay.
func (l *Limits) Set(limits []messages.FleetLimit) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.write(limits)
	if err == nil {
		l.limits = limits
	}
	return err
}

// Save stores the present limits.
func (l *Limits) Save() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.write(l.limits)
}

func (l *Limits) write(limits []messages.FleetLimit) error {
	if l.path == "" {
		return nil
	}
	if len(limits) == 0 {
		return remove(l.path)
	}
	file := limitsFile{Format: limitsFormat}
	for _, f := range limits {
		file.Limits = append(file.Limits, fileLimit{
			Account: f.Account, Session: string(f.Session), Kind: f.Kind, Since: f.Since, Until: f.Until, Resets: f.Resets,
		})
	}
	content, err := json.Marshal(file)
	if err != nil {
		return err
	}
	return notes.Write(l.path, content)
}
