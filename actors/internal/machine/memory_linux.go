package machine

import "golang.org/x/sys/unix"

// Memory returns how many bytes of memory the computer has, 0 if that is unknown.
func Memory() uint64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	return uint64(info.Totalram) * uint64(info.Unit) //nolint:unconvert // 32 bits elsewhere
}
