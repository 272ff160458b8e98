package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
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
	return &program{Console: console.New(stdin, stdout, stderr, interrupts), world: config.System()}
}

func (p *program) main(ctx context.Context, args []string) int {
	app := p.app()
	return p.report(app.RunContext(ctx, arrange(app, args)))
}

// report prints what went wrong to standard error, for people, and returns the exit code.
func (p *program) report(err error) int {
	if !exit.IsSilent(err) {
		fmt.Fprintf(p.Stderr, "betcode: %s\n", exit.Explain(err))
	}
	return exit.Code(err)
}
