// Package hook runs a program that a user has configured, gives it a text on
// standard input, and waits for its end for a bounded time.
package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// tail is how long a program that was ended may keep its output open.
const tail = time.Second

// maxOutput bounds the stored output of the program, in bytes.
const maxOutput = 4 << 10

// Run starts argv with an environment and input, without a shell, and ends it and its
// descendants when ctx ends. The error has the reason of the failure and the program's
// output.
func Run(ctx context.Context, argv, env []string, input []byte) error {
	if len(argv) == 0 {
		return errors.New("no program")
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	output := &head{}
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = env, bytes.NewReader(input), output, output, tail
	together(cmd)
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	case len(output.kept) > 0:
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(output.kept))
	}
	return err
}

// head keeps the beginning of its input.
type head struct{ kept []byte }

func (h *head) Write(p []byte) (int, error) {
	h.kept = append(h.kept, p[:min(len(p), maxOutput-len(h.kept))]...)
	return len(p), nil
}
