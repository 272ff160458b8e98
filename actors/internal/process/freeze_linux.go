package process

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"betcode/messages"
)

// freezePatience bounds how long Freeze waits for processes that the kernel cannot stop at
// the moment; the signal stays pending for them.
const freezePatience = time.Second

// Freeze stops the agent and its descendants (SIGSTOP), the oldest first, so that no
// parent sees its child stop. It also stops processes that they start meanwhile.
func (p *Process) Freeze(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, freezePatience)
	defer cancel()
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		running := 0
		for _, id := range p.Tree() {
			if frozen(id) {
				continue
			}
			running++
			if err := send(id, unix.SIGSTOP); err != nil {
				return &messages.Error{Op: "freeze agent", Kind: messages.Denied, Err: err}
			}
		}
		if running == 0 || sleep(ctx, wait) != nil {
			return nil
		}
	}
}

// Thaw continues the processes that Freeze stopped, the youngest first. It sends SIGCONT
// also to processes that are not stopped, which cancels a pending SIGSTOP. If the agent
// itself is not stopped, Thaw does nothing: then another process stopped its tools.
func (p *Process) Thaw() error {
	if !stopping(p.agent) {
		return nil
	}
	for _, id := range slices.Backward(p.Tree()) {
		if err := send(id, unix.SIGCONT); err != nil {
			return &messages.Error{Op: "thaw agent", Kind: messages.Denied, Err: err}
		}
	}
	return nil
}

// frozen reports whether the process id is stopped, or has ended.
func frozen(id messages.ProcessIdentity) bool {
	e, ok := look(id.PID)
	return !ok || e.identity() != id || e.state == 'T' || e.state == 'Z' || e.state == 'X'
}

// stopping reports whether the process id is stopped, or will be. A process in vfork stops only
// after its child's exec, so not before a child that was stopped before exec is continued.
func stopping(id messages.ProcessIdentity) bool { return frozen(id) || stopPending(id.PID) }

// stopPending reports whether a SIGSTOP is pending for a process.
func stopPending(pid int) bool {
	status, err := os.ReadFile(proc(pid, "status"))
	if err != nil {
		return false
	}
	_, rest, _ := bytes.Cut(status, []byte("\nShdPnd:"))
	mask, _, _ := bytes.Cut(rest, []byte("\n"))
	waiting, err := strconv.ParseUint(string(bytes.TrimSpace(mask)), 16, 64)
	return err == nil && waiting&(1<<(unix.SIGSTOP-1)) != 0
}

// send sends a signal to the process id and to no other. It succeeds if the process has ended.
func send(id messages.ProcessIdentity, signal unix.Signal) error {
	h, err := newHandle(id)
	if errors.Is(err, errNotOurs) {
		return nil
	}
	if err != nil {
		return err
	}
	defer h.close()
	if !lives(id) {
		return nil
	}
	if err := h.signal(signal); err != nil && !errors.Is(err, unix.ESRCH) {
		return err
	}
	return nil
}
