package base

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/google/uuid"
	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/launch"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

// ClientConfig returns how this command reaches the daemon.
func (p *Program) ClientConfig(c *cli.Context) (config.Client, error) {
	cfg, err := config.ResolveClient(config.ClientFlags{
		SocketPath: c.String("socket"), ConfigDir: c.String("config-dir"),
		ConnectTimeout: c.String("connect-timeout"), Start: c.Bool("start"),
		Remote: config.RemoteFlags{
			Address: c.String("address"), TokenFile: c.String("token-file"), CAFile: c.String("tls-ca"), TLS: c.Bool("tls"),
		},
	}, p.World)
	if err != nil {
		return cfg, exit.Usage(err)
	}
	return cfg, nil
}

// Connect connects to the daemon. If none runs it starts one with --start, or if a person agrees.
func (p *Program) Connect(ctx context.Context, c *cli.Context) (*client.Client, config.Client, error) {
	cfg, err := p.ClientConfig(c)
	if err != nil {
		return nil, cfg, err
	}
	cl, holder, err := launch.Find(ctx, cfg, p.StateDirectory(c, cfg))
	switch {
	case holder != nil:
		return nil, cfg, launch.Unreachable(*holder, cfg.SocketPath)
	case !client.Unreachable(err):
		return cl, cfg, err
	case cfg.Remote.Address != "":
		return nil, cfg, client.NoDaemon(cfg)
	}
	start := cfg.AutoStart
	if !start && p.Attended() && p.Terminal.Err {
		start = p.Confirm(fmt.Sprintf("No daemon answers at %s. Start one?", cfg.SocketPath), true)
	}
	if !start {
		return nil, cfg, client.NoDaemon(cfg)
	}
	daemon, flags, err := p.Locate(c)
	if err != nil {
		return nil, cfg, err
	}
	if err := p.Launcher().Start(ctx, daemon, flags, StartPatience); err != nil {
		return nil, cfg, err
	}
	cl, err = client.Dial(ctx, cfg)
	return cl, cfg, err
}

// StateDirectory returns the state directory of the daemon on this machine that cfg names; empty if it is remote, or if flags and
// settings do not determine it, which the command that starts a daemon reports.
func (p *Program) StateDirectory(c *cli.Context, cfg config.Client) string {
	if cfg.Remote.Address != "" {
		return ""
	}
	daemon, _, err := p.Locate(c)
	if err != nil {
		return ""
	}
	return daemon.StateDir
}

// Resolve returns the id of the session that a person named. Of several sessions with the name it returns the one of the present
// directory. A complete id is returned unchanged.
func Resolve(ctx context.Context, cl *client.Client, ref string) (string, error) {
	if len(ref) == 36 && uuid.Validate(ref) == nil {
		return strings.ToLower(ref), nil
	}
	directory, _ := os.Getwd() // without it the name has to be unique
	r, err := cl.Admin.Resolve(ctx, &pb.ResolveRequest{Ref: ref, WorkingDirectory: directory})
	if err != nil {
		return "", err
	}
	return r.GetSessionId(), nil
}

// ShowSession returns the daemon's description of the session that a person named.
func ShowSession(ctx context.Context, cl *client.Client, ref string) (*pb.ShowSessionResponse, error) {
	id, err := Resolve(ctx, cl, ref)
	if err != nil {
		return nil, err
	}
	return cl.Admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: id})
}

// Connected connects to the daemon, calls action, and closes the connection.
func (p *Program) Connected(ctx context.Context, c *cli.Context, action func(*client.Client) error) error {
	cl, _, err := p.Connect(ctx, c)
	if err != nil {
		return err
	}
	defer cl.Close()
	return action(cl)
}

// WithClient wraps the action of a command that takes some arguments and talks to the daemon.
func (p *Program) WithClient(least, most int, action func(ctx context.Context, c *cli.Context, cl *client.Client) error) cli.ActionFunc {
	return Simple(func(ctx context.Context, c *cli.Context) error {
		if err := Arguments(c, least, most); err != nil {
			return err
		}
		return p.Connected(ctx, c, func(cl *client.Client) error { return action(ctx, c, cl) })
	})
}
