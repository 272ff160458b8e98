package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
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
					"second signal ends it at once. SIGHUP reads the deny rules of settings.json again.",
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
					"the executable that this command is. If none runs it is started.",
				Flags: append(daemonFlags(),
					&cli.DurationFlag{Name: "timeout", Usage: "how `LONG` to wait for each of the two", Value: startPatience}),
				Action: simple(p.daemonRestart),
			},
			p.handOverCommand(),
			{
				Name: "status", Usage: "say how the daemon is",
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "as JSON"}},
				Action: simple(p.daemonStatus),
			},
		},
	}
}

func daemonFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "state-dir", Usage: "`DIRECTORY` of the journal and of the agents' files (BETCODE_STATE_DIR)"},
		&cli.StringFlag{Name: "log-level", Usage: "error, warn, info, debug or trace (BETCODE_LOG_LEVEL, info)"},
		&cli.StringFlag{Name: "log-file", Usage: "`PATH` of the log (BETCODE_LOG_FILE)"},
		&cli.StringFlag{Name: "claude", Usage: "`PATH` of the agent's executable (BETCODE_CLAUDE, claude)"},
		&cli.StringFlag{Name: "max-agents", Usage: "`N`umber of agents that may run at once (BETCODE_MAX_AGENTS, 5)"},
		&cli.StringFlag{Name: "permission-ttl", Usage: "how `LONG` a permission request waits, 1h to 30d (BETCODE_PERMISSION_TTL, 7d)"},
		&cli.StringFlag{Name: "permission-extend", Usage: "whether (true or false) a client's activity starts that anew (BETCODE_PERMISSION_EXTEND, true)"},
		&cli.StringFlag{Name: "permission-reminders", Usage: "`WHEN` to remind people of it, or off (BETCODE_PERMISSION_REMINDERS, 1h,24h)"},
		&cli.StringFlag{Name: "notify-exec", Usage: "`PROGRAM` to start for a reminder, or a JSON list with its arguments (BETCODE_NOTIFY_EXEC)"},
	}
}

// daemonConfig is how a daemon started by this command shall run.
func (p *program) daemonConfig(c *cli.Context) (config.Daemon, error) {
	cfg, err := config.ResolveDaemon(config.DaemonFlags{
		StateDir: c.String("state-dir"), ConfigDir: c.String("config-dir"), SocketPath: c.String("socket"),
		LogLevel: c.String("log-level"), LogFile: c.String("log-file"), ClaudePath: c.String("claude"),
		MaxAgents: c.String("max-agents"), PermissionTTL: c.String("permission-ttl"), KeepAgents: c.Bool("keep-agents"),
		PermissionExtend: c.String("permission-extend"), PermissionReminders: c.String("permission-reminders"),
		NotifyExec: c.String("notify-exec"),
	}, p.world)
	if err != nil {
		return cfg, usageError{err}
	}
	return cfg, nil
}

func (p *program) daemonRun(c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	cfg, err := p.daemonConfig(c)
	if err != nil {
		return err
	}
	return runDaemon(c.Context, cfg, p.stderr)
}

func (p *program) daemonStart(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	cfg, err := p.daemonConfig(c)
	if err != nil {
		return err
	}
	if cl, err := p.dial(ctx, config.Client{SocketPath: cfg.SocketPath}); err == nil {
		defer cl.Close()
		fmt.Fprintf(p.stderr, "A daemon already answers at %s.\n", cfg.SocketPath)
		return nil
	} else if !client.Unreachable(err) {
		return err
	}
	return p.startDaemon(ctx, cfg, c.Duration("timeout"))
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
	if client.Unreachable(err) {
		fmt.Fprintf(p.stderr, "No daemon answers at %s.\n", cfg.SocketPath)
		return nil
	}
	if err != nil {
		return err
	}
	defer cl.Close()
	pid := 0
	if health, err := cl.Health.GetHealthDetails(ctx, &pb.HealthDetailsRequest{}); err == nil {
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
			return exitError{exitInternal, fmt.Errorf("stop daemon: it is still there after %s; its log says why", c.Duration("timeout"))}
		}
	}
	fmt.Fprintln(p.stderr, "The daemon has stopped.")
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
