package session

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

func (p group) compactCommand() *cli.Command {
	return &cli.Command{
		Name: "compact", Usage: "let the agent summarise its context, and replay only the last exchange from now on", ArgsUsage: "SESSION",
		Description: "The session must be idle. Older history stays in the journal: 'betcode session export' writes it. The compaction\n" +
			"goes on if you interrupt this command.",
		Flags: output.OnceFlags(), Action: p.WithClient(1, 1, p.compactSession),
	}
}

// compactSession calls until the compaction is done. The daemon answers from time to time before that; calls with the same
// key wait for the same compaction.
func (p group) compactSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	id, err := base.Resolve(ctx, cl, c.Args().First())
	if err != nil {
		return err
	}
	request := &pb.CompactSessionRequest{SessionId: id, IdempotencyKey: uuid.NewString()}
	began := time.Now()
	for {
		r, err := cl.Agent.CompactSession(ctx, request)
		if err != nil {
			return err
		}
		if !r.GetDone() {
			p.Say("The agent is still summarising, after %s.", console.Span(time.Since(began)))
			continue
		}
		return p.Show(c, output.View{
			Schema: "betcode.session.compact/v2", Value: r,
			Text: func(w io.Writer, _ output.Look) error {
				_, err := fmt.Fprintln(w, compactionLine(r))
				return err
			},
		})
	}
}

// compactionLine describes a compaction for a person.
func compactionLine(r *pb.CompactSessionResponse) string {
	if r.GetMessagesBefore() == r.GetMessagesAfter() && r.GetTokensSaved() == 0 {
		return "Nothing to compact since the last exchange."
	}
	line := fmt.Sprintf("%d messages are replayed, of %d; history begins after sequence %d.", r.GetMessagesAfter(), r.GetMessagesBefore(), r.GetBoundary())
	if r.GetTokensSaved() > 0 {
		line += fmt.Sprintf(" The context shrank by %d tokens to %d.", r.GetTokensSaved(), r.GetTokensAfter())
	}
	return line
}
