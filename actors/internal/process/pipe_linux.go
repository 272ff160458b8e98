package process

import (
	"bytes"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// pipeBuf is the number of bytes that a non-blocking write takes whole or not at all.
const pipeBuf = 4096

// maxPipe is the largest pipe an ordinary user gets.
var maxPipe = sync.OnceValue(func() int {
	const most = 1 << 20
	setting, err := os.ReadFile("/proc/sys/fs/pipe-max-size")
	if err != nil {
		return most
	}
	size, err := strconv.Atoi(string(bytes.TrimSpace(setting)))
	if err != nil {
		return most
	}
	return min(size, most)
})

// queued returns how many bytes in the pipe are unread.
func queued(fd int) (int, error) { return unix.IoctlGetInt(fd, unix.TIOCINQ) }

// enlarge resizes the pipe if necessary, and reports whether it can hold n bytes. A pipe
// grows only when a line needs it: the kernel allows a user 64 MB of pipes, which would be
// 64 agents.
func enlarge(fd, n int) bool {
	size, err := unix.FcntlInt(uintptr(fd), unix.F_GETPIPE_SZ, 0)
	if err == nil && size < n && n <= maxPipe() {
		size, err = unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, n) // rounded up by the kernel
	}
	return err == nil && size >= n
}
