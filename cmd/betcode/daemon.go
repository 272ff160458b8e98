package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/exit"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

// startPatience is how long a daemon may take until it serves, stopPatience until
// it is gone: its agents are given time to end.
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

// locate is where a daemon is that this command would start. What is wrong with its
// settings files is for the daemon to say.
func (p *program) locate(c *cli.Context) (config.Daemon, config.Flags, error) {
	flags := daemonSettings(c)
	d, err := config.Locate(flags, p.world)
	if err != nil {
		return d, flags, exit.Usage(err)
	}
	if p.world.Getenv("BETCODE_CLAUDE") != "" {
		flags["agent.path"] = d.ClaudePath // a relative one begins here, and not where the daemon runs
	}
	return d, flags, nil
}

func (p *program) daemonRun(c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	flags := daemonSettings(c)
	live := &liveSettings{
		load:   func() (config.Settings, error) { return withFeatures(config.Load(flags, p.world)) },
		agrees: config.Agrees(flags, p.world),
	}
	settings, err := live.load()
	if err != nil {
		return exit.Usage(err)
	}
	live.set(settings)
	return runDaemon(c.Context, live, p.Stderr)
}

func (p *program) daemonStart(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	cfg, flags, err := p.locate(c)
	if err != nil {
		return err
	}
	if cl, err := p.dial(ctx, config.Client{SocketPath: cfg.SocketPath}); err == nil {
		defer cl.Close()
		fmt.Fprintf(p.Stderr, "A daemon already answers at %s.\n", cfg.SocketPath)
		return nil
	} else if !client.Unreachable(err) {
		return err
	}
	if h, held := holderOf(cfg.StateDir); held {
		cl, err := p.reach(ctx, config.Client{SocketPath: cfg.SocketPath}, h)
		if client.Unreachable(err) && !processEnded(h.pid) {
			return h.unreachable(cfg.SocketPath)
		}
		if err == nil {
			defer cl.Close()
			fmt.Fprintf(p.Stderr, "A daemon already answers at %s (pid %d).\n", cfg.SocketPath, h.pid)
			return nil
		}
	}
	p.offerImport(cfg.ConfigDir)
	return p.startDaemon(ctx, cfg, flags, c.Duration("timeout"))
}

func (p *program) daemonStop(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	cfg, err := p.clientConfig(c)
	if err != nil {
		return err
	}
	cl, err := p.dial(ctx, cfg)
	if h, held := p.holder(c, cfg); client.Unreachable(err) && held {
		if cl, err = p.reach(ctx, cfg, h); client.Unreachable(err) {
			return p.stopUnreachable(ctx, c, h)
		}
	}
	if client.Unreachable(err) {
		fmt.Fprintf(p.Stderr, "No daemon answers at %s.\n", cfg.Where())
		return nil
	}
	if err != nil {
		return err
	}
	defer cl.Close()
	pid := 0
	if health, err := cl.Health.GetHealthDetails(ctx, &pb.HealthDetailsRequest{}); err == nil && cfg.Remote.Address == "" {
		pid, _ = strconv.Atoi(health.GetMetadata()["pid"]) // 0 if it is not told
	}
	_, err = cl.Admin.Shutdown(ctx, &pb.ShutdownRequest{KeepAgents: c.Bool("keep-agents")})
	if err != nil && !client.Unreachable(err) { // gone before it could answer
		return err
	}
	patience, cancel := context.WithTimeout(ctx, c.Duration("timeout"))
	defer cancel()
	for !p.stopped(patience, cfg, pid) {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-patience.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return exit.With(exit.Internal, fmt.Errorf("stop daemon: it is still there after %s; its log says why", c.Duration("timeout")))
		}
	}
	fmt.Fprintln(p.Stderr, "The daemon has stopped.")
	return nil
}

// stopUnreachable ends a daemon that cannot be talked to.
func (p *program) stopUnreachable(ctx context.Context, c *cli.Context, h holder) error {
	if c.Bool("keep-agents") {
		return exit.With(exit.Connection, fmt.Errorf("stop daemon: it (pid %d) cannot be told to leave its agents running, for nobody answers at its socket. "+
			"'kill -9 %d' leaves them running, and the next daemon takes them over", h.pid, h.pid))
	}
	fmt.Fprintf(p.Stderr, "The daemon with pid %d does not answer; it is ended by a signal.\n", h.pid)
	if err := h.end(ctx, c.Duration("timeout")); err != nil {
		return err
	}
	fmt.Fprintln(p.Stderr, "The daemon has stopped.")
	return nil
}

// stopped reports whether nobody answers any more and the process is gone, so that
// the next daemon finds the state directory unlocked.
func (p *program) stopped(ctx context.Context, cfg config.Client, pid int) bool {
	cl, err := p.dial(ctx, cfg)
	if err == nil {
		cl.Close()
	}
	return client.Unreachable(err) && (pid == 0 || pid == os.Getpid() || processEnded(pid))
}
