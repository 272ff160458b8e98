//go:build unix && !linux

package process

import (
	"context"

	"golang.org/x/sys/unix"

	"betcode/messages"
)

// Tree returns the agent, if it lives: its descendants cannot be found on this
// system.
func (p *Process) Tree() []messages.ProcessIdentity {
	if lives(p.agent) {
		return []messages.ProcessIdentity{p.agent}
	}
	return nil
}

// KillTree kills the agent alone on this system, and waits for its end.
func (p *Process) KillTree(ctx context.Context) error {
	if err := p.Signal(unix.SIGKILL); err != nil {
		return nil //nolint:nilerr // it has ended
	}
	select {
	case <-p.gone:
		return nil
	case <-ctx.Done():
		return contextError("kill process tree", ctx)
	}
}

// KillLeftovers does nothing: leftover processes cannot be found on this system.
func KillLeftovers(context.Context, messages.RunRecord) error { return nil }

// Freeze stops the agent alone on this system.
func (p *Process) Freeze(context.Context) error { return p.Signal(unix.SIGSTOP) }

// Thaw continues the agent alone on this system.
func (p *Process) Thaw() error { return p.Signal(unix.SIGCONT) }
