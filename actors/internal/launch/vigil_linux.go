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

// vigil is what a launcher does while its agent runs: it sleeps until a child
// ends, or it is time to look whether there is a daemon.
//
// It sleeps in ppoll on a pidfd of the agent. The end of the agent makes that
// readable; the end of any other child interrupts the call, as the Go runtime has a
// handler for SIGCHLD. Should such a signal come just before the call, that orphan
// is reaped a little later.
type vigil struct {
	agent  int
	reason string // why we ended the agent

	lease  Lease
	stdout string
	pidfd  int
	left   syscall.Timespec // until the next look
	misses int              // looks in a row that found nobody
	size   int64            // of what the agent has said
}

// keepVigil watches over an agent. Without a lease, or where there are no pidfds,
// it just waits.
func keepVigil(agent int, p Params) vigil {
	v := vigil{agent: agent, lease: p.Lease, stdout: p.Run + "/" + StdoutFile, pidfd: -1}
	if p.Lease.File != "" && p.Lease.Every > 0 && p.Lease.Misses > 0 {
		if fd, _, err := syscall.RawSyscall(pidfdOpen, uintptr(agent), 0, 0); err == 0 {
			v.pidfd = int(fd) // it closes on execution of itself
		}
	}
	v.again(p.Lease.Every)
	return v
}

// options are those of wait4.
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
	// The kernel leaves in left what is left when a signal interrupts.
	n, _, err := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&poll)), 1, uintptr(unsafe.Pointer(&v.left)), 0, 0, 0)
	switch {
	case err == syscall.EINTR:
	case err != 0 || n > 0: // it has ended; who traces it may keep it from us for a while
		syscall.Close(v.pidfd)
		v.pidfd = -1
	default:
		v.look()
	}
}

// look is the look at the lease, and what follows from it.
func (v *vigil) look() {
	if v.reason != "" { // SIGTERM was not enough
		_ = syscall.Kill(v.agent, syscall.SIGKILL) // our child, and not reaped: nobody else has its pid
		v.again(grace)
		return
	}
	v.again(v.lease.Every)
	var said syscall.Stat_t
	_ = syscall.Stat(v.stdout, &said) // gone with its directory: it says nothing any more
	if said.Size != v.size || locked(v.lease.File) {
		v.size, v.misses = said.Size, 0
		return
	}
	if v.misses++; v.misses >= v.lease.Misses {
		v.reason = LeaseEnded
		_ = syscall.Kill(v.agent, syscall.SIGTERM)
		v.again(grace)
	}
}

// locked reports whether somebody holds a lock on a file. What cannot be told is
// taken for a daemon; that the file is gone means that there is none.
func locked(file string) bool {
	fd, err := syscall.Open(file, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return err != syscall.ENOENT
	}
	defer syscall.Close(fd)
	return syscall.Flock(fd, syscall.LOCK_SH|syscall.LOCK_NB) != nil
}
