package permission

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/inbox"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

// group is the commands of this package.
type group struct{ *base.Program }

// Command returns the command with its subcommands.
func Command(program *base.Program) *cli.Command {
	p := group{program}
	return &cli.Command{
		Name: "permission", Aliases: []string{"permissions", "permit"}, Usage: "list and answer permission requests and questions of agents",
		Description: "REQUEST is the id of a request, or its beginning.",
		Subcommands: []*cli.Command{
			{
				Name: "list", Aliases: []string{"ls"}, Usage: "list requests that wait, the oldest first",
				Flags: append([]cli.Flag{
					&cli.StringFlag{Name: "session", Aliases: []string{"r"}, Usage: "only of `SESSION`"},
				}, output.ListFlags()...),
				Action: p.Shows(0, 0, p.listPermissions),
			},
			{
				Name: "show", Usage: "show everything about a request that waits", ArgsUsage: "REQUEST",
				Flags: output.Flags(), Action: p.Shows(1, 1, p.showPermission),
			},
			{
				Name: "allow", Usage: "let the tool run", ArgsUsage: "REQUEST",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "always", Aliases: []string{"a"}, Usage: "allow every later call of the same tool in this session too"},
					&cli.StringFlag{Name: "input", Usage: "run it with this `JSON` object instead of its own input"},
				},
				Action: p.WithClient(1, 1, p.allowPermission),
			},
			{
				Name: "deny", Usage: "do not let the tool run, or decline a question", ArgsUsage: "REQUEST",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "message", Aliases: []string{"m"}, Usage: "`TEXT` for the agent"},
					&cli.BoolFlag{Name: "interrupt", Usage: "end the turn too"},
				},
				Action: p.WithClient(1, 1, p.denyPermission),
			},
			{
				Name: "answer", Usage: "answer the questions of a request, in their order", ArgsUsage: "REQUEST ANSWER...",
				Description: "An answer is the number of an option (1,3 for several) or text.",
				Action:      p.WithClient(2, -1, p.answerQuestions),
			},
			{
				Name: "explain", Usage: "show what the rules in settings.json decide about a tool call, and why", ArgsUsage: "[SESSION] TOOL [ARGUMENT]",
				Description: "ARGUMENT is what rules match: the command of Bash, the path of a tool for files, the address of WebFetch.\n" +
					"With --session it also shows what the agent of that session decides by its own mode and rules, before it\n" +
					"asks the daemon, and which rules of settings.json that agent has not been given yet.",
				Flags: append([]cli.Flag{
					&cli.StringFlag{Name: "session", Aliases: []string{"r"}, Usage: "explain a call in `SESSION`"},
					&cli.StringFlag{Name: "cwd", Usage: "explain a call in `DIRECTORY`, instead of this one"},
					&cli.StringFlag{Name: "input", Usage: "the whole input as a `JSON` object, instead of ARGUMENT"},
				}, output.OnceFlags()...),
				Action: p.WithClient(1, 3, p.explainPermission),
			},
			p.testRulesCommand(),
		},
	}
}

func (p group) listPermissions(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error) {
	list, err := cl.Admin.ListPermissions(ctx, &pb.ListPermissionsRequest{SessionId: c.String("session")})
	view := permissionsView(list)
	if len(list.GetPermissions()) == 0 {
		view.Remark = "Nothing waits for an answer."
	}
	return view, err
}

// permissionsView shows requests that wait. Of the questions of a request it shows the first.
func permissionsView(list *pb.ListPermissionsResponse) output.View {
	shown := shownID(list.GetPermissions())
	return output.View{
		Schema: "betcode.permission.list/v2", Value: list, List: "permissions", Name: "request_id",
		Columns: []console.Column{
			{Title: "REQUEST", Whole: true}, {Title: "SESSION"}, {Title: "TOOL", Whole: true}, {Title: "WAITING", Whole: true}, {Title: "LEFT", Whole: true}, {Title: "WHAT", Text: true},
		},
		Row: func(i int, l output.Look) []string { return permissionRow(list.GetPermissions()[i], shown, l) },
	}
}

// shownID returns the number of bytes of request ids to show: as many as of other ids, or as many as distinguish them. The
// beginning of an id names a request.
func shownID(list []*pb.PendingPermission) int {
	length, longest := 0, 0
	for _, r := range list {
		length, longest = max(length, len(console.ShortID(r.GetRequestId()))), max(longest, len(r.GetRequestId()))
	}
	for ; length < longest; length++ {
		seen := map[string]bool{}
		for _, r := range list {
			seen[beginning(r.GetRequestId(), length)] = true
		}
		if len(seen) == len(list) {
			break
		}
	}
	return length
}

func beginning(id string, n int) string { return id[:min(n, len(id))] }

