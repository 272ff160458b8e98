package cli

import (
	"cmp"
	"fmt"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/gateways"
)

// The path at which clients of the agent socket look by default, and the variable with another.
const (
	agentSocket         = "/tmp/maelstrom/agent.sock"
	agentSocketVariable = "MAELSTROM_SOCKET"
)

func (p *program) gatewayCommand() *cli.Command {
	return &cli.Command{
		Name: "gateway", Usage: "serve clients that speak another protocol than betcode.v1",
		Subcommands: []*cli.Command{{
			Name: "socket", Usage: "serve clients of the agent socket: JSON lines over a Unix socket",
			Description: "It prints {\"status\":\"ready\",\"socketPath\":…} when clients may connect, and works until SIGINT or SIGTERM.\n" +
				"Sessions live in the daemon: 'session list' shows them, and they can be watched and answered from there.\n\n" +
				"--on-disconnect deny   open requests are denied, and the session is stopped\n" +
				"                keep   the session goes on; its client attaches again",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "path", Usage: "`PATH` of the socket for clients (" + agentSocketVariable + ", " + agentSocket + ")"},
				&cli.StringFlag{Name: "on-disconnect", Value: "deny", Usage: "`WHAT` becomes of sessions whose client has gone: deny or keep"},
			},
			Action: p.serveSocket,
		}, p.portalCommand(), p.pairCommand(), p.proxyTokenCommand(), p.shareCommand()},
	}
}

// serveSocket serves the agent socket until a signal ends it.
func (p *program) serveSocket(c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	keep := c.String("on-disconnect") == "keep"
	if !keep && c.String("on-disconnect") != "deny" {
		return exit.Usage(fmt.Errorf("--on-disconnect is deny or keep, not %q", c.String("on-disconnect")))
	}
	path, err := filepath.Abs(cmp.Or(c.String("path"), p.World.Getenv(agentSocketVariable), agentSocket))
	if err != nil {
		return exit.Usage(err)
	}
	ctx, stop := signal.NotifyContext(c.Context, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	cl, cfg, err := p.Connect(ctx, c) // a daemon must be there when the gateway begins
	if err != nil {
		return err
	}
	if err := cl.Close(); err != nil {
		return err
	}
	return gateways.Socket(ctx, gateways.SocketOptions{
		Path: path, Keep: keep, Daemon: cfg, Ready: p.Stdout, Log: p.Stderr,
	})
}
