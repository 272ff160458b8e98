// Command demo shows the product on the terminal and checks itself: a daemon with a real Claude
// Code is killed while a permission is pending, the next daemon adopts the agent, the client goes
// on behind its last number and answers, and a second client gets the whole history with the same
// bytes.
//
// It runs in a temporary directory and connects only to itself, unless ANTHROPIC_API_KEY is set:
// then the model is the real one. It exits non-zero if a step that it prints did not happen.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	began := time.Now()
	err := play(ctx)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stdout, "\ndemo: failed: %v\n", err)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stdout, "\ndemo: ok in %.1f s: nothing was lost\n", time.Since(began).Seconds())
}
