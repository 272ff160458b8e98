package permission

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/config"
	"betcode/messages/toolcall"
	pb "betcode/proto/betcode/v1"
)

func (p group) testRulesCommand() *cli.Command {
	return &cli.Command{
		Name: "test", Usage: "show what rules would have decided about past tool calls",
		Description: "Matches every call in the journal against the rules in settings.json, or in another such file. Runs no tool.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "history", Usage: "test the calls in the journal (required)"},
			&cli.StringFlag{Name: "settings", Usage: "the rules of `FILE`, instead of those in force"},
			&cli.StringFlag{Name: "session", Aliases: []string{"r"}, Usage: "only calls of `SESSION`"},
			&cli.BoolFlag{Name: "changes", Usage: "only calls that would have been decided differently"},
			&cli.BoolFlag{Name: "json", Usage: "as JSON, a line for each call"},
		},
		Before: base.Needs("history"),
		Action: p.WithClient(0, 0, p.testRules),
	}
}

func (p group) testRules(ctx context.Context, c *cli.Context, cl *client.Client) error {
	request := &pb.TestRulesRequest{SessionId: c.String("session")}
	if file := c.String("settings"); file != "" {
		rules, err := config.ReadPermissionsFile(file)
		if err != nil {
			return exit.Usage(err)
		}
		request.Allow, request.Ask, request.Deny = rules.Allow, rules.Ask, rules.Deny
		if len(request.GetAllow())+len(request.GetAsk())+len(request.GetDeny()) == 0 {
			return exit.Usage(fmt.Errorf("%s has no rules", filepath.Base(file)))
		}
	}
	stream, err := cl.Admin.TestRules(ctx, request)
	if err != nil {
		return err
	}
	count := map[string]int{}
	for {
		m, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case m.GetSessionId() == "":
			return p.testedSummary(c, m, count)
		}
		count[m.GetEffect()]++
		if goesAnotherWay(m) {
			count["changes"]++
		} else if c.Bool("changes") {
			continue
		}
		if c.Bool("json") {
			err = console.WriteJSONLine(p.Stdout, m)
		} else {
			_, err = fmt.Fprintf(p.Stdout, "%-5s  %-12s %s %d  %s %s\n", m.GetEffect(), m.GetWas(), console.ShortID(m.GetSessionId()), m.GetSequence(),
				console.Line(m.GetToolName()), toolcall.Cut(console.Line(m.GetDescription()), 80))
		}
		if err != nil {
			return err
		}
	}
}

// goesAnotherWay reports whether rules would have changed the outcome: no person would have been asked, or the call would not
// have run.
func goesAnotherWay(m *pb.TestRulesResponse) bool {
	asked := m.GetWas() != "not asked"
	switch m.GetEffect() {
	case "deny":
		return true
	case "allow":
		return asked
	case "ask":
		return !asked
	}
	return false
}

func (p group) testedSummary(c *cli.Context, m *pb.TestRulesResponse, count map[string]int) error {
	for _, problem := range m.GetProblems() {
		p.Say("note: %s", console.Line(problem))
	}
	if c.Bool("json") {
		return nil
	}
	_, err := fmt.Fprintf(p.Stdout, "%s: %d allowed, %d denied, %d asked about, %d not decided by rules; %d would have been decided differently\n",
		console.Count(m.GetCalls(), "call"), count["allow"], count["deny"], count["ask"], count["none"], count["changes"])
	return err
}
