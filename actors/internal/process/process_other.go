//go:build !unix

package process

import (
	"context"
	"syscall"

	"betcode/messages"
)

// Process is an agent process; there are none on this system.
type Process struct{}

func unimplemented(op string) error {
	return messages.Errorf(op, messages.Unimplemented, "agents run on Linux and macOS only").
		WithHint("On Windows use betcode inside WSL.")
}

// Prepare is not implemented on this system.
func Prepare(string) error { return unimplemented("prepare run directory") }

// Spawn is not implemented on this system.
func Spawn(context.Context, Spec) (*Process, error) { return nil, unimplemented("start agent") }

// Adopt is not implemented on this system.
func Adopt(context.Context, messages.RunRecord) (*Process, Fate, error) {
	return nil, Fate{}, unimplemented("adopt agent")
}

// KillLeftovers is not implemented on this system.
func KillLeftovers(context.Context, messages.RunRecord) error {
	return unimplemented("kill process tree")
}

// Identity is empty.
func (*Process) Identity() messages.ProcessIdentity { return messages.ProcessIdentity{} }

// Launcher is empty.
func (*Process) Launcher() messages.ProcessIdentity { return messages.ProcessIdentity{} }

// Wait is not implemented on this system.
func (*Process) Wait(context.Context) (messages.Exit, error) {
	return messages.Exit{}, unimplemented("wait for agent")
}

// Gone is nil.
func (*Process) Gone() <-chan struct{} { return nil }

// Signal is not implemented on this system.
func (*Process) Signal(syscall.Signal) error { return unimplemented("signal agent") }

// Tree is empty.
func (*Process) Tree() []messages.ProcessIdentity { return nil }

// KillTree is not implemented on this system.
func (*Process) KillTree(context.Context) error { return unimplemented("kill process tree") }

// Freeze is not implemented on this system.
func (*Process) Freeze(context.Context) error { return unimplemented("freeze agent") }

// Thaw is not implemented on this system.
func (*Process) Thaw() error { return unimplemented("thaw agent") }

// WriteLine always returns Gone.
func (*Process) WriteLine([]byte) WriteResult { return Gone }

// WriteLong is not implemented on this system.
func (*Process) WriteLong(context.Context, []byte) (int, error) {
	return 0, unimplemented("write to agent")
}

// WaitWritable is not implemented on this system.
func (*Process) WaitWritable(context.Context) error { return unimplemented("wait for agent to read") }

// WaitStdinClosed is not implemented on this system.
func (*Process) WaitStdinClosed(context.Context) (int, error) {
	return 0, unimplemented("watch agent's stdin")
}

// Close does nothing.
func (*Process) Close() error { return nil }