func permissionRow(r *pb.PendingPermission, shown int, l output.Look) []string {
	id := r.GetRequestId()
	session, since, until, what := r.GetSessionId(), console.Exact(r.GetReceivedAt()), console.Exact(r.GetExpiresAt()), console.ToolCall(r.GetToolName(), r.GetInput(), r.GetDescription(), 0)
	if qs := r.GetQuestions(); len(qs) > 0 {
		what = qs[0].GetQuestion()
		if len(qs) > 1 {
			what += fmt.Sprintf(" (and %d more)", len(qs)-1)
		}
	}
	if l.Person {
		if session = console.ShortID(session); r.GetSessionName() != "" {
			session = r.GetSessionName()
		}
		if parent := r.GetParentSessionId(); parent != "" {
			session += " (of " + console.ShortID(parent) + ")"
		}
		since, until = "-", "-"
		if r.GetReceivedAt() != nil {
			since = console.Span(max(l.Now.Sub(r.GetReceivedAt().AsTime()), 0))
		}
		if r.GetExpiresAt() != nil {
			until = console.Span(max(r.GetExpiresAt().AsTime().Sub(l.Now), 0))
		}
		what = l.Cut(what, 100)
		if !l.Wide {
			id = beginning(id, shown)
		}
	}
	return []string{id, session, r.GetToolName(), since, until, what}
}

func (p group) allowPermission(ctx context.Context, c *cli.Context, cl *client.Client) error {
	request := &pb.AnswerPermissionRequest{RequestId: c.Args().First(), Decision: pb.PermissionDecision_ALLOW_ONCE}
	switch input := c.String("input"); {
	case input != "" && c.Bool("always"):
		return exit.Usage(errors.New("--input and --always contradict each other: leave one of them out"))
	case input != "":
		edited, err := objectArgument(input)
		if err != nil {
			return exit.Usage(fmt.Errorf("--input %w", err))
		}
		request.Decision, request.UpdatedInput = pb.PermissionDecision_ALLOW_WITH_EDIT, edited
	case c.Bool("always"):
		request.Decision = pb.PermissionDecision_ALLOW_SESSION
	}
	if c.String("input") == "" {
		if err := p.refuseQuestion(ctx, cl, request.GetRequestId()); err != nil {
			return err
		}
	}
	return p.answerRequest(ctx, cl, request)
}

// refuseQuestion returns an error if a waiting request is a question: to allow it would answer it with nothing, and the agent
// would not ask again.
func (p group) refuseQuestion(ctx context.Context, cl *client.Client, ref string) error {
	list, err := cl.Admin.ListPermissions(ctx, &pb.ListPermissionsRequest{})
	if err != nil {
		return err
	}
	r, _ := findPending(list.GetPermissions(), ref) // the daemon reports what became of a request that does not wait
	if len(r.GetQuestions()) == 0 {
		return nil
	}
	id := console.ShortID(r.GetRequestId())
	return exit.Usage(fmt.Errorf("request %s is a question, which 'allow' does not answer; run 'betcode permission answer %s%s', or 'betcode permission deny %s' to decline it",
		id, id, strings.Repeat(" ANSWER", len(r.GetQuestions())), id))
}

func (p group) denyPermission(ctx context.Context, c *cli.Context, cl *client.Client) error {
	request := &pb.AnswerPermissionRequest{RequestId: c.Args().First(), Decision: pb.PermissionDecision_DENY, Message: c.String("message")}
	if c.Bool("interrupt") {
		request.Decision = pb.PermissionDecision_DENY_WITH_INTERRUPT
	}
	return p.answerRequest(ctx, cl, request)
}

func (p group) answerQuestions(ctx context.Context, c *cli.Context, cl *client.Client) error {
	list, err := cl.Admin.ListPermissions(ctx, &pb.ListPermissionsRequest{})
	if err != nil {
		return err
	}
	pending, err := findPending(list.GetPermissions(), c.Args().First())
	if exit.Code(err) == exit.NotFound {
		return p.answerTooLate(ctx, cl, c.Args().First(), c.Args().Tail(), err)
	}
	if err != nil {
		return err
	}
	answers, err := answersTo(pending, c.Args().Tail())
	if err != nil {
		return err
	}
	return p.answerRequest(ctx, cl, &pb.AnswerPermissionRequest{SessionId: pending.GetSessionId(), RequestId: pending.GetRequestId(), Answers: answers})
}

// findPending finds a request by the beginning of its id.
func findPending(pending []*pb.PendingPermission, ref string) (*pb.PendingPermission, error) {
	var found []*pb.PendingPermission
	for _, r := range pending {
		if r.GetRequestId() == ref {
			return r, nil
		}
		if len(ref) > 0 && len(r.GetRequestId()) > len(ref) && r.GetRequestId()[:len(ref)] == ref {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, exit.With(exit.NotFound, fmt.Errorf("no waiting request begins with %q; 'betcode permission list' shows those that wait, 'betcode audit' what was decided", ref))
	}
	return nil, exit.Usage(fmt.Errorf("%d requests begin with %q: give more of the id", len(found), ref))
}

// answersTo assigns the given answers to the questions, in their order.
func answersTo(r *pb.PendingPermission, typed []string) (map[string]string, error) {
	questions := r.GetQuestions()
	switch {
	case len(questions) == 0:
		return nil, exit.Usage(fmt.Errorf("request %s is no question: use allow or deny", r.GetRequestId()))
	case len(typed) != len(questions):
		return nil, exit.Usage(fmt.Errorf("request %s has %s, you gave %s", r.GetRequestId(), console.Count(len(questions), "question"), console.Count(len(typed), "answer")))
	}
	answers := make(map[string]string, len(questions))
	for i, q := range questions {
		answer, complaint := inbox.ChooseOptions(q, typed[i])
		if complaint != "" {
			return nil, exit.Usage(fmt.Errorf("%q: %s", q.GetQuestion(), complaint))
		}
		answers[q.GetQuestion()] = answer
	}
	return answers, nil
}
