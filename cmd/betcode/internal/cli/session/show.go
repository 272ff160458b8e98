package session

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"betcode/cmd/betcode/internal/cli/base"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/sessionstate"
	pb "betcode/proto/betcode/v1"
)

func (p group) showSession(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error) {
	view, err := base.ShowSession(ctx, cl, c.Args().First())
	if err != nil {
		return output.View{}, err
	}
	return output.View{
		Schema: "betcode.session/v2", Value: view,
		Added: append([]output.Member{{Name: "id", Value: func(int) any { return view.GetSummary().GetId() }}},
			AddState(func(int) sessionstate.State { return StateOf(view) })...),
		Text: func(w io.Writer, l output.Look) error {
			writeSession(w, view, l.Style(), l.Now)
			return nil
		},
	}, nil
}

// writeSession writes everything about one session.
func writeSession(w io.Writer, v *pb.ShowSessionResponse, s console.Style, now time.Time) {
	sum := v.GetSummary()
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%s %s\n", s.Bold(fmt.Sprintf("%-12s", name)), console.Line(fmt.Sprintf(format, args...)))
	}
	line("id", "%s", sum.GetId())
	line("name", "%s", sum.GetName())
	if sum.GetTitle() != "" {
		line("title", "%s", sum.GetTitle())
	}
	state := StateOf(v)
	line("state", "%s", state.Name)
	if why := whyOf(sum, state); why != "" {
		line("why", "%s", why)
	}
	if sum.GetCondition() != "" {
		line("cannot run", "%s", sum.GetCondition())
	}
	if sum.GetRateLimited() {
		line("limited", "%s", sessionstate.LimitText(sum.GetRateLimitedUntil()))
	}
	if sum.GetWaiting() != "" {
		line("waits", "%s", sum.GetWaiting())
	}
	if r := v.GetRepetition(); r != nil {
		line("repeats", "prompt %d of %d until %s; 'betcode session cancel %s' ends it", r.GetIteration(), r.GetMax(), r.GetMarker(), console.ShortID(sum.GetId()))
	}
	line("directory", "%s", placeOf(sum))
	if p := sum.GetProxied(); p != nil {
		line("proxy", "%s", proxyText(p))
	}
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
	line("used", "%s", base.Spending(sum.GetBudget().GetSpent()))
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
		line("client", "%s", attachedClient(v, c, now))
	}
	if r := v.GetRun(); r != nil && sum.GetProxied() == nil {
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

// StateOf returns the state of a session that is shown alone.
func StateOf(v *pb.ShowSessionResponse) sessionstate.State {
	s := sessionstate.Of(v.GetSummary())
	if pending := v.GetPermissions(); len(pending) > 0 && s.Name != sessionstate.Waiting {
		first := pending[0]
		s = sessionstate.State{Name: sessionstate.Waiting, Reason: console.ToolCall(first.GetToolName(), first.GetInput(), first.GetDescription(), 100)}
	}
	return s
}

// lockState returns the holder of the input lock and its waiters.
func lockState(v *pb.ShowSessionResponse) string {
	state := console.OrNobody(nameAmong(v, v.GetLockHolder()))
	for i, client := range v.GetLockWaiting() {
		state += []string{", waited for by ", ", "}[min(i, 1)] + nameAmong(v, client)
	}
	return state
}

// nameAmong names a client of a session so that another one of the same user and terminal reads otherwise.
func nameAmong(v *pb.ShowSessionResponse, client string) string {
	clients := append([]string{v.GetLockHolder()}, v.GetLockWaiting()...)
	for _, c := range v.GetAttached() {
		clients = append(clients, c.GetClientId())
	}
	for _, other := range clients {
		if name := console.ClientBeside("", client, other); name != console.Client(client) {
			return name
		}
	}
	return console.Client(client)
}

// attachedClient describes an attached client.
func attachedClient(v *pb.ShowSessionResponse, c *pb.AttachedClient, now time.Time) string {
	words := nameAmong(v, c.GetClientId())
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
