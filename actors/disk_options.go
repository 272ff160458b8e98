package actors

import (
	"time"

	"betcode/actors/disk"
	measure "betcode/actors/internal/disk"
	"betcode/actors/internal/spool"
)

// DiskOptions say how much of the disk the daemon may fill.
type DiskOptions struct {
	Low          int64         // with fewer free bytes the disk of RunsDirectory counts as full; 0 = 512 MiB, or a twentieth of a small one
	ArchiveBytes int64         // of the record of what agents wrote; 0 = 5 GiB
	ArchiveAge   time.Duration // of the same; 0 = 30 days
	SpoolQuota   int64         // an agent that is so many bytes ahead of the journal is frozen; 0 = 1 GiB, negative = none
	Reserve      string        // a file that keeps room for a full disk; empty = none

	look      func() (measure.Space, error)         // for tests: how much room there is; nil = as the filesystem of RunsDirectory says
	openSpool func(path string) (spool.File, error) // for tests: the files that agents write; nil = as they are
}

// newMeter returns the meter of the disk that holds the run directories.
func newMeter(o Options) *disk.Meter {
	look := o.Disk.look
	if look == nil {
		look = func() (measure.Space, error) { return measure.Look(o.RunsDirectory) }
	}
	return disk.NewMeter(o.Disk.Low, look)
}
