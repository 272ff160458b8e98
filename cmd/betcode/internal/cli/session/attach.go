package session

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/chat"
	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/talk"
	pb "betcode/proto/betcode/v1"
)

// AttachCommand returns the command that watches a session and talks to its agent.
func AttachCommand(program *base.Program) *cli.Command {
	p := group{program}
	return &cli.Command{
		Name: "attach", Usage: "watch a session and talk to its agent", ArgsUsage: "SESSION",
		Description: "Leaving (/quit, Ctrl-D, Ctrl-C twice) stops nothing.\n\n" + chat.Help,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "read-only", Usage: "only watch"},
			TakeLockFlag(),
			&cli.StringFlag{Name: "history", Value: "full", Usage: "`HISTORY` to show first: full, pending (open requests only) or none"},
			&cli.Uint64Flag{Name: "from", Usage: "only what comes after sequence `N`"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show thinking, subagents and processes too"},
			PlainFlag(),
		},
		Action: p.attachSession,
	}
}

func (p group) attachSession(c *cli.Context) error {
	if err := base.Arguments(c, 1, 1); err != nil {
		return err
	}
	if c.Bool("read-only") && c.Bool("take-lock") {
		return exit.Usage(errors.New("--read-only and --take-lock contradict each other: leave one of them out"))
	}
	policy, err := historyPolicy(c.String("history"), c.IsSet("history"), c.IsSet("from"))
	if err != nil {
		return err
	}
	cl, _, err := p.Connect(c.Context, c)
	if err != nil {
		return err
	}
	defer cl.Close()
	view, err := base.ShowSession(c.Context, cl, c.Args().First())
	if err != nil {
		return err
	}
	o := talk.Opening{Head: view.GetHead(), Directory: view.GetSummary().GetWorkingDirectory(), Start: &pb.StartConversation{
		SessionId: view.GetSummary().GetId(), History: policy, FromSequence: c.Uint64("from"), Observer: c.Bool("read-only"),
	}}
	if policy == pb.HistoryPolicy_HISTORY_POLICY_NONE || policy == pb.HistoryPolicy_HISTORY_POLICY_PENDING_ONLY || c.Uint64("from") >= o.Head {
		o.Head = 0 // the daemon sends no history
	}
	return Talk(p.Program, c, cl, o)
}

func historyPolicy(name string, named, from bool) (pb.HistoryPolicy, error) {
	if from {
		if named {
			return 0, exit.Usage(errors.New("--history and --from contradict each other: leave one of them out"))
		}
		return pb.HistoryPolicy_HISTORY_POLICY_FROM_SEQUENCE, nil
	}
	switch name {
	case "full":
		return pb.HistoryPolicy_HISTORY_POLICY_FULL, nil
	case "pending":
		return pb.HistoryPolicy_HISTORY_POLICY_PENDING_ONLY, nil
	case "none":
		return pb.HistoryPolicy_HISTORY_POLICY_NONE, nil
	}
	return 0, exit.Usage(fmt.Errorf("--history %s: it is full, pending or none", name))
}
