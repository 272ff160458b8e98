// Command fetchclaude puts the Claude Code that the tests run, or the versions
// that are named, into the cache of this repository, if they are not there yet,
// and prints the paths of their executables.
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

func main() { os.Exit(run(os.Stdout, os.Stderr, os.Args[1:])) }

// run fetches and returns the exit code.
func run(stdout, stderr io.Writer, versions []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(versions) == 0 {
		versions = []string{claudecli.Version}
	}
	for _, version := range versions {
		path, err := claudecli.EnsureVersion(ctx, version, stderr)
		if err != nil {
			fmt.Fprintf(stderr, "fetchclaude: %v\n", err)
			return 1
		}
		fmt.Fprintln(stdout, path)
	}
	return 0
}
