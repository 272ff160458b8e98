package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

// NewCommand returns the command that creates a session without a message.
func NewCommand(program *base.Program) *cli.Command {
	p := group{program}
	var flags []cli.Flag
	for _, f := range Flags() {
		if name := f.Names()[0]; name != "session" && name != "continue" {
			flags = append(flags, f)
		}
	}
	return &cli.Command{
		Name: "new", Usage: "create a session without a message and print its id",
		Description: "Its agent starts with the first message: betcode run --session SESSION, or betcode session attach SESSION.",
		Flags:       append(flags, output.OnceFlags()...), Action: p.Shows(0, 0, p.newSession),
	}
}

func (p group) newSession(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error) {
	opening, err := p.open(ctx, c, cl)
	if err != nil {
		return output.View{}, err
	}
	made, err := Create(ctx, cl, opening.Start)
	return output.View{
		Schema: "betcode.session.new/v1", Value: made, Name: "session_id",
		Text: func(w io.Writer, _ output.Look) error {
			_, err := fmt.Fprintln(w, console.Line(made.GetSessionId()))
			return err
		},
	}, err
}

// Create creates a session and returns the daemon's description of it.
func Create(ctx context.Context, cl *client.Client, start *pb.StartConversation) (*pb.SessionInfo, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start.KeepsPrompts = true // otherwise the daemon waits whether a message comes with the start
	stream, err := cl.Agent.Converse(ctx)
	if err != nil {
		return nil, err
	}
	if err := stream.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: start}}); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	for {
		event, err := stream.Recv()
		if err != nil {
			return nil, err
		}
		if info := event.GetSessionInfo(); info != nil {
			return info, nil
		}
	}
}

// lockOf reads --lease.
func lockOf(c *cli.Context) (pb.WorktreeLock, error) {
	name := c.String("lease")
	if name == "" {
		return pb.WorktreeLock_WORKTREE_LOCK_UNSPECIFIED, nil
	}
	lock, known := pb.WorktreeLock_value["WORKTREE_LOCK_"+strings.ToUpper(name)]
	switch {
	case !known || lock == 0:
		return 0, exit.Usage(fmt.Errorf("--lease %s is unknown: use exclusive, shared or none", console.Line(name)))
	case c.String("worktree") == "":
		return 0, exit.Usage(errors.New("--lease needs --worktree"))
	}
	return pb.WorktreeLock(lock), nil
}
