package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"

	"betcode/messages"
)

// lockName is the file in the state directory that a daemon locks. It holds the
// daemon's pid, for the next one.
const lockName = "daemon.lock"

// How long a daemon waits for the lock of another one: of one that lives, for
// launchers, which look at it for microseconds; of one that was killed, for what
// it was just starting, which has the lock too until it has become another
// program. That takes some milliseconds, and however long on a busy machine.
const (
	livingPatience = time.Second
	deadPatience   = time.Minute
	lockPause      = 20 * time.Millisecond
)

// lockState refuses a second daemon on the same state, whatever its socket is.
// The lock is the kernel's: it ends with the process, however that ends.
func (d *daemon) lockState() error {
	d.lock = flock.New(filepath.Join(d.cfg.StateDir, lockName), flock.SetPermissions(0o600))
	for began := time.Now(); ; time.Sleep(lockPause) {
		locked, err := d.lock.TryLock()
		if err != nil {
			return err
		}
		if locked {
			return os.WriteFile(d.lock.Path(), strconv.AppendInt(nil, int64(os.Getpid()), 10), 0o600)
		}
		if waited := time.Since(began); waited > deadPatience || (waited > livingPatience && lockHolderLives(d.lock.Path())) {
			return messages.Errorf("lock", messages.Unavailable, "another daemon runs on %s", d.cfg.StateDir).
				WithHint("use that one, or stop it: betcode daemon stop")
		}
	}
}

// lockHolderLives reports whether the process that a lock names is there, or none
// is named.
func lockHolderLives(path string) bool {
	content, err := os.ReadFile(path)
	if err != nil {
		return true
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(content)))
	return err != nil || !processEnded(pid)
}
