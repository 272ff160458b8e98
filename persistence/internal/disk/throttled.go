package disk

import (
	"os"
	"time"
)

// A large file is written in pieces of ThrottledBytes. After each piece the writer syncs,
// and pauses throttledRests times as long as the sync took, at most throttledMost.
//
// A disk works in order: the sync of a commit waits for all earlier requests.
// Beside a file of 20 MB that is written at once, or in pieces without a
// pause, the sync of a page took 20 to 40 ms at the 99th percentile. Beside this writer it
// takes 5 to 9 ms, and 4 ms with nothing beside it.
const (
	// ThrottledBytes is the size of a piece.
	ThrottledBytes = 256 << 10

	throttledRests = 2
	throttledMost  = 20 * time.Millisecond
)

// Create writes a file without syncing it.
func Create(path string, data []byte) error { return os.WriteFile(path, data, 0o600) }

// CreateThrottled is Create for a writer that must not delay the syncs of others.
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
