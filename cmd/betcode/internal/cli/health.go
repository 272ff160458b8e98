package cli

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/exit"
	pb "betcode/proto/betcode/v1"
)

func (p *program) healthCommand() *cli.Command {
	return &cli.Command{
		Name: "health", Usage: "check whether the daemon serves; for probes", ArgsUsage: "[SERVICE]",
		Description: "Prints SERVING or NOT_SERVING. Exit code 0 means that the daemon serves; 7 that it does not; 2 that no daemon\n" +
			"answers; 6 that it has no such service. SERVICE is for example AgentService. The command starts no daemon and\n" +
			"asks no questions. 'betcode daemon status' shows what is wrong.",
		Action: simple(p.health),
	}
}

func (p *program) health(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 1); err != nil {
		return err
	}
	cfg, err := p.clientConfig(c)
	if err != nil {
		return err
	}
	cl, err := client.Open(cfg)
	if err != nil {
		return err
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(ctx, client.PingTimeout)
	defer cancel()
	serving, err := cl.Serving(ctx, c.Args().First())
	switch {
	case client.Unreachable(err):
		return client.NoDaemon(cfg)
	case err != nil:
		return err
	case serving:
		_, err = fmt.Fprintln(p.Stdout, pb.ServingStatus_SERVING)
		return err
	}
	fmt.Fprintln(p.Stdout, pb.ServingStatus_NOT_SERVING)
	return exit.Silent(exit.Internal)
}
