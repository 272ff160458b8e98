package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/fleetmcp"
)

// ticketVariable is the environment variable with the ticket of a fleet server.
const ticketVariable = "BETCODE_FLEET_TICKET"

func (p *program) mcpCommand() *cli.Command {
	return &cli.Command{
		Name: "mcp", Usage: "serve an agent tools to direct subagents; agents of sessions with --fleet start it",
		Description: "It speaks MCP on its standard input and output, for the agent that the daemon has given it to\n" +
			"('run --fleet', 'session new --fleet', setting agents.fleet). Started by anybody else it is refused.",
		Action: func(c *cli.Context) error {
			if err := base.Arguments(c, 0, 0); err != nil {
				return err
			}
			return p.serveFleet(c.Context, c)
		},
	}
}

// serveFleet serves tools until the agent closes the standard input.
func (p *program) serveFleet(ctx context.Context, c *cli.Context) error {
	if err := fleetmcp.Seclude(); err != nil {
		return fmt.Errorf("keep other processes out: %w", err)
	}
	ticket := p.World.Getenv(ticketVariable)
	if ticket == "" {
		return exit.Usage(errors.New("'betcode mcp' is for agents: " + ticketVariable + " is not set. " +
			"Give an agent the tools with 'betcode run --fleet'"))
	}
	cfg, err := p.ClientConfig(c)
	if err != nil {
		return err
	}
	cl, err := client.New(client.Options{Socket: cfg.SocketPath, Identity: client.Identity{ID: "fleet"}, Ticket: ticket})
	if err != nil {
		return err
	}
	defer cl.Close()
	return fleetmcp.New(cl.Subagent, ticket).Run(ctx, p.Build.Version, io.NopCloser(p.Stdin), nopCloser{p.Stdout})
}

// nopCloser is a writer that stays open.
type nopCloser struct{ io.Writer }

// Close implements [io.Closer].
func (nopCloser) Close() error { return nil }
