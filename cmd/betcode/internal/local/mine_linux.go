package local

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"betcode/messages"
)

// mine refuses a connection to a socket on which another user listens. Another user can
// create a socket where that user may write to the directory.
func mine(conn net.Conn) error {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return fmt.Errorf("find the owner of the socket: %w", err)
	}
	var cred *unix.Ucred
	var unknown error
	if err := raw.Control(func(fd uintptr) {
		cred, unknown = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return fmt.Errorf("find the owner of the socket: %w", err)
	}
	if unknown != nil {
		return fmt.Errorf("find the owner of the socket: %w", unknown)
	}
	return sameUser(int(cred.Uid), os.Geteuid())
}

func sameUser(theirs, ours int) error {
	if theirs != ours {
		return messages.Errorf("dial", messages.Denied, "user %d listens on the socket, and this is user %d", theirs, ours).
			WithHint("another user created it; give the daemon and its clients another --socket")
	}
	return nil
}
