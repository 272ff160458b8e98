//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"betcode/actors/internal/launch"
	"betcode/messages"
)

const opAdopt = "adopt agent"

// slowest is the longest pause between two polls of a launcher's record.
const slowest = 100 * time.Millisecond

// Adopt returns the fate of a run that an earlier daemon, a crashed actor, or a [Spawn]
// that returned an error intended. The Process is not nil if, and only if, the outcome is
// Running.
//
// An error means that the fate is unknown: the launcher is still busy (DeadlineExceeded,
// Canceled: call again), or the run directory is damaged.
func Adopt(ctx context.Context, record messages.RunRecord) (*Process, Fate, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	a := adoption{record: record, dir: record.Directory}
	switch err := a.read(ctx); {
	case err != nil:
		return nil, Fate{}, err
	case a.recorded && a.started.Agent.PID == 0:
		start := &StartError{Stage: a.started.Stage, Err: a.started.Errno}
		return nil, Fate{NeverStarted, unseen("never started: " + string(a.started.Stage) + ": " + a.started.Error), start}, nil
	}
	for _, candidate := range a.candidates() {
		h, err := open(candidate, record.Token)
		if errors.Is(err, errNotOurs) {
			continue
		}
		if err != nil {
			return nil, Fate{}, &messages.Error{Op: opAdopt, Kind: messages.Exhausted, Err: err}
		}
		p, err := follow(a.dir, record.Token, candidate, a.launcher(), h)
		return p, Fate{}, err
	}
	fate, err := a.dead(ctx)
	return nil, fate, err
}

// adoption is the state of adopting one run.
type adoption struct {
	record   messages.RunRecord
	dir      string
	started  launch.Started
	recorded bool // the launcher wrote started
}

// read reads the launcher's record. While there is none and a process holds the lock, a
// launcher is about to write it. If the journal knows the agent, or a search finds it,
// there was a record, and it has been damaged.
func (a *adoption) read(ctx context.Context) error {
	path := filepath.Join(a.dir, launch.StartedFile)
	for wait := 2 * time.Millisecond; ; wait = min(2*wait, slowest) {
		busy := locked(a.dir) // before reading: the holder writes the record before it releases the lock
		err := readRecord(path, &a.started)
		switch {
		case err == nil:
			a.recorded = true
			return nil
		case !errors.Is(err, errNoRecord):
			return &messages.Error{Op: opAdopt, Kind: messages.KindOf(err), Err: err}
		case !busy, a.record.Process.PID != 0:
			return nil
		case wait == slowest:
			if _, found := search(a.dir, a.record.Token); found {
				return nil
			}
		}
		if sleep(ctx, wait) != nil {
			return contextError(opAdopt, ctx)
		}
	}
}

// candidates returns the processes that may be the agent: those in the records of the
// launcher and the journal, and if neither has one, the result of a search.
func (a *adoption) candidates() []messages.ProcessIdentity {
	var all []messages.ProcessIdentity
	if a.recorded {
		all = append(all, identity(a.started.Agent, a.started.BootID))
	}
	if a.record.Process.PID != 0 && (!a.recorded || a.record.Process != all[0]) {
		all = append(all, a.record.Process)
	}
	if len(all) == 0 {
		if found, ok := search(a.dir, a.record.Token); ok {
			all = append(all, found)
		}
	}
	return all
}

func (a *adoption) launcher() messages.ProcessIdentity {
	if a.recorded {
		return identity(a.started.Launcher, a.started.BootID)
	}
	return a.record.Launcher
}

// dead returns the fate of a run without a live agent.
func (a *adoption) dead(ctx context.Context) (Fate, error) {
	if !a.recorded && a.record.Process.PID == 0 && !a.hasOutput() {
		return Fate{Outcome: NeverStarted, Exit: unseen("never started")}, nil
	}
	// The agent may have just ended, and its launcher may be writing the record.
	if awaitLauncher(ctx, a.dir) != nil {
		return Fate{}, contextError(opAdopt, ctx)
	}
	exit := exitOf(a.dir)
	if boot := a.boot(); !exit.Known && boot != "" && boot != launch.BootID() {
		exit.Reason = "the end was not recorded: the machine was restarted"
	}
	return Fate{Outcome: Ended, Exit: exit}, nil
}

func (a *adoption) boot() string {
	if a.recorded {
		return a.started.BootID
	}
	return a.record.Process.BootID
}

// hasOutput reports whether the agent has written any output.
func (a *adoption) hasOutput() bool {
	for _, name := range []string{launch.StdoutFile, launch.StderrFile, launch.StartedFile, launch.EndedFile} {
		if s, err := os.Stat(filepath.Join(a.dir, name)); err == nil && (s.Size() > 0 || name == launch.StartedFile) {
			return true
		}
	}
	return false
}

// awaitLauncher waits until no launcher holds the lock of a run. A launcher holds it until it has written its last record.
func awaitLauncher(ctx context.Context, dir string) error {
	for wait := 2 * time.Millisecond; locked(dir); wait = min(2*wait, slowest) {
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
	return nil
}

// locked reports whether Spawn or a launcher holds the lock of a run.
func locked(dir string) bool {
	fd, err := unix.Open(filepath.Join(dir, launch.LockFile), unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	return errors.Is(unix.Flock(fd, unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
