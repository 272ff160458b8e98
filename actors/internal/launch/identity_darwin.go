package launch

import "golang.org/x/sys/unix"

// BootID identifies the boot of this machine.
func BootID() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid")
	return id
}

// StartTime returns when a process started, in microseconds since 1970, and 0
// if there is no such process.
func StartTime(pid int) uint64 {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || info.Proc.P_pid != int32(pid) {
		return 0
	}
	at := info.Proc.P_starttime
	return uint64(at.Sec)*1e6 + uint64(at.Usec)
}
