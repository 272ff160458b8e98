package statedir

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"

	"betcode/messages"
)

// How long [Lock] waits for the holder. A living holder may be a launcher, which takes the lock for microseconds. A dead
// daemon's lock is kept by a child that it was just starting, until that child has executed its program: milliseconds,
// or much longer on a busy machine.
const (
	livingPatience = time.Second
	deadPatience   = time.Minute
	lockPoll       = 20 * time.Millisecond
)

// Lock locks a state directory for the daemon in this process and writes its pid to the lock file. It refuses if another
// daemon has the directory, whatever that daemon's socket is.
func Lock(state string) (*flock.Flock, error) {
	lock := fileLock(state)
	if err := await(lock, state); err != nil {
		_ = lock.Close() // it is not locked, or the first error is the cause
		return nil, err
	}
	return lock, nil
}

func await(lock *flock.Flock, state string) error {
	for began := time.Now(); ; time.Sleep(lockPoll) {
		locked, err := lock.TryLock()
		if err != nil {
			return err
		}
		if locked {
			return os.WriteFile(lock.Path(), strconv.AppendInt(nil, int64(os.Getpid()), 10), 0o600)
		}
		if waited := time.Since(began); waited > deadPatience || (waited > livingPatience && mayLive(lock.Path())) {
			return messages.Errorf("lock", messages.Unavailable, "another daemon runs on %s", state).
				WithHint("use that daemon, or stop it: betcode daemon stop")
		}
	}
}

// TryLock keeps daemons from a state directory until release is called. It refuses at once if one has it. op is the
// operation that the error names.
func TryLock(op, state string) (release func(), err error) {
	lock := fileLock(state)
	locked, err := lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !locked {
		_ = lock.Close() // nothing was written
		return nil, messages.Errorf(op, messages.Unavailable, "a daemon runs on %s", state).
			WithHint("stop it first: betcode daemon stop")
	}
	return func() { _ = lock.Close() }, nil
}

func fileLock(state string) *flock.Flock {
	return flock.New(filepath.Join(state, LockName), flock.SetPermissions(0o600))
}

// mayLive reports whether the process that a lock file names is alive; true for a file that names none.
func mayLive(path string) bool {
	content, err := os.ReadFile(path)
	if err != nil {
		return true
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(content)))
	return err != nil || !ProcessEnded(pid)
}

// Holder is a daemon known by its lock on a state directory.
type Holder struct {
	PID   int // never 0
	State string
}

// HolderOf returns the daemon that has a state directory; false if none has it, or it cannot be determined.
func HolderOf(state string) (Holder, bool) {
	path := filepath.Join(state, LockName)
	content, err := os.ReadFile(path)
	if err != nil {
		return Holder{}, false
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	defer lock.Close()
	if locked, err := lock.TryRLock(); locked || err != nil {
		return Holder{}, false
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(content)))
	if err != nil || pid <= 0 || ProcessEnded(pid) {
		return Holder{}, false
	}
	return Holder{pid, state}, true
}
