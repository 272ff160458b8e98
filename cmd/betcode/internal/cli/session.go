package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/talk"
	"betcode/messages/toolcall"
	pb "betcode/proto/betcode/v1"
)

func (p *program) sessionCommand() *cli.Command {
	return &cli.Command{
		Name: "session", Aliases: []string{"sessions"}, Usage: "create, list, show, attach to, rename, budget, compact, export, stop, resume, restart, fork and delete sessions",
		Subcommands: []*cli.Command{
			p.newSessionCommand(),
			{
				Name: "list", Aliases: []string{"ls"}, Usage: "list sessions, the most recently used first",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "cwd", Usage: "only those that work in `DIRECTORY`"},
					&cli.StringFlag{Name: "worktree", Usage: "only those that work in `WORKTREE`"},
					&cli.UintFlag{Name: "limit", Aliases: []string{"n"}, Usage: "at most `N`", Value: 100},
					&cli.UintFlag{Name: "offset", Usage: "leave out the first `N`"},
					&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "only ids"},
					jsonFlag(),
				},
				Action: p.withClient(0, 0, p.listSessions),
			},
			{
				Name: "show", Usage: "show everything about a session", ArgsUsage: "SESSION",
				Flags: []cli.Flag{jsonFlag()}, Action: p.withClient(1, 1, p.showSession),
			},
			{
				Name: "attach", Usage: "watch a session and talk to its agent", ArgsUsage: "SESSION",
				Description: "Leaving (/quit, Ctrl-D, Ctrl-C twice) stops nothing.\n\n" + talk.ChatHelp,
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "read-only", Usage: "only watch"},
					&cli.StringFlag{Name: "history", Value: "full", Usage: "how much history: full, pending (open requests only) or none"},
					&cli.Uint64Flag{Name: "from", Usage: "only what comes after sequence `N`"},
					&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show thinking, subagents and processes too"},
				},
				Action: p.attachSession,
			},
			{
				Name: "rename", Usage: "give a session a name; an empty one takes it away", ArgsUsage: "SESSION NAME",
				Action: p.withClient(2, 2, p.renameSession),
			},
			p.budgetCommand(),
			p.compactCommand(),
			p.exportCommand(),
			p.rawCommand(),
			{
				Name: "stop", Usage: "end the agent of a session; the session stays", ArgsUsage: "SESSION",
				Action: p.withClient(1, 1, p.stopSession),
			},
			{
				Name: "resume", Usage: "resume an interrupted turn, or a session whose agent could not run", ArgsUsage: "SESSION",
				Description: `An interrupted turn waits if resume.policy is ask, or if it was continued too often. A
session whose agent cannot run waits until the cause is gone.`,
				Action: p.withClient(1, 1, p.resumeSession),
			},
			{
				Name: "restart", Usage: "end the agent of a session and start it again; a turn that runs goes on", ArgsUsage: "SESSION",
				Action: p.withClient(1, 1, p.restartSession),
			},
			p.forkCommand(),
			{
				Name: "delete", Aliases: []string{"rm"}, Usage: "stop a session's agent and delete the session", ArgsUsage: "SESSION",
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"}},
				Action: p.withClient(1, 1, p.deleteSession),
			},
		},
	}
}

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

func (p *program) showSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	view, err := cl.Admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: c.Args().First()})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return console.WriteJSON(p.Stdout, "betcode.session/v1", view)
	}
	writeSession(p.Stdout, view, console.Style(p.Terminal.Colour), time.Now())
	return nil
}

