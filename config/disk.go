package config

import (
	"fmt"
	"time"
)

// Disk is how much of the disk the daemon may fill. All sizes are bytes.
type Disk struct {
	ArchiveBytes int64         // of the record of what agents wrote; 0 = the default
	ArchiveAge   time.Duration // of the same; 0 = the default
	SpoolQuota   int64         // an agent that is so far ahead of the journal is held; 0 = the default
	Low          int64         // with less room the disk counts as full; 0 = by the size of the filesystem
}

// resolveDisk reads what is said about the disk.
func (d *Daemon) resolveDisk(e Environment) (err error) {
	for _, v := range []struct {
		name string
		to   *int64
	}{
		{"BETCODE_DISK_LOW", &d.Disk.Low},
		{"BETCODE_ARCHIVE_BYTES", &d.Disk.ArchiveBytes},
		{"BETCODE_SPOOL_QUOTA", &d.Disk.SpoolQuota},
	} {
		if s := e.Getenv(v.name); s != "" {
			if *v.to, err = sizeOf(s); err != nil || *v.to == 0 {
				return fmt.Errorf("read %s: %q is no size; write for example 512MiB", v.name, s)
			}
		}
	}
	if s := e.Getenv("BETCODE_ARCHIVE_AGE"); s != "" {
		if d.Disk.ArchiveAge, err = parseDuration(s); err != nil || d.Disk.ArchiveAge <= 0 {
			return fmt.Errorf("read BETCODE_ARCHIVE_AGE: %q is no time; write for example 30d", s)
		}
	}
	return nil
}
