// Command betcode keeps coding agents alive: it is the daemon, and the client that talks to it. Its parts are in
// internal: the commands in internal/cli, the daemon in internal/host.
package main

import (
	"context"
	"os"

	"betcode/cmd/betcode/internal/cli"
	_ "betcode/cmd/betcode/internal/delay" // most commands end before they need a collection
)

// The linker sets these: -X main.version=….
var (
	version = "dev"
	commit  = "unknown"
	date    = "unknown"
)

func main() {
	build := cli.Build{Version: version, Commit: commit, Date: date}
	os.Exit(cli.Run(context.Background(), build, os.Args, os.Stdin, os.Stdout, os.Stderr))
}
