package permission

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
	"google.golang.org/protobuf/proto"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

func (p group) testRulesCommand() *cli.Command {
	return &cli.Command{
		Name: "test", Usage: "show what rules would have decided about past tool calls",
		Description: "Matches every call in the journal against the rules in settings.json, or in another such file. Runs no tool.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "history", Usage: "test the calls in the journal (required)"},
			&cli.StringFlag{Name: "settings", Usage: "the rules of `FILE`, instead of those in force"},
			&cli.StringFlag{Name: "session", Aliases: []string{"r"}, Usage: "only calls of `SESSION`"},
			&cli.BoolFlag{Name: "changes", Usage: "only calls that would have been decided differently"},
		}, output.StreamFlags()...),
		Before: base.Needs("history"),
		Action: p.Streams(0, 0, testedStream, p.testRules),
	}
}

func testedStream(*cli.Context) output.Stream {
	return output.Stream{
		Entry: &pb.TestRulesResponse{}, Name: "session_id",
		Columns: []console.Column{
			{Title: "WOULD BE", Whole: true},
			{Title: "WAS", Whole: true},
			{Title: "SESSION", Whole: true},
			{Title: "SEQ", Whole: true},
			{Title: "TOOL"},
			{Title: "RULES", Wide: true},
			{Title: "CALL", Text: true},
		},
		Row: func(m proto.Message, l output.Look) []string {
			r := m.(*pb.TestRulesResponse)
			return []string{
				r.GetEffect(), strings.ToLower(strings.ReplaceAll(r.GetWas(), "_", " ")), l.ID(r.GetSessionId()), strconv.FormatUint(r.GetSequence(), 10), r.GetToolName(),
				strings.Join(r.GetRules(), ", "), l.Cut(r.GetDescription(), 200),
			}
		},
	}
}

func (p group) testRules(ctx context.Context, c *cli.Context, cl *client.Client, show func(proto.Message) error) error {
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
		if err := show(m); err != nil {
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

// testedSummary prints a summary of the calls for a person. It is no entry, so it is not on standard output.
func (p group) testedSummary(c *cli.Context, m *pb.TestRulesResponse, count map[string]int) error {
	for _, problem := range m.GetProblems() {
		p.Say("note: %s", console.Line(problem))
	}
	options, err := output.ParseStream(c)
	if err == nil && options.People() {
		p.Say("%s: %d allowed, %d denied, %d asked about, %d not decided by rules; %d would have been decided differently.",
			console.Count(m.GetCalls(), "call"), count["allow"], count["deny"], count["ask"], count["none"], count["changes"])
	}
	return err
}
