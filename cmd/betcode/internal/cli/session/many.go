package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/sessionstate"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

// StopCommand returns the command that ends the agents of sessions.
func StopCommand(program *base.Program) *cli.Command {
	p := group{program}
	return &cli.Command{
		Name: "stop", Usage: "end the agents of sessions; the sessions stay", ArgsUsage: "SESSION...",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "all sessions that are not idle"}},
		Action: p.WithClient(0, -1, p.stopSessions),
	}
}

func (p group) stopSessions(ctx context.Context, c *cli.Context, cl *client.Client) error {
	refs, err := p.named(ctx, c, cl, "Nothing to stop: every session is idle.", func(s *pb.SessionSummary) bool {
		name := sessionstate.Of(s).Name
		return name != sessionstate.Idle && name != sessionstate.Stopped
	})
	if err != nil {
		return err
	}
	return p.each(refs, func(ref string) error {
		id, err := base.Resolve(ctx, cl, ref)
		if err != nil {
			return err
		}
		what := p.called(ctx, cl, id)
		switch stopped, err := cl.Admin.StopSession(ctx, &pb.StopSessionRequest{SessionId: id}); {
		case err != nil:
			return err
		case !stopped.GetWasRunning():
			p.Say("No agent was running in %s.", what)
		default:
			p.inform("Stopped the agent of %s.", what)
		}
		return nil
	})
}

// named returns the sessions that a command is about: its arguments, or with --all those that match. If none matches, it prints
// the text none.
func (p group) named(ctx context.Context, c *cli.Context, cl *client.Client, none string, match func(*pb.SessionSummary) bool) ([]string, error) {
	switch given := c.Args().Slice(); {
	case len(given) > 0 && c.Bool("all"):
		return nil, exit.Usage(errors.New("--all and names of sessions contradict each other: leave one of them out"))
	case len(given) > 0:
		return given, nil
	case !c.Bool("all"):
		return nil, exit.Usage(fmt.Errorf("no session is named: %s SESSION..., or --all", c.Command.HelpName))
	}
	found, err := Every(ctx, cl)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, s := range found {
		if match(s) {
			ids = append(ids, s.GetId())
		}
	}
	if len(ids) == 0 {
		p.Say("%s", none)
	}
	return ids, nil
}

// each calls do for each session. It goes on after a failure, returns the first error and prints the others.
func (p group) each(refs []string, do func(ref string) error) error {
	var first error
	for _, ref := range refs {
		switch err := do(ref); {
		case err == nil:
		case len(refs) == 1:
			return err
		default:
			p.Say("betcode: %s: %s", console.Line(ref), console.Text(exit.Explain(err)))
			if first == nil {
				first = exit.Silent(exit.Code(err))
			}
		}
	}
	return first
}

// inform prints the result for a person at a terminal. A script does not need it.
func (p group) inform(format string, args ...any) {
	if p.Terminal.Err {
		p.Say(format, args...)
	}
}

// called returns the display name of a session: the beginning of its id and its name. The name is for a terminal only.
func (p group) called(ctx context.Context, cl *client.Client, id string) string {
	what := "session " + console.ShortID(id)
	if !p.Terminal.Err {
		return what
	}
	view, err := cl.Admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: id})
	if err != nil {
		return what // the command itself reports the error
	}
	return strings.TrimSpace(what + " " + sessionstate.Label(view.GetSummary()))
}

// deleteCommand returns the command that deletes sessions.
func (p group) deleteCommand() *cli.Command {
	return &cli.Command{
		Name: "delete", Aliases: []string{"rm"}, Usage: "stop the agents of sessions and delete the sessions", ArgsUsage: "SESSION...",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"},
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "all sessions"},
		},
		Action: p.WithClient(0, -1, func(ctx context.Context, c *cli.Context, cl *client.Client) error {
			refs, err := p.named(ctx, c, cl, "There is no session.", func(*pb.SessionSummary) bool { return true })
			if err != nil {
				return err
			}
			return p.deleteSessions(ctx, c, cl, refs)
		}),
	}
}

