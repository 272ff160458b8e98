package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/sessionstate"
	pb "betcode/proto/betcode/v1"
)

// restingShown is how many sessions with nothing to do are listed without --all.
const restingShown = 10

// PsCommand returns the command that lists sessions by their state.
func PsCommand(program *base.Program) *cli.Command {
	p := group{program}
	return &cli.Command{
		Name: "ps", Usage: "list sessions by what they do: those that wait for you come first",
		Description: "STATE is waiting (for a person), blocked (its agent cannot run), queued (for an agent), working, idle or stopped.\n" +
			"Of sessions with nothing to do, the ten used last are listed.",
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "state", Aliases: []string{"s", "status"}, Usage: "only those in `STATE`; may be given several times"},
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "all sessions with nothing to do, too"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "only ids, as -o name"},
		}, output.ListFlags()...),
		Before: func(c *cli.Context) error { // a wrong state is one without a daemon, too
			_, err := wantedStates(c)
			return err
		},
		Action: p.Shows(0, 0, p.ps),
	}
}

// wantedStates returns the states that --state names.
func wantedStates(c *cli.Context) ([]sessionstate.Name, error) {
	var wanted []sessionstate.Name
	for _, given := range c.StringSlice("state") {
		for name := range strings.SplitSeq(given, ",") {
			if !sessionstate.Known(name) {
				return nil, exit.Usage(fmt.Errorf("--state %s: there is no such state; it is one of %s", console.Line(name), sessionstate.List()))
			}
			wanted = append(wanted, sessionstate.Name(name))
		}
	}
	return wanted, nil
}

func (p group) ps(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error) {
	wanted, err := wantedStates(c)
	if err != nil {
		return output.View{}, err
	}
	found, omitted, err := sessionsFor(ctx, cl, wanted, c.Bool("all"))
	if err != nil {
		return output.View{}, err
	}
	list, states, more := choose(found, wanted, c.Bool("all"))
	if len(wanted) == 0 {
		more += omitted[sessionstate.Idle] + omitted[sessionstate.Stopped]
	}
	view := statesView(list, states)
	view.Empty = "There is no session; begin one: betcode chat"
	if len(wanted) > 0 {
		view.Empty = "No session is " + strings.Join(c.StringSlice("state"), " or ") + "."
	}
	if more > 0 {
		view.Remark = fmt.Sprintf("%d more with nothing to do; 'betcode ps --all' lists them.", more)
	}
	return view, nil
}

// sessionsFor returns the sessions from which a list of wanted states is chosen, and how many it leaves out in which states.
func sessionsFor(ctx context.Context, cl *client.Client, wanted []sessionstate.Name, all bool) ([]*pb.SessionSummary, map[sessionstate.Name]int, error) {
	resting := slices.Contains(wanted, sessionstate.Idle) || slices.Contains(wanted, sessionstate.Stopped)
	switch {
	case resting || all && len(wanted) == 0:
		found, err := Every(ctx, cl)
		return found, nil, err
	case len(wanted) > 0:
		return busySessions(ctx, cl, 0)
	}
	return busySessions(ctx, cl, restingShown)
}

// busySessions returns the sessions that have something to do and at most resting others, with the numbers of those that
// are left out. There may be thousands of them. A daemon that cannot leave out any returns all.
func busySessions(ctx context.Context, cl *client.Client, resting uint32) ([]*pb.SessionSummary, map[sessionstate.Name]int, error) {
	list, err := cl.Agent.ListSessions(ctx, &pb.ListSessionsRequest{Resting: &resting, Limit: sessionPage})
	if err != nil {
		return nil, nil, err
	}
	if uint32(len(list.GetSessions()))+list.GetOmittedIdle()+list.GetOmittedStopped() < list.GetTotal() { //nolint:gosec // it fits
		found, err := Every(ctx, cl)
		return found, nil, err
	}
	return list.GetSessions(), map[sessionstate.Name]int{
		sessionstate.Idle: int(list.GetOmittedIdle()), sessionstate.Stopped: int(list.GetOmittedStopped()),
	}, nil
}

// sessionPage is how many sessions a request asks for at once.
const sessionPage = 10_000

// Every returns all sessions, the most recently used first.
func Every(ctx context.Context, cl *client.Client) ([]*pb.SessionSummary, error) {
	var found []*pb.SessionSummary
	for {
		list, err := cl.Agent.ListSessions(ctx, &pb.ListSessionsRequest{Limit: sessionPage, Offset: uint32(len(found))}) //nolint:gosec // it fits
		if err != nil {
			return nil, err
		}
		found = append(found, list.GetSessions()...)
		if len(list.GetSessions()) == 0 || len(found) >= int(list.GetTotal()) {
			return found, nil
		}
	}
}

// choose returns the sessions in the wanted states, the most urgent first and then in their order, with their states. It
// leaves out sessions with nothing to do but the first ones, unless all are wanted, and returns how many.
func choose(found []*pb.SessionSummary, wanted []sessionstate.Name, all bool) (list []*pb.SessionSummary, states []sessionstate.State, more int) {
	states = make([]sessionstate.State, len(found)) // none of those that are left out
	chosen, resting := 0, 0
	for i, s := range found {
		state := sessionstate.Of(s)
		if len(wanted) > 0 && !slices.Contains(wanted, state.Name) {
			continue
		}
		if rests := state.Name == sessionstate.Idle || state.Name == sessionstate.Stopped; rests && len(wanted) == 0 && !all {
			if resting++; resting > restingShown {
				more++
				continue
			}
		}
		states[i] = state
		chosen++
	}
	list, ordered := make([]*pb.SessionSummary, 0, chosen), make([]sessionstate.State, 0, chosen)
	for _, name := range sessionstate.Names() {
		for i, state := range states {
			if state.Name == name {
				list, ordered = append(list, found[i]), append(ordered, state)
			}
		}
	}
	return list, ordered, more
}

// AddState returns the members that complete a session with its state.
func AddState(of func(i int) sessionstate.State) []output.Member {
	return []output.Member{
		{Name: "state", Value: func(i int) any { return string(of(i).Name) }},
		{Name: "state_reason", Value: func(i int) any { return of(i).Reason }},
	}
}

// statesView shows sessions with their states.
func statesView(list []*pb.SessionSummary, states []sessionstate.State) output.View {
	return output.View{
		Schema: "betcode.session.list/v2", Value: &pb.ListSessionsResponse{Sessions: list, Total: uint32(len(list))}, List: "sessions", //nolint:gosec // it fits
		Added: AddState(func(i int) sessionstate.State { return states[i] }),
		Columns: []console.Column{
			{Title: "ID", Whole: true},
			{Title: "NAME"},
			{Title: "STATE", Whole: true},
			{Title: "UPDATED", Whole: true},
			{Title: "COST", Whole: true},
			{Title: "DIRECTORY", Path: true},
			{Title: "WHY", Text: true},
			{Title: "MODEL", Wide: true},
			{Title: "LAST", Wide: true},
		},
		Row: func(i int, l output.Look) []string {
			s, state := list[i], states[i]
			return []string{
				l.ID(s.GetId()), l.Cut(sessionstate.Label(s), 40), string(state.Name), l.When(s.GetUpdatedAt()), costText(s), s.GetWorkingDirectory(),
				l.Cut(whyOf(s, state), 100), s.GetModel(), s.GetLastMessagePreview(),
			}
		},
	}
}
