//go:build unix && !linux

package process

import "golang.org/x/sys/unix"

// pipeBuf is the least that POSIX guarantees, and the value of these systems.
const pipeBuf = 512

// queued returns 0 if there is room for pipeBuf bytes, and 1 otherwise: this system has no count.
func queued(fd int) (int, error) {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 0)
	return 1 - min(n, 1), err
}

// enlarge does nothing: this system does not report how many bytes a FIFO takes at once.
func enlarge(int, int) bool { return false }
