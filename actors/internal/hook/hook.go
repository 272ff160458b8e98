// Package hook starts a program that a user has named, tells it something on
// standard input, and waits for its end no longer than is reasonable.
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

// maxOutput bounds what is kept of what the program prints.
const maxOutput = 4 << 10

// Run starts argv with an environment and input, without a shell, and ends it and
// what it has started when ctx is over. The error tells how it failed and what it
// had to say.
func Run(ctx context.Context, argv, env []string, input []byte) error {
	if len(argv) == 0 {
		return errors.New("no program")
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	said := &head{}
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = env, bytes.NewReader(input), said, said, tail
	together(cmd)
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	case len(said.kept) > 0:
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(said.kept))
	}
	return err
}

// head keeps the beginning of what is written to it.
type head struct{ kept []byte }

func (h *head) Write(p []byte) (int, error) {
	h.kept = append(h.kept, p[:min(len(p), maxOutput-len(h.kept))]...)
	return len(p), nil
}
