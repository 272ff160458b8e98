// Command fetchclaude puts the Claude Code that the tests run into the cache of
// this repository, if it is not there yet, and prints the path of its executable.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"betcode/tests/claudecli"
)

func main() { os.Exit(run(os.Stdout, os.Stderr)) }

// run fetches and returns the exit code.
func run(stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	path, err := claudecli.Ensure(ctx, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "fetchclaude: %v\n", err)
		return 1
	}
	fmt.Fprintln(stdout, path)
	return 0
}
