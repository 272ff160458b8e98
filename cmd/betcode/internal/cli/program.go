package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/config"
)

// Build is the version of this executable.
type Build struct{ Version, Commit, Date string }

// Run runs the command in args, which begins with the name of the program, and returns its exit code.
func Run(ctx context.Context, build Build, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return newProgram(build, stdin, stdout, stderr, nil).run(ctx, args)
}

// program is what every command works with.
type program struct {
	*console.Console
	build Build
	world config.Environment
}

// newProgram returns a program on these streams. interrupts replaces Ctrl-C; nil is Ctrl-C itself.
func newProgram(build Build, stdin io.Reader, stdout, stderr io.Writer, interrupts <-chan os.Signal) *program {
	return &program{Console: console.New(stdin, stdout, stderr, interrupts), build: build, world: config.System()}
}

func (p *program) run(ctx context.Context, args []string) int {
	app := p.app()
	return p.report(app.RunContext(ctx, arrange(app, args)))
}

// report prints what went wrong to standard error and returns the exit code.
func (p *program) report(err error) int {
	if !exit.IsSilent(err) {
		fmt.Fprintf(p.Stderr, "betcode: %s\n", exit.Explain(err))
	}
	return exit.Code(err)
}
