package session

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/sessionstate"
	pb "betcode/proto/betcode/v1"
)

func (p group) listSessions(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error) {
	request := &pb.ListSessionsRequest{Limit: uint32(c.Uint("limit")), Offset: uint32(c.Uint("offset"))}
	if c.IsSet("cwd") {
		dir, err := WorkingDirectory(c.String("cwd"))
		if err != nil {
			return output.View{}, err
		}
		request.WorkingDirectory = dir
	}
	if c.String("worktree") != "" {
		w, err := cl.Worktree.GetWorktree(ctx, &pb.GetWorktreeRequest{WorktreeId: c.String("worktree")})
		if err != nil {
			return output.View{}, err
		}
		request.WorktreeId = w.GetId()
	}
	list, err := cl.Agent.ListSessions(ctx, request)
	if err != nil {
		return output.View{}, err
	}
	view := sessionsView(list)
	if more := int(list.GetTotal()) - len(list.GetSessions()); more > 0 {
		view.Remark = fmt.Sprintf("%d more; see --limit and --offset.", more)
	}
	return view, nil
}

// sessionsView shows sessions: shortened for a person, complete for a program.
func sessionsView(list *pb.ListSessionsResponse) output.View {
	return output.View{
		Schema: "betcode.session.list/v2", Value: list, List: "sessions",
		Added: AddState(func(i int) sessionstate.State { return sessionstate.Of(list.GetSessions()[i]) }),
		Columns: []console.Column{
			{Title: "ID", Whole: true},
			{Title: "NAME"},
			{Title: "STATE", Whole: true},
			{Title: "MODEL", Wide: true},
			{Title: "MESSAGES", Wide: true},
			{Title: "COST", Whole: true},
			{Title: "UPDATED", Whole: true},
			{Title: "DIRECTORY", Path: true},
			{Title: "LAST", Text: true},
			{Title: "WHY", Text: true},
		},
		Row: func(i int, l output.Look) []string {
			s := list.GetSessions()[i]
			state := sessionstate.Of(s)
			return []string{
				l.ID(s.GetId()), l.Cut(sessionstate.Label(s), 40), string(state.Name), s.GetModel(), fmt.Sprint(s.GetMessageCount()), costText(s), l.When(s.GetUpdatedAt()),
				placeOf(s), l.Cut(s.GetLastMessagePreview(), 40), l.Cut(whyOf(s, state), 100),
			}
		},
	}
}
