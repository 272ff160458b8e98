package retention

import (
	"cmp"
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

// The default limits of the archives.
const (
	archiveBytes = 5 << 30
	archiveAge   = 30 * 24 * time.Hour
)

// Archiver compresses the output of agents into archives beside their spools, and frees the space of the spools. A live spool is
// archived in steps below the committed offset, a finished one whole. When the archives are too old or too large, the oldest are
// removed first.
//
// It works on a background worker; failures are reported there.
type Archiver struct {
	runs   string // the directory of the run directories
	bytes  int64
	age    time.Duration
	worker *act.Worker
}

// NewArchiver returns an archiver of the spools below a directory; no bytes and no age mean the defaults.
func NewArchiver(worker *act.Worker, runs string, bytes int64, age time.Duration) *Archiver {
	return &Archiver{runs: runs, bytes: cmp.Or(bytes, archiveBytes), age: cmp.Or(age, archiveAge), worker: worker}
}

// Live archives the spool in the directory of a running agent, up to an offset.
func (a *Archiver) Live(directory string, to int64) {
	a.worker.Do(func() any { return act.Failure(spool.Seal(filepath.Join(directory, process.StdoutFile), to)) })
}

// Ended archives the spools of a session's ended runs, up to a run number. directory is that of the session.
func (a *Archiver) Ended(directory string, upTo messages.RunNumber) {
	a.worker.Do(func() any {
		runs, err := os.ReadDir(directory)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		for _, run := range runs {
			if n, bad := strconv.ParseUint(run.Name(), 10, 64); bad == nil && messages.RunNumber(n) <= upTo {
				err = errors.Join(err, spool.Finish(filepath.Join(directory, run.Name(), process.StdoutFile)))
			}
		}
		return act.Failure(err)
	})
}

// Sweep removes the archives that are too old or too large.
func (a *Archiver) Sweep(now time.Time) {
	a.worker.Do(func() any {
		return act.Failure(spool.Sweep(filepath.Join(a.runs, "*", "*", process.StdoutFile), now.Add(-a.age), a.bytes))
	})
}
