package main

import (
	"context"
	"io"
	"os"

	"betcode/config"
)

// Set by the linker.
var (
	version = "dev"
	commit  = "unknown"
	date    = "unknown"
)

func main() {
	os.Exit(run(context.Background(), os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// run is the program: it does what args say and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{
		stdin: stdin, stdout: stdout, stderr: stderr,
		world: config.System(), terminal: lookAt(stdin, stdout, stderr),
	}
	app := p.app()
	err := app.RunContext(ctx, arrange(app, args))
	return p.report(err)
}
