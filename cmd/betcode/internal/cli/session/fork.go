package session

import (
	"context"
	"fmt"
	"io"

	"github.com/google/uuid"
	"github.com/urfave/cli/v2"
	"google.golang.org/grpc/metadata"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

// idempotencyKey is the metadata key with which a call that is repeated after a lost answer has its
// effect once.
const idempotencyKey = "x-idempotency-key"

func (p group) forkCommand() *cli.Command {
	return &cli.Command{
		Name: "fork", Usage: "make a session that begins with the conversation of another", ArgsUsage: "SESSION",
		Description: `The new session has the options, the model and the tools of the other one, which stays
as it is. Prints the id of the new session. No turn may be running in the other session.`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "name", Usage: "`NAME` of the new session"},
			&cli.StringFlag{Name: "at", Value: "latest", Usage: "where to fork: only `latest`, the last answer"},
			&cli.StringFlag{Name: "key", Usage: "`UUID` of the fork: a repeated call with it returns the same session"},
		}, output.OnceFlags()...),
		Action: p.Shows(1, 1, p.forkSession),
	}
}

func (p group) forkSession(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error) {
	if at := c.String("at"); at != "latest" {
		return output.View{}, exit.Usage(fmt.Errorf("--at %s: sessions are forked at latest", at))
	}
	key := c.String("key")
	if key == "" {
		key = uuid.NewString()
	}
	ctx = metadata.AppendToOutgoingContext(ctx, idempotencyKey, key)
	id, err := base.Resolve(ctx, cl, c.Args().First())
	if err != nil {
		return output.View{}, err
	}
	forked, err := cl.Admin.ForkSession(ctx, &pb.ForkSessionRequest{SessionId: id, Name: c.String("name")})
	return output.View{
		Schema: "betcode.session.fork/v2", Value: forked, Name: "session_id",
		Text: func(w io.Writer, _ output.Look) error {
			p.Say("Forked from %s at sequence %d.", console.ShortID(forked.GetOrigin().GetSessionId()), forked.GetOrigin().GetSequence())
			_, err := fmt.Fprintln(w, forked.GetSessionId())
			return err
		},
	}, err
}
