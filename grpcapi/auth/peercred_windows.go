package auth

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/windows"
)

// peerCredentials asks for the process at the other end of a named pipe. The security
// descriptor of the pipe admits the daemon's own user only; sockets have none and are
// refused.
func peerCredentials(conn net.Conn) (Peer, witness, error) {
	pipe, ok := conn.(interface{ Fd() uintptr })
	if !ok || conn.RemoteAddr().Network() != "pipe" {
		return Peer{}, witness{}, unknownTransport(conn)
	}
	var pid uint32
	if err := windows.GetNamedPipeClientProcessId(windows.Handle(pipe.Fd()), &pid); err != nil {
		return Peer{}, witness{}, fmt.Errorf("read peer credentials: %w", err)
	}
	return Peer{PID: int(pid), UID: os.Geteuid()}, witness{}, nil
}
