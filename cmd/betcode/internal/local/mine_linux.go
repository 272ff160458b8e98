package local

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"betcode/messages"
)

// mine refuses a connection to a socket that another user listens on: a user that may write
// where our socket would be could have put it there.
func mine(conn net.Conn) error {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return fmt.Errorf("ask whose socket this is: %w", err)
	}
	var cred *unix.Ucred
	var unsaid error
	if err := raw.Control(func(fd uintptr) {
		cred, unsaid = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return fmt.Errorf("ask whose socket this is: %w", err)
	}
	if unsaid != nil {
		return fmt.Errorf("ask whose socket this is: %w", unsaid)
	}
	return sameUser(int(cred.Uid), os.Geteuid())
}

func sameUser(theirs, ours int) error {
	if theirs != ours {
		return messages.Errorf("dial", messages.Denied, "user %d listens on the socket, and this is user %d", theirs, ours).
			WithHint("another user has put it there; choose another --socket on both sides")
	}
	return nil
}
