package session

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"
	"github.com/urfave/cli/v2"
	"google.golang.org/grpc/metadata"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

// budgetFlags are the flags that limit a new session.
func budgetFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "budget", Usage: "pause and ask when the session has cost `USD`; off = no limit"},
		&cli.StringFlag{Name: "budget-tokens", Usage: "pause and ask after `N` tokens; off = no limit"},
		&cli.StringFlag{Name: "budget-time", Usage: "pause and ask after `TIME` of work, for example 90m; off = no limit"},
	}
}

func (p group) budgetCommand() *cli.Command {
	return &cli.Command{
		Name: "budget", Usage: "show what a session has consumed, or change its budget", ArgsUsage: "SESSION",
		Description: `A session that has used its budget begins no turn: messages wait, and a permission request asks whether the
budget is raised. A turn that runs is not interrupted, because its cost is known at its end.`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "usd", Usage: "pause and ask when the session has cost `USD`; off = no limit"},
			&cli.StringFlag{Name: "tokens", Usage: "pause and ask after `N` tokens; off = no limit"},
			&cli.StringFlag{Name: "time", Usage: "pause and ask after `TIME` of work, for example 90m; off = no limit"},
			&cli.StringFlag{Name: "key", Usage: "`UUID` of the change: a repeated call with it changes nothing more"},
		}, output.OnceFlags()...),
		Action: p.WithClient(1, 1, p.sessionBudget),
	}
}

// limits reads the flags of limits. A flag that is not given is nil, "off" is 0.
func limits(c *cli.Context, usd, tokens, work string) (micros, count, ms *uint64, err error) {
	for _, flag := range []struct {
		name, like string
		to         **uint64
		parse      func(string) (int64, error)
	}{
		{usd, "budget.session_usd", &micros, config.ParseMoney},
		{tokens, "budget.session_tokens", &count, nil},
		{work, "budget.session_time", &ms, func(s string) (int64, error) {
			d, err := config.ParseDuration(s)
			return d.Milliseconds(), err
		}},
	} {
		if !c.IsSet(flag.name) {
			continue
		}
		text := strings.TrimSpace(c.String(flag.name))
		var n int64
		if text != "off" {
			if flag.parse == nil {
				_, err = fmt.Sscanf(text+"\n", "%d\n", &n)
			} else {
				n, err = flag.parse(text)
			}
			if err != nil || n <= 0 {
				setting, _ := config.Find(flag.like)
				return nil, nil, nil, exit.Usage(fmt.Errorf("--%s %q is not %s", flag.name, text, setting.Wants()))
			}
		}
		value := uint64(n)
		*flag.to = &value
	}
	return micros, count, ms, nil
}

// budget reads the flags that limit a new session; nil if none is given, so that the settings limit it.
func (p group) budget(c *cli.Context) (*pb.Budget, error) {
	micros, tokens, ms, err := limits(c, "budget", "budget-tokens", "budget-time")
	if err != nil || micros == nil && tokens == nil && ms == nil {
		return nil, err
	}
	or := func(n *uint64) uint64 {
		if n == nil {
			return 0
		}
		return *n
	}
	return &pb.Budget{CostMicros: or(micros), Tokens: or(tokens), WorkMs: or(ms)}, nil
}

func (p group) sessionBudget(ctx context.Context, c *cli.Context, cl *client.Client) error {
	micros, tokens, ms, err := limits(c, "usd", "tokens", "time")
	if err != nil {
		return err
	}
	id, err := base.Resolve(ctx, cl, c.Args().First())
	if err != nil {
		return err
	}
	if micros != nil || tokens != nil || ms != nil {
		key := c.String("key")
		if key == "" {
			key = uuid.NewString()
		}
		keyed := metadata.AppendToOutgoingContext(ctx, idempotencyKey, key)
		request := &pb.SetSessionBudgetRequest{SessionId: id, CostMicros: micros, Tokens: tokens, WorkMs: ms}
		if _, err := cl.Admin.SetSessionBudget(keyed, request); err != nil {
			return err
		}
	}
	view, err := base.ShowSession(ctx, cl, id)
	if err != nil {
		return err
	}
	b := view.GetSummary().GetBudget()
	return p.Show(c, output.View{
		Schema: "betcode.session.budget/v2", Value: b,
		Text: func(w io.Writer, _ output.Look) error {
			fmt.Fprintln(w, "used    "+base.Spending(b.GetSpent()))
			if b.GetBelow() != nil {
				fmt.Fprintln(w, "below   "+base.Spending(b.GetBelow())+" of subagents")
			}
			_, err := fmt.Fprintln(w, "budget  "+budgetText(b))
			return err
		},
	})
}

// costText returns the cost of a session for a list, with a mark if a part is unknown.
func costText(s *pb.SessionSummary) string {
	text := fmt.Sprintf("$%.2f", s.GetTotalCostUsd())
	if s.GetBudget().GetSpent().GetUnknown() > 0 {
		text += "+?"
	}
	if limit := s.GetBudget().GetLimit().GetCostMicros(); limit > 0 {
		text += " of " + base.USD(limit)
	}
	return text
}

// budgetText describes the limits, and what happens to messages.
func budgetText(b *pb.SessionBudget) string {
	text := base.Limits(b.GetLimit())
	switch {
	case b.GetState() == "near":
		text += "; 80 % are used"
	case b.GetState() == "reached":
		text += "; used: no turn begins"
	}
	switch {
	case b.GetRefused():
		text += "; it was not raised, and messages wait until a person raises it or sends another"
	case b.GetHeld() == "budget_parent":
		text += "; the budget of a session above is used, and messages wait for that"
	case b.GetHeld() == "budget_day":
		text += "; the daemon's budget of the day is used, and messages wait for that (betcode fleet status)"
	case b.GetHeld() != "":
		text += "; messages wait for an answer (betcode permission list)"
	}
	return text
}
