//go:build unix && !linux

package process

import "golang.org/x/sys/unix"

// pipeBuf is the least that POSIX promises, and what these systems have.
const pipeBuf = 512

// queued only tells whether there is room for pipeBuf bytes: 0 then, else 1.
func queued(fd int) (int, error) {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 0)
	return 1 - min(n, 1), err
}

// enlarge cannot know what a FIFO takes at once on this system.
func enlarge(int, int) bool { return false }
