package machine

import "golang.org/x/sys/unix"

// Memory returns how many bytes of memory the computer has, 0 if that is unknown.
func Memory() uint64 {
	bytes, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return bytes
}
