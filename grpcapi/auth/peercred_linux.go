package auth

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// peerCredentials asks the kernel for the process at the other end. The witness must be closed.
func peerCredentials(conn net.Conn) (Peer, witness, error) {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return Peer{}, noWitness, unknownTransport(conn)
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return Peer{}, noWitness, fmt.Errorf("read peer credentials: %w", err)
	}
	var cred *unix.Ucred
	var sockErr error
	caller := noWitness
	if err := raw.Control(func(fd uintptr) {
		cred, sockErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		pidfd, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
		switch {
		case err == nil:
			caller = witness(pidfd)
			unix.CloseOnExec(pidfd)
		case errors.Is(err, unix.ESRCH), errors.Is(err, unix.EINVAL):
			caller = departed // the process has been reaped
		}
	}); err != nil {
		return Peer{}, noWitness, fmt.Errorf("read peer credentials: %w", err)
	}
	if sockErr != nil {
		caller.close()
		return Peer{}, noWitness, fmt.Errorf("read peer credentials: %w", sockErr)
	}
	return Peer{PID: int(cred.Pid), UID: int(cred.Uid)}, caller, nil
}

// witness is a pidfd of the process that connected. It shows whether that process still
// runs, so that its pid cannot belong to another one. Linux has it since 6.5.
type witness int

const (
	noWitness witness = -1 // the kernel has no pidfd for it
	departed  witness = -2 // the process had ended before
)

// alive returns an error if the process has ended.
func (w witness) alive() error {
	ended := errors.New("the process that connected has ended")
	switch w {
	case noWitness:
		return nil
	case departed:
		return ended
	}
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(w), Events: unix.POLLIN}}, 0)
	if err != nil && !errors.Is(err, unix.EINTR) {
		return fmt.Errorf("poll pidfd: %w", err)
	}
	if n > 0 {
		return ended
	}
	return nil
}

// lasts reports whether alive can be called later.
func (w witness) lasts() bool { return w != noWitness }

func (w witness) close() {
	if w >= 0 {
		unix.Close(int(w))
	}
}
