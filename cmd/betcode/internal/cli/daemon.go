package cli

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/host"
	"betcode/cmd/betcode/internal/launch"
	"betcode/config"
)

// startPatience is how long a daemon may take until it serves. stopPatience is longer, because agents get time to end.
const (
	startPatience = 30 * time.Second
	stopPatience  = 60 * time.Second
)

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
					&cli.DurationFlag{Name: "timeout", Usage: "how `LONG` to wait", Value: startPatience}),
				Action: simple(p.daemonStart),
			},
			{
				Name: "stop", Usage: "stop the daemon and its agents",
				Description: "Sessions are kept. With --keep-agents their agents go on working, and the next daemon\n" +
					"takes them over.",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "keep-agents", Usage: "leave the agents running"},
					&cli.DurationFlag{Name: "timeout", Usage: "how `LONG` to wait", Value: stopPatience},
				},
				Action: simple(p.daemonStop),
			},
			{
				Name: "restart", Usage: "replace the daemon with this program; its agents go on",
				Description: "Starts this executable with the flags and the environment of the running daemon. Flags given\n" +
					"here replace those. If no daemon runs, one is started.",
				Flags: append(daemonFlags(),
					&cli.DurationFlag{Name: "timeout", Usage: "how `LONG` to wait for the end of one daemon and the start of the other", Value: startPatience}),
				Action: simple(p.daemonRestart),
			},
			p.handOverCommand(),
			{
				Name: "status", Usage: "show the health of the daemon and its components",
				Flags:  []cli.Flag{jsonFlag()},
				Action: simple(p.daemonStatus),
			},
		},
	}
}

// daemonFlags returns the flags of a daemon, from the table of settings, without --socket, which every command has.
func daemonFlags() []cli.Flag {
	var flags []cli.Flag
	for _, s := range config.Table() {
		switch s.Flag {
		case "", socketFlag, keepAgentsFlag:
			continue
		}
		flags = append(flags, &cli.StringFlag{Name: s.Flag, Usage: flagUsage(s)})
	}
	return flags
}

// The settings with flags of their own kind.
const (
	socketFlag     = "socket"
	keepAgentsFlag = "keep-agents"
)

func flagUsage(s config.Setting) string {
	usage := fmt.Sprintf("%s, `%s` (%s", s.Help, strings.ToUpper(s.Kind.String()), s.Env)
	if s.Default != "" {
		usage += ", " + s.Default
	}
	return usage + ")"
}

// daemonSettings returns the given flags by the name of their setting.
func daemonSettings(c *cli.Context) config.Flags {
	given := config.Flags{config.ConfigDirFlag: c.String(config.ConfigDirFlag)}
	for _, s := range config.Table() {
		switch s.Flag {
		case "":
		case keepAgentsFlag:
			if c.Bool(s.Flag) {
				given[s.Name] = "true"
			}
		default:
			given[s.Name] = c.String(s.Flag)
		}
	}
	return given
}

// locate returns the places of the daemon that this command would start, and the flags for it. Mistakes in its settings
// files are for the daemon to report.
func (p *program) locate(c *cli.Context) (config.Daemon, config.Flags, error) {
	flags := daemonSettings(c)
	d, err := config.Locate(flags, p.world)
	if err != nil {
		return d, flags, exit.Usage(err)
	}
	if p.world.Getenv("BETCODE_CLAUDE") != "" {
		flags["agent.path"] = d.ClaudePath // a relative path is relative to this command's directory, not the daemon's
	}
	return d, flags, nil
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

func (p *program) launcher() *launch.Launcher {
	return &launch.Launcher{Console: p.Console, Version: p.build.Version}
}

func (p *program) daemonRun(c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	return host.Run(c.Context, host.Options{Flags: daemonSettings(c), World: p.world, Version: p.build.Version, Stderr: p.Stderr})
}

func (p *program) daemonStart(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	cfg, flags, err := p.locate(c)
	if err != nil {
		return err
	}
	cl, holder, err := launch.Find(ctx, config.Client{SocketPath: cfg.SocketPath}, cfg.StateDir)
	switch {
	case holder != nil:
		return launch.Unreachable(*holder, cfg.SocketPath)
	case err == nil:
		defer cl.Close()
		p.Say("A daemon already answers at %s.", cfg.SocketPath)
		return nil
	case !client.Unreachable(err):
		return err
	}
	p.offerImport(cfg.ConfigDir)
	return p.launcher().Start(ctx, cfg, flags, c.Duration("timeout"))
}

func (p *program) daemonStop(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	cfg, err := p.clientConfig(c)
	if err != nil {
		return err
	}
	return p.launcher().Stop(ctx, cfg, p.stateDirectory(c, cfg), c.Bool("keep-agents"), c.Duration("timeout"))
}

func (p *program) daemonRestart(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	cfg, flags, err := p.locate(c)
	if err != nil {
		return err
	}
	return p.launcher().Restart(ctx, cfg, flags, givenOnly(c, flags), c.Duration("timeout"))
}

// handOverCommand is the helper of a restart, for [launch.Launcher] only.
func (p *program) handOverCommand() *cli.Command {
	return &cli.Command{
		Name: launch.HandOverName, Hidden: true,
		Flags: append(daemonFlags(),
			&cli.IntFlag{Name: "pid"},
			&cli.DurationFlag{Name: "timeout"},
			&cli.BoolFlag{Name: "orphaned"}),
		Action: func(c *cli.Context) error {
			cfg, flags, err := p.locate(c)
			if err != nil {
				return err
			}
			return p.launcher().RunHelper(c.Context, cfg, givenOnly(c, flags), c.Int("pid"), c.Duration("timeout"), c.Bool("orphaned"))
		},
	}
}