func (p *program) attachSession(c *cli.Context) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	policy, err := historyPolicy(c.String("history"), c.IsSet("history"), c.IsSet("from"))
	if err != nil {
		return err
	}
	cl, _, err := p.connect(c.Context, c)
	if err != nil {
		return err
	}
	defer cl.Close()
	view, err := cl.Admin.ShowSession(c.Context, &pb.ShowSessionRequest{SessionId: c.Args().First()})
	if err != nil {
		return err
	}
	o := talk.Opening{Head: view.GetHead(), Start: &pb.StartConversation{
		SessionId: view.GetSummary().GetId(), History: policy, FromSequence: c.Uint64("from"), Observer: c.Bool("read-only"),
	}}
	if policy == pb.HistoryPolicy_HISTORY_POLICY_NONE || policy == pb.HistoryPolicy_HISTORY_POLICY_PENDING_ONLY || c.Uint64("from") >= o.Head {
		o.Head = 0 // the daemon sends no history
	}
	return talk.Chat(c.Context, p.Console, cl, o, talk.ChatOptions{Verbose: c.Bool("verbose"), ReadOnly: c.Bool("read-only")})
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

func (p *program) renameSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	id, err := resolve(ctx, cl, c.Args().First())
	if err != nil {
		return err
	}
	_, err = cl.Agent.RenameSession(ctx, &pb.RenameSessionRequest{SessionId: id, Name: c.Args().Get(1)})
	return err
}

func (p *program) stopSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	stopped, err := cl.Admin.StopSession(ctx, &pb.StopSessionRequest{SessionId: c.Args().First()})
	if err != nil {
		return err
	}
	if !stopped.GetWasRunning() {
		p.Say("No agent was running.")
	}
	return nil
}

func (p *program) resumeSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	continued, err := cl.Admin.ContinueSession(ctx, &pb.ContinueSessionRequest{SessionId: c.Args().First()})
	if err != nil {
		return err
	}
	if !continued.GetWasWaiting() {
		p.Say("Nothing was waiting.")
	}
	return nil
}

func (p *program) restartSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	restarted, err := cl.Admin.RestartSession(ctx, &pb.RestartSessionRequest{SessionId: c.Args().First()})
	if err != nil {
		return err
	}
	switch {
	case restarted.GetQueued():
		p.Say("All agents are busy; the agent starts when a slot is free.")
	case !restarted.GetWasRunning():
		p.Say("No agent was running; one is running now.")
	}
	return nil
}

