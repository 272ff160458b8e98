package cli

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/cli/setup"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/host"
	"betcode/cmd/betcode/internal/launch"
	"betcode/cmd/betcode/internal/output"
	"betcode/config"
)

// stopPatience is how long a daemon may take until it has ended: longer than a start, because agents get time to end.
const stopPatience = 60 * time.Second

func (p *program) daemonCommand() *cli.Command {
	return &cli.Command{
		Name: "daemon", Usage: "run, start, stop, restart and inspect the daemon",
		Subcommands: []*cli.Command{
			{
				Name: "run", Usage: "run the daemon in the foreground; its log goes to standard error",
				Description: "SIGTERM and Ctrl-C end the daemon and its agents; their turns can be resumed. With --keep-agents\n" +
					"the agents go on working and the next daemon takes them over; a daemon in the background always\n" +
					"does that. A second signal ends it at once. SIGHUP reloads the settings, as a change of their\n" +
					"files does.",
				Flags: append(daemonFlags(),
					&cli.BoolFlag{Name: "keep-agents", Usage: "leave the agents running when a signal ends the daemon (BETCODE_KEEP_AGENTS=1)"}),
				Action: p.daemonRun,
			},
			{
				Name: "start", Usage: "start the daemon in the background and wait until it serves",
				Description: "Its log goes to --log-file, or to daemon.log in the state directory.",
				Flags: append(daemonFlags(),
					&cli.DurationFlag{Name: "timeout", Usage: "how `LONG` to wait", Value: base.StartPatience}),
				Action: base.Simple(p.daemonStart),
			},
			{
				Name: "stop", Usage: "stop the daemon and its agents",
				Description: "Sessions are kept. With --keep-agents their agents go on working, and the next daemon\n" +
					"takes them over.",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "keep-agents", Usage: "leave the agents running"},
					&cli.DurationFlag{Name: "timeout", Usage: "how `LONG` to wait", Value: stopPatience},
				},
				Action: base.Simple(p.daemonStop),
			},
			{
				Name: "restart", Usage: "replace the daemon with this program; its agents go on",
				Description: "Starts this executable with the flags and the environment of the running daemon. Flags given\n" +
					"here replace those. If no daemon runs, one is started. With --environment it takes variables\n" +
					"of this shell, as far as they are set: " + launch.TakenVariables() + ".",
				Flags: append(daemonFlags(),
					&cli.BoolFlag{Name: "environment", Usage: "take PATH and what agents log in with from this shell"},
					&cli.DurationFlag{Name: "timeout", Usage: "how `LONG` to wait for the end of one daemon and the start of the other", Value: base.StartPatience}),
				Action: base.Simple(p.daemonRestart),
			},
			p.daemonLogsCommand(),
			p.handOverCommand(),
			{
				Name: "status", Usage: "show the health of the daemon and its components",
				Flags:  output.Flags(),
				Action: base.Simple(p.daemonStatus),
			},
		},
	}
}

// daemonFlags returns the flags of a daemon, from the table of settings, without --socket, which every command has.
func daemonFlags() []cli.Flag {
	var flags []cli.Flag
	for _, s := range config.Table() {
		switch s.Flag {
		case "", base.SocketFlag, base.KeepAgentsFlag:
			continue
		}
		flags = append(flags, &cli.StringFlag{Name: s.Flag, Usage: flagUsage(s)})
	}
	return flags
}

// givenFlags names the flags of a daemon that are on the command line.
func givenFlags(c *cli.Context) string {
	var given []string
	for _, f := range daemonFlags() {
		if name := f.Names()[0]; c.IsSet(name) {
			given = append(given, "--"+name)
		}
	}
	return strings.Join(given, ", ")
}

func flagUsage(s config.Setting) string {
	usage := fmt.Sprintf("%s (%s=`%s`", s.Help, s.Env, strings.ToUpper(s.Kind.String()))
	if s.Default != "" {
		usage += ", default " + s.Default
	}
	return usage + ")"
}

// givenOnly returns flags without the agent's path if only the environment of this command names it: the next daemon has
// the environment of the one before.
func givenOnly(c *cli.Context, flags config.Flags) config.Flags {
	given := maps.Clone(flags)
	if c.String("claude") == "" {
		delete(given, "agent.path")
	}
	return given
}

func (p *program) daemonRun(c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	return host.Run(c.Context, host.Options{Flags: base.DaemonSettings(c), World: p.World, Version: p.Build.Version, Stderr: p.Stderr})
}

func (p *program) daemonStart(ctx context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	cfg, flags, err := p.Locate(c)
	if err != nil {
		return err
	}
	cl, holder, err := launch.Find(ctx, config.Client{SocketPath: cfg.SocketPath}, cfg.StateDir)
	switch {
	case holder != nil:
		return launch.Unreachable(*holder, cfg.SocketPath)
	case err == nil:
		defer cl.Close()
		text := fmt.Sprintf("A daemon already answers at %s.", cfg.SocketPath)
		if given := givenFlags(c); given != "" {
			text += " It does not take " + given + ": betcode daemon restart with the same flags does."
		}
		p.Say("%s", text)
		return nil
	case !client.Unreachable(err):
		return err
	}
	setup.OfferImport(p.Program, cfg.ConfigDir)
	return p.Launcher().Start(ctx, cfg, flags, c.Duration("timeout"))
}

func (p *program) daemonStop(ctx context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	cfg, err := p.ClientConfig(c)
	if err != nil {
		return err
	}
	return p.Launcher().Stop(ctx, cfg, p.StateDirectory(c, cfg), c.Bool("keep-agents"), c.Duration("timeout"))
}

func (p *program) daemonRestart(ctx context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	cfg, flags, err := p.Locate(c)
	if err != nil {
		return err
	}
	return p.Launcher().Restart(ctx, cfg, flags, restartOptions(c, flags))
}

// restartOptions returns what a restart changes, by the flags of this command.
func restartOptions(c *cli.Context, flags config.Flags) launch.RestartOptions {
	return launch.RestartOptions{Flags: givenOnly(c, flags), Environment: c.Bool("environment"), Patience: c.Duration("timeout")}
}

// handOverCommand is the helper of a restart, for [launch.Launcher] only.
func (p *program) handOverCommand() *cli.Command {
	return &cli.Command{
		Name: launch.HandOverName, Hidden: true,
		Flags: append(daemonFlags(),
			&cli.IntFlag{Name: "pid"},
			&cli.DurationFlag{Name: "timeout"},
			&cli.BoolFlag{Name: "environment"},
			&cli.BoolFlag{Name: "orphaned"}),
		Action: func(c *cli.Context) error {
			cfg, flags, err := p.Locate(c)
			if err != nil {
				return err
			}
			return p.Launcher().RunHelper(c.Context, cfg, restartOptions(c, flags), c.Int("pid"), c.Bool("orphaned"))
		},
	}
}
