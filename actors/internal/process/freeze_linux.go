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

// freezePatience bounds how long Freeze waits for processes that the kernel
// cannot stop at the moment: the signal waits for them.
const freezePatience = time.Second

// Freeze stops the agent and everything it started (SIGSTOP), the oldest first,
// so that no parent sees its child stop. What they start meanwhile is stopped too.
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

// Thaw lets go on what Freeze stopped, the youngest first, and sends SIGCONT to
// what does not look stopped as well: it takes back a SIGSTOP that waits. An agent that
// is not stopped is left alone, and its tools with it: another process stopped those.
func (p *Process) Thaw() error {
	if !held(p.agent) {
		return nil
	}
	for _, id := range slices.Backward(p.Tree()) {
		if err := send(id, unix.SIGCONT); err != nil {
			return &messages.Error{Op: "thaw agent", Kind: messages.Denied, Err: err}
		}
	}
	return nil
}

// frozen says whether the process id is stopped, or has ended.
func frozen(id messages.ProcessIdentity) bool {
	e, ok := look(id.PID)
	return !ok || e.identity() != id || e.state == 'T' || e.state == 'Z' || e.state == 'X'
}

// held says whether the process id is stopped, or will be: one that has just forked
// (vfork) stops behind its child's exec, and if the child was stopped before that, not
// before the child is let go.
func held(id messages.ProcessIdentity) bool { return frozen(id) || toStop(id.PID) }

// toStop says whether a SIGSTOP waits for a process.
func toStop(pid int) bool {
	status, err := os.ReadFile(proc(pid, "status"))
	if err != nil {
		return false
	}
	_, rest, _ := bytes.Cut(status, []byte("\nShdPnd:"))
	mask, _, _ := bytes.Cut(rest, []byte("\n"))
	waiting, err := strconv.ParseUint(string(bytes.TrimSpace(mask)), 16, 64)
	return err == nil && waiting&(1<<(unix.SIGSTOP-1)) != 0
}

// send sends a signal to the process id and to no other. One that has ended needs
// none.
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
