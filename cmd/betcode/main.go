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
	return newProgram(stdin, stdout, stderr, nil).main(ctx, args)
}

// newProgram looks at what the program is given. interrupts replaces Ctrl-C.
func newProgram(stdin io.Reader, stdout, stderr io.Writer, interrupts <-chan os.Signal) *program {
	return &program{
		stdin: stdin, stdout: stdout, stderr: stderr, interrupts: interrupts,
		world: config.System(), terminal: lookAt(stdin, stdout, stderr),
	}
}

func (p *program) main(ctx context.Context, args []string) int {
	app := p.app()
	return p.report(app.RunContext(ctx, arrange(app, args)))
}