// pruneCommand returns the command that deletes sessions that were unused for long.
func (p group) pruneCommand() *cli.Command {
	return &cli.Command{
		Name: "prune", Usage: "delete idle and stopped sessions that were not used lately",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "older-than", Usage: "not used for `LONG`, for example 30d", Value: "30d"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only list them"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"},
		}, output.OnceFlags()...),
		Action: p.WithClient(0, 0, p.pruneSessions),
	}
}

func (p group) pruneSessions(ctx context.Context, c *cli.Context, cl *client.Client) error {
	age, err := config.ParseDuration(c.String("older-than"))
	if err != nil || age < 0 {
		return exit.Usage(fmt.Errorf("--older-than %q: give how long they were not used, for example 12h or 30d", c.String("older-than")))
	}
	options, err := output.Parse(c)
	if err != nil {
		return err
	}
	if options.Form != output.Auto && !c.Bool("dry-run") {
		return exit.Usage(errors.New("--output, --json and --jq show what would be deleted: add --dry-run"))
	}
	found, err := Every(ctx, cl)
	if err != nil {
		return err
	}
	list, _, _ := choose(found, []sessionstate.Name{sessionstate.Idle, sessionstate.Stopped}, true)
	var old []*pb.SessionSummary
	var ids []string
	for _, s := range list {
		if time.Since(s.GetUpdatedAt().AsTime()) >= age {
			old, ids = append(old, s), append(ids, s.GetId())
		}
	}
	if c.Bool("dry-run") && (len(old) > 0 || !options.People()) {
		view := sessionsView(&pb.ListSessionsResponse{Sessions: old, Total: uint32(len(old))}) //nolint:gosec // it fits
		view.Columns = []console.Column{{Title: "ID", Whole: true}, {Title: "UPDATED", Whole: true}, {Title: "NAME", Text: true}}
		view.Row = func(i int, l output.Look) []string {
			return []string{l.ID(old[i].GetId()), l.When(old[i].GetUpdatedAt()), sessionstate.Label(old[i])}
		}
		return output.Printer{Console: p.Console, Options: options}.Print(view)
	}
	if len(old) == 0 {
		p.Say("Every session was used within %s, or has something to do.", c.String("older-than"))
		return nil
	}
	return p.deleteSessions(ctx, c, cl, ids)
}

// deleteSessions deletes sessions, once a person has agreed.
func (p group) deleteSessions(ctx context.Context, c *cli.Context, cl *client.Client, refs []string) error {
	if len(refs) == 0 {
		return nil
	}
	ids := refs
	if !c.Bool("yes") {
		if !p.Terminal.In {
			return exit.Usage(errors.New("deleting cannot be undone: add --yes"))
		}
		what := fmt.Sprintf("%d sessions and their history", len(refs))
		if len(refs) == 1 {
			view, err := base.ShowSession(ctx, cl, refs[0])
			if err != nil {
				return err
			}
			s := view.GetSummary()
			what = fmt.Sprintf("session %s %s and its history", console.ShortID(s.GetId()), sessionstate.Label(s))
			ids = []string{s.GetId()}
		}
		if !p.Confirm("Delete "+what+" permanently?", false) {
			return exit.Silent(exit.Interrupted)
		}
	}
	return p.each(ids, func(ref string) error {
		id, err := base.Resolve(ctx, cl, ref)
		if err != nil {
			return err
		}
		what := p.called(ctx, cl, id)
		switch r, err := cl.Agent.DeleteSession(ctx, &pb.DeleteSessionRequest{SessionId: id}); {
		case err != nil:
			return err
		case !r.GetDeleted():
			p.Say("%s was deleted meanwhile.", console.ShortID(id))
		default:
			p.inform("Deleted %s.", what)
		}
		return nil
	})
}
