package disk

import (
	"os"
	"time"
)

// How a large file is written beside commits: so many bytes at a time, after which
// it is rested so many times as long as their sync took, at most so long.
//
// A disk takes what it was given in order: the sync of a commit waits for all that
// was asked of the disk before. Beside a file of 20 MB that is written at once, or
// in pieces without rest, a sync of a page took 20 to 40 ms at the 99th percentile;
// beside this one 5 to 9, where it is 4 with nothing beside it.
const (
	ThrottledBytes = 256 << 10
	throttledRests = 2
	throttledMost  = 20 * time.Millisecond
)

// Create makes a file. It is not on disk yet.
func Create(path string, data []byte) error { return os.WriteFile(path, data, 0o600) }

// CreateThrottled is createFile for one that others must not notice.
func CreateThrottled(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	for err == nil && len(data) > 0 {
		n := min(ThrottledBytes, len(data))
		if _, err = f.Write(data[:n]); err != nil {
			break
		}
		if data = data[n:]; len(data) == 0 {
			break
		}
		began := time.Now()
		if err = SyncData(f); err == nil {
			time.Sleep(min(throttledRests*time.Since(began), throttledMost))
		}
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}
