//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"betcode/messages"
)

// pipe is the writing end of the agent's stdin.
type pipe struct {
	mu   sync.Mutex // locked during a write, so that lines do not mix
	file *os.File   // nil if the agent had closed its end before the FIFO was opened
	raw  syscall.RawConn
	torn bool // the last line is incomplete
}

// openPipe opens the FIFO at path for writing.
func openPipe(path string) (*pipe, error) {
	const op = "open agent's stdin"
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	switch {
	case errors.Is(err, unix.ENXIO):
		return &pipe{}, nil
	case errors.Is(err, unix.ENOENT):
		return nil, messages.Errorf(op, messages.DataLoss, "%s is gone, and its agent lives", path).
			WithHint("The run directory was removed. The agent can only be ended.")
	case err != nil:
		return nil, fileError(op, &os.PathError{Op: "open", Path: path, Err: err})
	}
	file := os.NewFile(uintptr(fd), path)
	raw, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return nil, fileError(op, err)
	}
	return &pipe{file: file, raw: raw}, nil
}

func (p *pipe) close() {
	if p.file != nil {
		p.file.Close()
	}
}

// WriteLine writes one line, its newline included, to the agent's stdin: whole, or
// not at all. It does not wait.
func (p *Process) WriteLine(line []byte) WriteResult { return p.stdin.writeLine(line) }

// WriteLong writes a line of any length, its newline included, and waits for the
// agent to read it. It returns how many bytes it wrote. If ctx ends in the middle the
// line is torn, and nothing but its rest may follow, by another WriteLong. A daemon
// that is killed meanwhile leaves a torn line.
func (p *Process) WriteLong(ctx context.Context, line []byte) (int, error) {
	return p.stdin.writeLong(ctx, line)
}

// WaitWritable waits until the agent has read everything, so that a WriteLine of
// any line that is not TooLong succeeds. If the agent ends meanwhile the error is
// of kind NotFound.
func (p *Process) WaitWritable(ctx context.Context) error {
	const op = "wait for agent to read"
	for wait := time.Millisecond; ; wait = min(2*wait, 20*time.Millisecond) {
		n, err := p.stdin.unread()
		switch {
		case err != nil:
			return messages.Errorf(op, messages.NotFound, "no process reads the pipe: %w", err)
		case n == 0:
			return nil
		}
		select {
		case <-ctx.Done():
			return contextError(op, ctx)
		case <-p.gone:
			return messages.Errorf(op, messages.NotFound, "the process has ended")
		case <-time.After(wait):
		}
	}
}

// WaitStdinClosed waits until no process has the agent's input open, and returns how many
// unread bytes are in the pipe; they will never be read. It also returns when the agent
// ends. An error means that ctx ended or the Process was closed first, or that this system
// does not report it.
func (p *Process) WaitStdinClosed(ctx context.Context) (unread int, err error) {
	return p.stdin.waitStdinClosed(ctx)
}

// waitStdinClosed waits in the poller for reading: the poller for writing is for lines. The
// kernel wakes it when the last reader closes the pipe.
func (p *pipe) waitStdinClosed(ctx context.Context) (unread int, err error) {
	const op = "watch agent's stdin"
	if p.file == nil {
		return 0, nil
	}
	stop := context.AfterFunc(ctx, func() { _ = p.file.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	for ctx.Err() == nil {
		err = p.raw.Read(func(fd uintptr) bool {
			if !broken(int(fd)) {
				return false
			}
			unread, _ = queued(int(fd)) // no process reads, so the number does not change
			return true
		})
		switch {
		case err == nil:
			return unread, nil
		case ctx.Err() == nil && !errors.Is(err, os.ErrDeadlineExceeded):
			return 0, messages.Errorf(op, messages.Canceled, "%w", err)
		}
		_ = p.file.SetReadDeadline(time.Time{}) // ours, or that of an earlier wait
	}
	return 0, contextError(op, ctx)
}

// unread returns how many bytes the agent has not read yet.
func (p *pipe) unread() (n int, err error) {
	if p.file == nil {
		return 0, unix.ENXIO
	}
	outer := p.raw.Control(func(fd uintptr) {
		if n, err = queued(int(fd)); err == nil && n > 0 && broken(int(fd)) {
			err = unix.EPIPE
		}
	})
	return n, errors.Join(outer, err)
}
