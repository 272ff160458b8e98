package history

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/cli/session"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/lookback"
	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/sessionstate"
	pb "betcode/proto/betcode/v1"
)

// DigestCommand returns the command that sums up what happened while a person was away.
func DigestCommand(program *base.Program) *cli.Command {
	p := group{program}
	return &cli.Command{
		Name: "digest", Usage: "show what happened while you were away",
		Description: "For each session: turns, failures, cost, changed files, what was decided and by whom, and what waits for you.\n" +
			"Without --since, since you last looked: since the last digest that was shown on a terminal, or since you left the screen\n" +
			"of all sessions, which has one line of it; for a day if neither is known.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "since `TIME`: how long ago (36h, 2d) or a date"},
			&cli.StringFlag{Name: "dir", Aliases: []string{"cwd", "C"}, Usage: "only sessions of `DIRECTORY` or below it"},
			&cli.UintFlag{Name: "limit", Aliases: []string{"n"}, Usage: "at most `N` sessions (50)"},
		}, output.ListFlags()...),
		Action: base.Simple(p.digest),
	}
}

func (p group) digest(ctx context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	options, err := output.Parse(c)
	if err != nil {
		return err
	}
	now := time.Now()
	since, err := base.Time("--since", c.String("since"), now)
	if err != nil {
		return exit.Usage(err)
	}
	request := &pb.DigestRequest{Since: since, Limit: uint32(c.Uint("limit"))} //nolint:gosec // more than fits is not useful
	if c.IsSet("dir") {
		if request.Directory, err = session.WorkingDirectory(c.String("dir")); err != nil {
			return err
		}
	}
	return p.digestOf(ctx, c, options, request, now)
}

// digestOf shows a digest. One since the last look is itself a look, if a person reads it.
func (p group) digestOf(ctx context.Context, c *cli.Context, options output.Options, request *pb.DigestRequest, now time.Time) error {
	cl, cfg, err := p.Connect(ctx, c)
	if err != nil {
		return err
	}
	defer cl.Close()
	state := p.StateDirectory(c, cfg)
	looks := request.GetSince() == nil
	if looks {
		since, _ := lookback.Last(state, now)
		request.Since = timestamppb.New(since)
	}
	plain := options.Sort == "" && options.Form == output.Auto && p.Terminal.Out
	err = output.Printer{Console: p.Console, Options: options}.Run(ctx, func() (output.View, error) {
		d, err := cl.Search.Digest(ctx, request)
		if err != nil {
			return output.View{}, err
		}
		states, err := statesOf(ctx, cl, d)
		if err != nil {
			return output.View{}, err
		}
		return digestView(d, states, plain), nil
	})
	if err == nil && looks && p.Terminal.Out && request.GetDirectory() == "" {
		return lookback.Note(state, now)
	}
	return err
}

// statesOf returns the present states of the sessions of a digest, by id. Most are among the sessions that were used last, in one
// list; the daemon is asked for each of the others, such as subagents. A session that was deleted meanwhile has no state.
func statesOf(ctx context.Context, cl *client.Client, d *pb.DigestResponse) (map[string]sessionstate.State, error) {
	states := map[string]sessionstate.State{}
	if len(d.GetSessions()) == 0 {
		return states, nil
	}
	list, err := cl.Agent.ListSessions(ctx, &pb.ListSessionsRequest{Limit: uint32(2*len(d.GetSessions()) + 100)}) //nolint:gosec // there are few
	if err != nil {
		return nil, err
	}
	for _, s := range list.GetSessions() {
		states[s.GetId()] = sessionstate.Of(s)
	}
	for _, s := range d.GetSessions() {
		if _, known := states[s.GetSessionId()]; known {
			continue
		}
		view, err := cl.Admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: s.GetSessionId()})
		if status.Code(err) == codes.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		states[s.GetSessionId()] = session.StateOf(view)
	}
	return states, nil
}

// digestView shows a digest: a table, or a paragraph for each session.
func digestView(d *pb.DigestResponse, states map[string]sessionstate.State, plain bool) output.View {
	list := d.GetSessions()
	view := output.View{
		Schema: "betcode.digest/v1", Value: d, List: "sessions", Name: "session_id",
		Added: session.AddState(func(i int) sessionstate.State { return states[list[i].GetSessionId()] }),
		Columns: []console.Column{
			{Title: "SESSION", Whole: true},
			{Title: "NAME"},
			{Title: "STATE", Whole: true},
			{Title: "TURNS", Whole: true},
			{Title: "FAILED", Whole: true},
			{Title: "COST", Whole: true},
			{Title: "FILES", Whole: true},
			{Title: "DECIDED", Whole: true},
			{Title: "DIRECTORY", Wide: true},
			{Title: "LAST", Text: true},
		},
		Row: func(i int, l output.Look) []string {
			s := list[i]
			return []string{
				l.ID(s.GetSessionId()), s.GetSessionName(), string(states[s.GetSessionId()].Name), fmt.Sprint(s.GetTurns()), fmt.Sprint(s.GetFailedTurns()),
				fmt.Sprintf("$%.2f", s.GetCostUsd()), fmt.Sprint(s.GetFilesChangedTotal()), fmt.Sprint(s.GetDecisionsTotal()), s.GetWorkingDirectory(), lastOf(s),
			}
		},
	}
	if plain {
		view.Row = nil
		view.Text = func(w io.Writer, l output.Look) error { return writeDigest(w, l, d, states) }
	}
	return view
}

// lastOf returns the last output of a session: the reason of its failure, or the agent's text.
func lastOf(s *pb.SessionDigest) string {
	if s.GetLastError() != "" {
		return s.GetLastError()
	}
	return s.GetLastText()
}
