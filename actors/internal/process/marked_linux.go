package process

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"betcode/messages"
)

// KillMarked kills, with SIGKILL, the processes that have mark, "NAME=value", in the environment that they were started with.
// It repeats that until none is left, or ctx ends. A process that cleared its environment is not found. Nothing is killed if
// this process has the mark itself.
func KillMarked(ctx context.Context, mark string) error {
	if own, _ := hasVariable(os.Getpid(), mark); own {
		return messages.Errorf("kill processes", messages.WrongState, "the daemon itself was started by one of them")
	}
	var refused error
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		left := 0
		for pid, e := range table() {
			if has, _ := hasVariable(pid, mark); !has {
				continue
			}
			left++
			if err := send(e.identity(), unix.SIGKILL); err != nil {
				refused = err
			}
		}
		if left == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			if refused != nil {
				return &messages.Error{Op: "kill processes", Kind: messages.Denied, Err: refused}
			}
			return contextError("kill processes", ctx)
		case <-time.After(wait):
		}
	}
}
