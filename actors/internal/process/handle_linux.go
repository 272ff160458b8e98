package process

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"betcode/messages"
)

// pidfd is a handle that waits in the network poller: no thread, no timer.
type pidfd struct {
	file *os.File
	raw  syscall.RawConn
}

// newHandle opens a pidfd, or falls back to polling on a kernel or in a sandbox
// without pidfds.
func newHandle(id messages.ProcessIdentity) (handle, error) {
	fd, err := unix.PidfdOpen(id.PID, unix.PIDFD_NONBLOCK)
	switch {
	case errors.Is(err, unix.ESRCH):
		return nil, errNotOurs
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE), errors.Is(err, unix.ENOMEM):
		return nil, os.NewSyscallError("pidfd_open", err)
	case err != nil:
		return polled{id}, nil //nolint:nilerr // polling works too
	}
	file := os.NewFile(uintptr(fd), "pidfd")
	raw, err := file.SyscallConn()
	if err == nil {
		err = file.SetReadDeadline(time.Time{})
	}
	if err != nil { // the poller did not accept it
		file.Close()
		return polled{id}, nil //nolint:nilerr // polling works too
	}
	return &pidfd{file, raw}, nil
}

func (p *pidfd) wait(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = p.file.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	for ctx.Err() == nil {
		var polling error
		err := p.raw.Read(func(fd uintptr) bool {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
			if err != nil && !errors.Is(err, unix.EINTR) {
				polling = err
				return true
			}
			return n > 0
		})
		switch {
		case polling != nil:
			return os.NewSyscallError("poll", polling)
		case err == nil:
			return nil
		case ctx.Err() == nil && !errors.Is(err, os.ErrDeadlineExceeded):
			return err
		}
		_ = p.file.SetReadDeadline(time.Time{}) // ours, or that of an earlier wait
	}
	return ctx.Err()
}

func (p *pidfd) signal(sig unix.Signal) error {
	var sent error
	if err := p.raw.Control(func(fd uintptr) { sent = unix.PidfdSendSignal(int(fd), sig, nil, 0) }); err != nil {
		return err
	}
	return sent
}

func (p *pidfd) reap() {
	_ = p.raw.Control(func(fd uintptr) {
		_ = unix.Waitid(unix.P_PIDFD, int(fd), nil, unix.WEXITED|unix.WNOHANG, nil) // it may not be a child of ours
	})
}

func (p *pidfd) close() { p.file.Close() }
