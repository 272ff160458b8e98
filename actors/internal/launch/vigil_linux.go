package launch

import (
	"syscall"
	"unsafe"
)

// Numbers that package syscall does not have.
const (
	pidfdOpen = 434 // SYS_PIDFD_OPEN, the same on every architecture
	readable  = 1   // POLLIN
)

// grace is how long an agent has between SIGTERM and SIGKILL, in milliseconds.
const grace = 5000

// vigil is the launcher's wait while its agent runs: it sleeps until a child
// ends, or the next check of the lease is due.
//
// It sleeps in ppoll on a pidfd of the agent. The end of the agent makes that
// readable; the end of any other child interrupts the call, since the Go runtime has a
// handler for SIGCHLD. If such a signal comes just before the call, that orphan
// is reaped a little later.
type vigil struct {
	agent  int
	reason string // why the launcher ended the agent

	lease  Lease
	stdout string
	pidfd  int
	left   syscall.Timespec // until the next check
	misses int              // consecutive checks without a daemon
	size   int64            // of the agent's output
}

// keepVigil returns the vigil over an agent. Without a lease, or on a kernel without pidfds,
// it just waits.
func keepVigil(agent int, p Params) vigil {
	v := vigil{agent: agent, lease: p.Lease, stdout: p.Run + "/" + StdoutFile, pidfd: -1}
	if p.Lease.File != "" && p.Lease.Every > 0 && p.Lease.Misses > 0 {
		if fd, _, err := syscall.RawSyscall(pidfdOpen, uintptr(agent), 0, 0); err == 0 {
			v.pidfd = int(fd) // it is closed on exec
		}
	}
	v.again(p.Lease.Every)
	return v
}

// options returns those of wait4.
func (v *vigil) options() int {
	if v.pidfd < 0 {
		return 0
	}
	return syscall.WNOHANG
}

func (v *vigil) again(milliseconds int) {
	v.left = syscall.NsecToTimespec(int64(milliseconds) * 1_000_000)
}

// sleep returns when a child may have ended.
func (v *vigil) sleep() {
	poll := struct {
		fd              int32
		events, revents int16
	}{fd: int32(v.pidfd), events: readable}
	// When a signal interrupts, the kernel stores the remaining time in left.
	n, _, err := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&poll)), 1, uintptr(unsafe.Pointer(&v.left)), 0, 0, 0)
	switch {
	case err == syscall.EINTR:
	case err != 0 || n > 0: // the agent has ended; a tracer may delay its reaping
		syscall.Close(v.pidfd)
		v.pidfd = -1
	default:
		v.look()
	}
}

// look checks the lease and acts on the result.
func (v *vigil) look() {
	if v.reason != "" { // SIGTERM was not enough
		_ = syscall.Kill(v.agent, syscall.SIGKILL) // an unreaped child: no other process has its pid
		v.again(grace)
		return
	}
	v.again(v.lease.Every)
	var output syscall.Stat_t
	_ = syscall.Stat(v.stdout, &output) // fails if the directory was removed: then there is no more output
	if output.Size != v.size || locked(v.lease.File) {
		v.size, v.misses = output.Size, 0
		return
	}
	if v.misses++; v.misses >= v.lease.Misses {
		v.reason = LeaseEnded
		_ = syscall.Kill(v.agent, syscall.SIGTERM)
		v.again(grace)
	}
}

// locked reports whether a process holds a lock on a file. In doubt it returns true; a missing
// file means that there is no daemon.
func locked(file string) bool {
	fd, err := syscall.Open(file, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return err != syscall.ENOENT
	}
	defer syscall.Close(fd)
	return syscall.Flock(fd, syscall.LOCK_SH|syscall.LOCK_NB) != nil
}
