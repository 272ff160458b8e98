//go:build unix

package process

import (
	"bytes"
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"betcode/messages"
)

// isLine reports whether b is one line with its newline.
func isLine(b []byte) bool { return len(b) > 0 && bytes.IndexByte(b, '\n') == len(b)-1 }

func (p *pipe) writeLine(line []byte) WriteResult {
	if !isLine(line) {
		return Malformed
	}
	if !p.mu.TryLock() {
		return Busy
	}
	defer p.mu.Unlock()
	if p.torn {
		return Torn
	}
	if p.file == nil {
		return Gone
	}
	if len(line) > pipeBuf {
		if result := p.room(len(line)); result != Written {
			return result
		}
	}
	n, err := p.write(line)
	switch {
	case err == nil && n == len(line):
		return Written
	case err == nil:
		return p.finish(line[n:])
	case errors.Is(err, unix.EAGAIN):
		return Busy
	}
	return Gone
}

// room reports whether the kernel will take n bytes at once: Written if so.
func (p *pipe) room(n int) WriteResult {
	result := Gone
	_ = p.raw.Control(func(fd uintptr) { // fails if the pipe is closed: Gone
		switch unread, err := queued(int(fd)); {
		case broken(int(fd)), err != nil:
		case !enlarge(int(fd), n):
			result = TooLong
		case unread > 0:
			result = Busy
		default:
			result = Written
		}
	})
	return result
}

// broken reports whether no process has the reading end open.
func broken(fd int) bool {
	ends := []unix.PollFd{{Fd: int32(fd)}}
	_, err := unix.Poll(ends, 0)
	return err == nil && ends[0].Revents&unix.POLLERR != 0
}

// finish writes the rest of a line of which the kernel took a part, which happens only when
// the kernel is out of memory.
func (p *pipe) finish(rest []byte) WriteResult {
	p.torn = true
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if _, err := p.push(ctx, rest); err != nil {
		return Torn
	}
	return Written
}

func (p *pipe) writeLong(ctx context.Context, line []byte) (int, error) {
	if !isLine(line) {
		return 0, messages.Errorf(opWrite, messages.Invalid, "not one line")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		return 0, messages.Errorf(opWrite, messages.NotFound, "no process reads the pipe")
	}
	return p.push(ctx, line)
}

const opWrite = "write to agent"

// push writes all of b, and waits in the poller for room.
func (p *pipe) push(ctx context.Context, b []byte) (written int, err error) {
	stop := context.AfterFunc(ctx, func() { _ = p.file.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()
	for ctx.Err() == nil {
		var failed error
		err := p.raw.Write(func(fd uintptr) bool {
			var n int
			n, failed = writeAll(fd, b[written:])
			written += n
			return !errors.Is(failed, unix.EAGAIN)
		})
		p.torn = p.torn || written > 0
		switch {
		case written == len(b):
			p.torn = false
			return written, nil
		case err == nil:
			return written, messages.Errorf(opWrite, messages.NotFound, "no process reads the pipe: %w", failed)
		case ctx.Err() == nil && !errors.Is(err, os.ErrDeadlineExceeded):
			return written, messages.Errorf(opWrite, messages.Canceled, "%w", err)
		}
		_ = p.file.SetWriteDeadline(time.Time{}) // ours, or that of an earlier write
	}
	return written, contextError(opWrite, ctx)
}

// writeAll writes until b is written or the kernel takes no more.
func writeAll(fd uintptr, b []byte) (written int, err error) {
	for written < len(b) {
		n, err := unix.Write(int(fd), b[written:])
		switch {
		case err == nil:
			written += n
		case !errors.Is(err, unix.EINTR):
			return written, err
		}
	}
	return written, nil
}

// write is one write(2).
func (p *pipe) write(b []byte) (n int, err error) {
	outer := p.raw.Control(func(fd uintptr) {
		for {
			if n, err = unix.Write(int(fd), b); !errors.Is(err, unix.EINTR) {
				return
			}
		}
	})
	return n, errors.Join(outer, err)
}
