package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/cli/session"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/config"
)

// Build is the version of this executable.
type Build = base.Build

// Run runs the command in args, which begins with the name of the program, and returns its exit code.
func Run(ctx context.Context, build Build, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return newProgram(build, stdin, stdout, stderr, nil).run(ctx, args)
}

// program has the commands that are not in a package of their own.
type program struct{ *base.Program }

// newProgram returns a program on these streams. interrupts replaces Ctrl-C; nil is Ctrl-C itself.
func newProgram(build Build, stdin io.Reader, stdout, stderr io.Writer, interrupts <-chan os.Signal) *program {
	p := &program{&base.Program{Console: console.New(stdin, stdout, stderr, interrupts), Build: build, World: config.System()}}
	p.Screen = p.screen
	return p
}

func (p *program) run(ctx context.Context, args []string) int {
	app := p.app()
	line := arrange(app, args)
	if line.help {
		return p.report(p.help(app, line.path))
	}
	return p.report(app.RunContext(ctx, line.args))
}

// report prints what went wrong to standard error and returns the exit code. Output that was not written is a failure of any
// command. A reader that has left is none to speak of: it has what it wanted.
func (p *program) report(err error) int {
	if unwritten := p.Unwritten(); errors.Is(unwritten, syscall.EPIPE) {
		err = exit.Silent(exit.Failed)
	} else if unwritten != nil && exit.IsSilent(err) {
		err = unwritten
	}
	if !exit.IsSilent(err) {
		fmt.Fprintf(p.Stderr, "betcode: %s\n", console.Text(exit.Explain(err))) // it may have the name of a file
	}
	return exit.Code(err)
}

// app returns the table of commands.
func (p *program) app() *cli.App {
	app := &cli.App{
		Name:  "betcode",
		Usage: "keeps coding agents alive, and lets you watch, steer and come back",
		Description: "The daemon supervises Claude Code processes and journals everything they write.\n" +
			"Sessions go on when you close the terminal, and when the daemon is killed.\n\n" +
			"SESSION is an id, the beginning of one, a name, or @last.",
		Version:              p.Build.Version,
		EnableBashCompletion: true,
		Suggest:              true,
		Reader:               p.Stdin,
		Writer:               p.Stdout,
		ErrWriter:            p.Stderr,
		ExitErrHandler:       func(*cli.Context, error) {}, // report prints errors
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "socket", Usage: "`PATH` of the daemon's socket (BETCODE_SOCKET)"},
			&cli.StringFlag{Name: "address", Usage: "reach the daemon over TCP, at `HOST:PORT` (BETCODE_ADDRESS)"},
			&cli.StringFlag{Name: "token-file", Usage: "`FILE` with the token for --address (BETCODE_TOKEN_FILE)"},
			&cli.BoolFlag{Name: "tls", Usage: "use TLS for --address (BETCODE_TLS=1)"},
			&cli.StringFlag{Name: "tls-ca", Usage: "`FILE` with the certificate of the authority that signed the daemon's certificate (BETCODE_TLS_CA)"},
			&cli.StringFlag{Name: "config-dir", Usage: "`DIRECTORY` of settings.json (BETCODE_CONFIG_DIR)"},
			&cli.BoolFlag{Name: "start", Usage: "start a daemon if none runs (BETCODE_AUTOSTART=1)"},
			&cli.StringFlag{Name: "connect-timeout", Usage: "how `LONG` an unattended command waits for a lost daemon (BETCODE_CONNECT_TIMEOUT, 1m)"},
		},
		HideHelpCommand: true, // helpCommand takes its place
		Commands:        p.commands(),
		Action:          p.bare,
	}
	app.OnUsageError = onUsageError
	forEachCommand(app.Commands, func(c *cli.Command) {
		c.OnUsageError = onUsageError
		c.HideHelpCommand = true
		if c.Action == nil {
			c.Action = p.unknownCommand
		}
	})
	return app
}

func forEachCommand(commands []*cli.Command, f func(*cli.Command)) {
	for _, c := range commands {
		f(c)
		forEachCommand(c.Subcommands, f)
	}
}

// bare is the program without a command: how things stand.
func (p *program) bare(c *cli.Context) error {
	if c.Args().Present() {
		return p.unknownCommand(c)
	}
	ctx, stop := base.Interruptible(c.Context)
	defer stop()
	if p.Screen != nil && p.Terminal.In && p.Terminal.Out {
		return p.Screen(ctx, c)
	}
	return session.Status(ctx, p.Program, c)
}

// unknownCommand shows the help if no command is named, and suggests a command for a misspelt name.
func (p *program) unknownCommand(c *cli.Context) error {
	name := c.Args().First()
	path, commands := c.App.Name, c.App.Commands
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != c.App.Name {
		path, commands = c.Command.HelpName, c.Command.Subcommands
	}
	if name == "" {
		return p.help(c.App, strings.Fields(path)[1:])
	}
	hint := "Run '" + path + " --help' for the list."
	if like := suggest(commands, name, path == c.App.Name); like != "" {
		hint = fmt.Sprintf("Did you mean '%s %s'?", path, like)
	}
	return exit.Usage(fmt.Errorf("there is no command '%s %s'. %s", path, name, hint))
}
