//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"betcode/actors/internal/launch"
	"betcode/messages"
)

// Orphan is a run whose agent lives, found by its run directory alone.
type Orphan struct {
	Directory       string
	Agent, Launcher messages.ProcessIdentity

	token string
}

// FindOrphans returns the runs below a session's directory whose agents live. It skips
// anything that is not a run directory or cannot be read.
func FindOrphans(session string) []Orphan {
	entries, err := os.ReadDir(session)
	if err != nil {
		return nil
	}
	var found []Orphan
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if s, lives := findOrphan(filepath.Join(session, e.Name())); lives {
			found = append(found, s)
		}
	}
	return found
}

// findOrphan reports whether the agent in a launcher's record is still the process with its
// pid.
func findOrphan(dir string) (Orphan, bool) {
	var started launch.Started
	if err := readRecord(filepath.Join(dir, launch.StartedFile), &started); err != nil || started.Agent.PID <= 0 {
		return Orphan{}, false
	}
	s := Orphan{Directory: dir, Agent: identity(started.Agent, started.BootID), Launcher: identity(started.Launcher, started.BootID)}
	if s.Agent.BootID != launch.BootID() || !lives(s.Agent) {
		return Orphan{}, false
	}
	token, known := tokenOf(s.Agent.PID)
	if known && token == "" || token == os.Getenv(launch.TokenVariable) && token != "" {
		return Orphan{}, false // the pid is another process's by now, or the agent is above or below this process
	}
	s.token = token
	return s, true
}

// Is reports whether the agent of a run record is this one, and can be followed: its
// directory is the one in the record.
func (s Orphan) Is(r *messages.RunRecord) bool {
	if r == nil || s.token != "" && r.Token != s.token {
		return false
	}
	here, err1 := os.Stat(s.Directory)
	there, err2 := os.Stat(r.Directory)
	return err1 == nil && err2 == nil && os.SameFile(here, there)
}

// End kills the agent and its descendants, and waits for their end.
func (s Orphan) End(ctx context.Context) error {
	if s.token == "" {
		// Nothing proves which run the other processes belong to, so only the agent is ended.
		h, err := open(s.Agent, s.token)
		if errors.Is(err, errNotOurs) {
			return nil
		}
		if err != nil {
			return err
		}
		defer h.close()
		if err := h.signal(unix.SIGKILL); err != nil {
			return err
		}
		return h.wait(ctx)
	}
	return KillLeftovers(ctx, messages.RunRecord{Directory: s.Directory, Token: s.token, Process: s.Agent, Launcher: s.Launcher})
}
