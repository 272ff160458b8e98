package local

import (
	"context"
	"fmt"
	"net"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"

	"betcode/messages"
)

// pipeBuffer is the size of a pipe's buffer in each direction, in bytes.
const pipeBuffer = 64 << 10

func dial(ctx context.Context, address string) (net.Conn, error) {
	return winio.DialPipeContext(ctx, address)
}

// ListenPipe creates a pipe for this user only. It fails if the pipe exists.
func ListenPipe(address string) (net.Listener, error) {
	user, err := user()
	if err != nil {
		return nil, err
	}
	return winio.ListenPipe(address, &winio.PipeConfig{
		SecurityDescriptor: Descriptor(user.String()), InputBufferSize: pipeBuffer, OutputBufferSize: pipeBuffer,
	})
}

// user returns the SID of this process's user.
func user() (*windows.SID, error) {
	token, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, fmt.Errorf("find the user of this process: %w", err)
	}
	return token.User.Sid, nil
}

// mine refuses a connection to a pipe of another user.
func mine(conn net.Conn) error {
	pipe, ok := conn.(interface{ Fd() uintptr })
	if !ok {
		return fmt.Errorf("find the owner of the pipe: %T has no handle", conn)
	}
	info, err := windows.GetSecurityInfo(windows.Handle(pipe.Fd()), windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("find the owner of the pipe: %w", err)
	}
	owner, _, err := info.Owner()
	if err != nil {
		return fmt.Errorf("find the owner of the pipe: %w", err)
	}
	me, err := user()
	if err != nil {
		return err
	}
	if !owner.Equals(me) {
		return messages.Errorf("dial", messages.Denied, "the pipe belongs to user %s, and this is user %s", owner, me).
			WithHint("another user created a pipe of this name; end that user's process, or give the daemon and its clients another --socket")
	}
	return nil
}
