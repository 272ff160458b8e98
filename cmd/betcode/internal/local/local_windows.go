package local

import (
	"context"
	"fmt"
	"net"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"

	"betcode/messages"
)

// pipeBuffer is how much a pipe holds in each direction, in bytes.
const pipeBuffer = 64 << 10

func dial(ctx context.Context, address string) (net.Conn, error) {
	return winio.DialPipeContext(ctx, address)
}

// ListenPipe makes a pipe for this user alone. One that is there already is left alone.
func ListenPipe(address string) (net.Listener, error) {
	user, err := user()
	if err != nil {
		return nil, err
	}
	return winio.ListenPipe(address, &winio.PipeConfig{
		SecurityDescriptor: Descriptor(user.String()), InputBufferSize: pipeBuffer, OutputBufferSize: pipeBuffer,
	})
}

// user is the SID of the user of this process.
func user() (*windows.SID, error) {
	token, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, fmt.Errorf("ask who runs this process: %w", err)
	}
	return token.User.Sid, nil
}

// mine refuses a connection to a pipe that is not of this user.
func mine(conn net.Conn) error {
	pipe, ok := conn.(interface{ Fd() uintptr })
	if !ok {
		return fmt.Errorf("ask whose pipe this is: %T does not tell", conn)
	}
	info, err := windows.GetSecurityInfo(windows.Handle(pipe.Fd()), windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("ask whose pipe this is: %w", err)
	}
	owner, _, err := info.Owner()
	if err != nil {
		return fmt.Errorf("ask whose pipe this is: %w", err)
	}
	me, err := user()
	if err != nil {
		return err
	}
	if !owner.Equals(me) {
		return messages.Errorf("dial", messages.Denied, "the pipe is of %s, and this is %s", owner, me).
			WithHint("another user has made a pipe of this name; end what holds it, or choose another --socket on both sides")
	}
	return nil
}
