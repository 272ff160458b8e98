package actors

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/internal/process"
	"betcode/actors/internal/spool"
	"betcode/messages"
)

// What an agent wrote is kept as it was, long after it became events: compressed
// beside its spool, whose room is given back. A live spool is archived in steps below
// the committed offset, a finished one whole. The oldest archives go first when they
// are too old or too many.

// archiveStep is how much of a live spool is archived at once.
const archiveStep = 8 << 20

// What is kept of the archives, unless the operator says otherwise.
const (
	archiveBytes = 5 << 30
	archiveAge   = 30 * 24 * time.Hour
	archiveEvery = time.Hour // between two looks for what is to go
)

// The effects: archive a live spool up to an offset; archive those of a session's
// runs that have ended.
type (
	archiveSpool struct{ to int64 }
	archiveRuns  struct {
		directory string
		upTo      messages.RunNumber
	}
)

func (archiveSpool) effect() {}
func (archiveRuns) effect()  {}

// archive archives as much of the spool as is journaled. The last byte of what is
// stays where it is: who opens the spool looks at it.
func (s runState) archive() (runState, []effect) {
	to := (s.quota.journaled - 1) / archiveStep * archiveStep
	if !spool.Punches || to <= s.archived || s.phase != runLive {
		return s, nil
	}
	s.archived = to
	return s, []effect{archiveSpool{to}}
}

// archiveLive is the job of an archiveSpool.
func (s *System) archiveLive(directory string, to int64) {
	s.archivist.Do(func() any { return act.Failure(spool.Seal(filepath.Join(directory, process.StdoutFile), to)) })
}

// archiveEnded is the job of an archiveRuns.
func (s *System) archiveEnded(e archiveRuns) {
	s.archivist.Do(func() any {
		runs, err := os.ReadDir(e.directory)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		for _, run := range runs {
			if n, bad := strconv.ParseUint(run.Name(), 10, 64); bad == nil && messages.RunNumber(n) <= e.upTo {
				err = errors.Join(err, spool.Finish(filepath.Join(e.directory, run.Name(), process.StdoutFile)))
			}
		}
		return act.Failure(err)
	})
}

// sweepArchives removes what is no longer to be kept, every hour.
func (s *System) sweepArchives(now time.Time) {
	o := s.options.Disk
	s.archivist.Do(func() any {
		return act.Failure(spool.Sweep(filepath.Join(s.options.RunsDirectory, "*", "*", process.StdoutFile), now.Add(-o.ArchiveAge), o.ArchiveBytes))
	})
}

// rawOutput works in the goroutine of who asks.
func (s *System) rawOutput(ctx context.Context, m messages.GetRawOutput) (messages.Reply, error) {
	const op = "read raw output"
	loaded, err := s.options.Store.Load(m.Session)
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	if !loaded.Found {
		return nil, messages.Errorf(op, messages.NotFound, "session %q does not exist", m.Session).WithCode(messages.SessionNotFound)
	}
	run := m.Run
	if run == 0 {
		run = loaded.Record.Run
	}
	path := filepath.Join(s.options.RunsDirectory, string(m.Session), strconv.FormatUint(uint64(run), 10), process.StdoutFile)
	switch err := spool.Raw(ctx, path, m.Give); {
	case err == nil:
		return messages.Done{}, nil
	case messages.KindOf(err) == messages.NotFound:
		return nil, messages.Errorf(op, messages.NotFound, "nothing is kept of run %d; the newest is %d", run, loaded.Record.Run)
	default:
		return nil, messages.AsError(op, err)
	}
}