func (p *program) deleteSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	view, err := cl.Admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: c.Args().First()})
	if err != nil {
		return err
	}
	s := view.GetSummary()
	if !c.Bool("yes") {
		if !p.Terminal.In {
			return exit.Usage(errors.New("deleting cannot be undone: add --yes"))
		}
		if !p.Confirm(fmt.Sprintf("Delete session %s %s and its history permanently?", console.ShortID(s.GetId()), console.Line(s.GetName())), false) {
			return exit.Silent(exit.Interrupted)
		}
	}
	r, err := cl.Agent.DeleteSession(ctx, &pb.DeleteSessionRequest{SessionId: s.GetId()})
	if err != nil {
		return err
	}
	if !r.GetDeleted() {
		p.Say("It was deleted meanwhile.")
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

// writeSession writes everything about one session.
func writeSession(w io.Writer, v *pb.ShowSessionResponse, s console.Style, now time.Time) {
	sum := v.GetSummary()
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%s %s\n", s.Bold(fmt.Sprintf("%-12s", name)), console.Line(fmt.Sprintf(format, args...)))
	}
	line("id", "%s", sum.GetId())
	line("name", "%s", sum.GetName())
	line("status", "%s", sum.GetStatus())
	if sum.GetCondition() != "" {
		line("cannot run", "%s", sum.GetCondition())
	}
	if sum.GetRateLimited() {
		line("limited", "%s", limitText(sum.GetRateLimitedUntil()))
	}
	if sum.GetWaiting() != "" {
		line("waits", "%s", sum.GetWaiting())
	}
	line("directory", "%s", sum.GetWorkingDirectory())
	line("model", "%s", sum.GetModel())
	line("mode", "%s", v.GetPermissionMode())
	if f := v.GetForkedFrom(); f != nil {
		line("forked from", "%s at sequence %d", f.GetSessionId(), f.GetSequence())
	}
	for _, o := range shownOptions(v.GetOptions()) {
		line("option", "%s", o)
	}
	if modes := v.GetConfirmedModes(); len(modes) > 0 {
		line("confirmed", "%s", strings.Join(modes, ", "))
	}
	line("messages", "%d", sum.GetMessageCount())
	line("tokens", "%d in, %d out, $%.4f", sum.GetTotalInputTokens(), sum.GetTotalOutputTokens(), sum.GetTotalCostUsd())
	line("used", "%s", spendingText(sum.GetBudget().GetSpent()))
	line("budget", "%s", budgetText(sum.GetBudget()))
	line("created", "%s", console.Exact(sum.GetCreatedAt()))
	line("updated", "%s (%s)", console.Exact(sum.GetUpdatedAt()), console.Ago(sum.GetUpdatedAt(), now))
	line("sequence", "%d", v.GetHead())
	if b := v.GetBoundary(); b > 0 {
		line("replayed", "events after %d; 'betcode session export' writes the rest", b)
	}
	if low := v.GetLowWater(); low > 0 {
		line("kept", "events after %d", low)
	}
	line("input lock", "%s", lockState(v))
	for _, c := range v.GetAttached() {
		line("client", "%s", attachedClient(c, now))
	}
	if r := v.GetRun(); r != nil {
		line("agent", "run %d, pid %d, %s, started %s", r.GetRun(), r.GetPid(), runState(r.GetState()), console.Exact(r.GetStartedAt()))
		if r.GetAlarm() != "" {
			line("alarm", "%s", r.GetAlarm())
		}
		if r.GetFrozen() {
			line("frozen", "'betcode session resume %s' thaws it, 'betcode session stop %[1]s' ends it", console.ShortID(sum.GetId()))
		}
		line("fence", "%s", cmp.Or(r.GetFence(), "none"))
		line("agent id", "%s", v.GetAgentSessionId())
		line("files", "%s", r.GetDirectory())
	}
	for _, f := range v.GetWithheld() {
		line("not obeyed", "%s: %s (%s)", f.GetKind(), f.GetText(), f.GetPath())
	}
	if v.GetRestricted() {
		line("restricted", "the directory is not trusted; review it with 'betcode trust %s'", sum.GetWorkingDirectory())
	}
	for _, key := range slices.Sorted(maps.Keys(v.GetMetadata())) {
		line("metadata", "%s=%s", key, v.GetMetadata()[key])
	}
	for _, g := range v.GetGrants() {
		verb := "denied"
		if g.GetGranted() {
			verb = "allowed"
		}
		line("grant", "%s %s", g.GetToolName(), verb)
	}
	for _, i := range v.GetInputs() {
		line("message", "%s: %s", console.ShortID(i.GetIdempotencyKey()), i.GetState())
	}
	for _, p := range v.GetPermissions() {
		line("waiting", "%s: %s %s", p.GetRequestId(), p.GetToolName(), console.ToolCall(p.GetToolName(), p.GetInput(), p.GetDescription(), 0))
	}
}

// lockState returns the holder of the input lock and its waiters.
func lockState(v *pb.ShowSessionResponse) string {
	state := console.OrNobody(v.GetLockHolder())
	if waiting := v.GetLockWaiting(); len(waiting) > 0 {
		state += ", waited for by " + strings.Join(waiting, ", ")
	}
	return state
}

// attachedClient describes an attached client.
func attachedClient(c *pb.AttachedClient, now time.Time) string {
	words := c.GetClientId()
	if c.GetType() != "" {
		words += " (" + c.GetType() + ")"
	}
	if c.GetObserver() {
		words += ", watching"
	}
	return words + ", since " + console.Exact(c.GetSince()) + " (" + console.Ago(c.GetSince(), now) + ")"
}

func runState(s pb.RunState) string {
	switch s {
	case pb.RunState_RUN_STATE_UNSPECIFIED:
		return "starting"
	case pb.RunState_RUN_STATE_STARTED, pb.RunState_RUN_STATE_ADOPTED:
		return "running"
	case pb.RunState_RUN_STATE_EXITED:
		return "ended"
	case pb.RunState_RUN_STATE_LOST:
		return "lost"
	}
	return s.String()
}
