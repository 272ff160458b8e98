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
		Name: "daemon", Usage: "run, start, stop and look at the daemon",
		Subcommands: []*cli.Command{
			{
				Name: "run", Usage: "run the daemon in the foreground; its log goes to standard error",
				Description: "SIGTERM and Ctrl-C end it and its agents; their turns can be resumed. With --keep-agents the\n" +
					"agents go on working, and the next daemon takes them over: so does one in the background. A\n" +
					"second signal ends it at once. SIGHUP reads the settings again, as a change of their files does.",
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
				Description: "Sessions are kept; the next daemon knows them. With --keep-agents their agents go on\n" +
					"working, and the next daemon takes them over.",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "keep-agents", Usage: "leave the agents running"},
					&cli.DurationFlag{Name: "timeout", Usage: "how `LONG` to wait", Value: stopPatience},
				},
				Action: simple(p.daemonStop),
			},
			{
				Name: "restart", Usage: "replace the daemon by this program; its agents go on",
				Description: "The next daemon is run as the present one was, with the same flags and environment, by\n" +
					"the executable that this command is. Flags given here replace those. If none runs it is started.",
				Flags: append(daemonFlags(),
					&cli.DurationFlag{Name: "timeout", Usage: "how `LONG` to wait for each of the two", Value: startPatience}),
				Action: simple(p.daemonRestart),
			},
			p.handOverCommand(),
			{
				Name: "status", Usage: "show how the daemon and its components are",
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "as JSON"}},
				Action: simple(p.daemonStatus),
			},
		},
	}
}

// daemonFlags are the flags of a daemon, as the table of settings has them.
// --socket is one of every command.
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

// daemonSettings are the flags that were given, by the name of their setting.
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
