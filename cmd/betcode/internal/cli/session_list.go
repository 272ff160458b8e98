package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/messages/toolcall"
	pb "betcode/proto/betcode/v1"
)

func (p *program) listSessions(ctx context.Context, c *cli.Context, cl *client.Client) error {
	request := &pb.ListSessionsRequest{Limit: uint32(c.Uint("limit")), Offset: uint32(c.Uint("offset"))}
	if c.IsSet("cwd") {
		dir, err := p.workingDirectory(c.String("cwd"))
		if err != nil {
			return err
		}
		request.WorkingDirectory = dir
	}
	if c.String("worktree") != "" {
		w, err := cl.Worktree.GetWorktree(ctx, &pb.GetWorktreeRequest{WorktreeId: c.String("worktree")})
		if err != nil {
			return err
		}
		request.WorktreeId = w.GetId()
	}
	list, err := cl.Agent.ListSessions(ctx, request)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return console.WriteJSON(p.Stdout, "betcode.session.list/v1", list)
	}
	if c.Bool("quiet") {
		for _, s := range list.GetSessions() {
			fmt.Fprintln(p.Stdout, s.GetId())
		}
		return nil
	}
	if err := writeSessions(p.Stdout, list, p.Terminal, time.Now()); err != nil {
		return err
	}
	if more := int(list.GetTotal()) - len(list.GetSessions()); more > 0 && p.Terminal.Out {
		p.Say("%d more; see --limit and --offset.", more)
	}
	return nil
}

// writeSessions writes the list: shortened for a person, complete for a program.
func writeSessions(w io.Writer, list *pb.ListSessionsResponse, t console.Terminal, now time.Time) error {
	out := t.Table("ID", "NAME", "STATUS", "MODEL", "MESSAGES", "COST", "UPDATED", "DIRECTORY", "LAST", "ASKS")
	for _, s := range list.GetSessions() {
		id, updated, last, asks := s.GetId(), console.Exact(s.GetUpdatedAt()), s.GetLastMessagePreview(), console.Line(s.GetAsks())
		if more := s.GetUndecided(); more > 1 {
			asks += fmt.Sprintf(" (1 of %d)", more)
		}
		if t.Out {
			id, updated, last, asks = console.ShortID(id), console.Ago(s.GetUpdatedAt(), now), console.Shorten(console.Line(last), 40), toolcall.Cut(asks, 100)
		}
		out.Add(id, s.GetName(), statusOf(s), s.GetModel(), fmt.Sprint(s.GetMessageCount()),
			costText(s), updated, s.GetWorkingDirectory(), last, asks)
	}
	return out.Write(w)
}
