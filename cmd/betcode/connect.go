package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/exit"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

// pingTimeout is how long a daemon may take to say that it is there.
const pingTimeout = 5 * time.Second

// clientConfig is how this command finds the daemon.
func (p *program) clientConfig(c *cli.Context) (config.Client, error) {
	cfg, err := config.ResolveClient(config.ClientFlags{
		SocketPath: c.String("socket"), ConfigDir: c.String("config-dir"),
		ConnectTimeout: c.String("connect-timeout"), Start: c.Bool("start"),
		Remote: config.RemoteFlags{
			Address: c.String("address"), TokenFile: c.String("token-file"), CAFile: c.String("tls-ca"), TLS: c.Bool("tls"),
		},
	}, p.world)
	if err != nil {
		return cfg, exit.Usage(err)
	}
	return cfg, nil
}

// connect finds the daemon. When none runs it starts one if it was told to, or
// offers to if a person is there.
func (p *program) connect(ctx context.Context, c *cli.Context) (*client.Client, config.Client, error) {
	cfg, err := p.clientConfig(c)
	if err != nil {
		return nil, cfg, err
	}
	cl, err := p.dial(ctx, cfg)
	if err == nil || !client.Unreachable(err) {
		return cl, cfg, err
	}
	if cfg.Remote.Address != "" {
		return nil, cfg, errNoDaemon(cfg)
	}
	if h, held := p.holder(c, cfg); held {
		if cl, err = p.reach(ctx, cfg, h); client.Unreachable(err) && !processEnded(h.pid) {
			return nil, cfg, h.unreachable(cfg.SocketPath)
		}
		if err == nil || !client.Unreachable(err) {
			return cl, cfg, err
		}
	}
	start := cfg.AutoStart
	if !start && p.Attended() && p.Terminal.Err {
		start = p.Confirm(fmt.Sprintf("No daemon answers at %s. Start one?", cfg.SocketPath), true)
	}
	if !start {
		return nil, cfg, errNoDaemon(cfg)
	}
	daemon, flags, err := p.locate(c)
	if err != nil {
		return nil, cfg, err
	}
	if err := p.startDaemon(ctx, daemon, flags, startPatience); err != nil {
		return nil, cfg, err
	}
	cl, err = p.dial(ctx, cfg)
	return cl, cfg, err
}

// dial connects and makes sure that somebody answers.
func (p *program) dial(ctx context.Context, cfg config.Client) (*client.Client, error) {
	cl, err := newClient(cfg)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	if _, err := cl.Ping(ctx); err != nil {
		cl.Close()
		return nil, err
	}
	return cl, nil
}

// errNoDaemon says what, why, and what to do.
func errNoDaemon(cfg config.Client) error {
	if cfg.Remote.Address != "" {
		return exit.With(exit.Connection, fmt.Errorf(
			"connect to the daemon at %s: nobody answers, or not with the TLS that is asked for. It listens there with --listen; --address, --tls and --tls-ca say how to reach it", cfg.Remote.Address))
	}
	socket := cfg.SocketPath
	why := "nobody answers"
	if _, err := os.Stat(socket); errors.Is(err, os.ErrNotExist) {
		why = "there is no socket"
	} else if errors.Is(err, os.ErrPermission) {
		why = "you may not look there"
	}
	return exit.With(exit.Connection, fmt.Errorf(
		"connect to the daemon at %s: %s. Start one with 'betcode daemon start', or add --start", socket, why))
}

// clientID is who this process is, for the input lock and for "who answered".
func clientID() string {
	user := os.Getenv("USER")
	if strings.ContainsFunc(user, func(r rune) bool { return r <= ' ' || r > '~' }) || user == "" || len(user) > 64 {
		user = "cli"
	}
	return user + "-" + uuid.NewString()[:8]
}

// resolve is the session meant by what a person typed.
func resolve(ctx context.Context, cl *client.Client, ref string) (string, error) {
	r, err := cl.Admin.Resolve(ctx, &pb.ResolveRequest{Ref: ref})
	if err != nil {
		return "", err
	}
	return r.GetSessionId(), nil
}

// withClient wraps the action of a simple command that takes some arguments and
// talks to the daemon.
func (p *program) withClient(least, most int, action func(ctx context.Context, c *cli.Context, cl *client.Client) error) cli.ActionFunc {
	return simple(func(ctx context.Context, c *cli.Context) error {
		if err := arguments(c, least, most); err != nil {
			return err
		}
		cl, _, err := p.connect(ctx, c)
		if err != nil {
			return err
		}
		defer cl.Close()
		return action(ctx, c, cl)
	})
}
