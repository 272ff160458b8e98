//go:build unix

package socket

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// hungUp reports whether the other end is closed in both directions. A half-closed peer still reads.
func hungUp(conn net.Conn) bool {
	under, ok := conn.(syscall.Conn)
	if !ok {
		return true // without a descriptor only the end of input is visible
	}
	raw, err := under.SyscallConn()
	if err != nil {
		return true
	}
	gone := true
	if err := raw.Control(func(fd uintptr) {
		poll := []unix.PollFd{{Fd: int32(fd)}} //nolint:gosec // a descriptor is a small number
		_, err := unix.Poll(poll, 0)
		gone = err != nil && err != unix.EINTR || poll[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0
	}); err != nil {
		return true
	}
	return gone
}
