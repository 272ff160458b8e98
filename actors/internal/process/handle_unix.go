//go:build unix

package process

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"betcode/actors/internal/launch"
	"betcode/messages"
)

// handle refers to one process, also after its pid is reused.
type handle interface {
	// wait returns nil when the process has ended, also as a zombie. Only one
	// goroutine may wait.
	wait(ctx context.Context) error
	signal(sig unix.Signal) error
	// reap takes the zombie, if it is a child of ours.
	reap()
	close()
}

// errNotOurs reports that a pid now belongs to another process, or to none.
var errNotOurs = errors.New("no such process of ours")

// open returns a handle for the process id of a run with token, or an error that
// is errNotOurs if that process has ended.
func open(id messages.ProcessIdentity, token string) (handle, error) {
	if id.PID <= 0 || id.BootID != launch.BootID() {
		return nil, errNotOurs
	}
	h, err := newHandle(id)
	if err != nil {
		return nil, err
	}
	// Checked after opening: the process that is checked is the one that was opened.
	if !lives(id) || !carries(id.PID, token) {
		h.close()
		return nil, errNotOurs
	}
	return h, nil
}

// lives reports whether the process exists and is not a zombie.
func lives(id messages.ProcessIdentity) bool {
	return alive(id.PID) && launch.StartTime(id.PID) == id.StartTime
}

// polled is a handle on systems without pidfds.
type polled struct{ id messages.ProcessIdentity }

const pollInterval = 250 * time.Millisecond

func (p polled) wait(ctx context.Context) error {
	for p.reap(); lives(p.id); p.reap() { // reap first: some systems do not distinguish zombies
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollInterval):
		}
	}
	return nil
}

func (p polled) signal(sig unix.Signal) error {
	if !lives(p.id) {
		return unix.ESRCH
	}
	return unix.Kill(p.id.PID, sig)
}

func (p polled) reap() {
	if launch.StartTime(p.id.PID) == p.id.StartTime { // otherwise the pid is another child's by now
		var status unix.WaitStatus
		_, _ = unix.Wait4(p.id.PID, &status, unix.WNOHANG, nil) // it may not be a child of ours
	}
}

func (polled) close() {}
