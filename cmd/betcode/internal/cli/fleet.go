package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"betcode/cmd/betcode/internal/cli/base"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/sessionstate"
	pb "betcode/proto/betcode/v1"
)

func (p *program) fleetCommand() *cli.Command {
	return &cli.Command{
		Name: "fleet", Usage: "stop all agents at once, and let them go on",
		Subcommands: []*cli.Command{
			{
				Name: "stop", Usage: "end all agents; none starts until 'fleet resume', also after a restart of the daemon",
				Description: "Turns that run are continued by 'fleet resume'. Messages are accepted and wait. Agents that an alarm has\n" +
					"frozen stay frozen.",
				Flags:  append(output.OnceFlags(), &cli.StringFlag{Name: "reason", Usage: "`TEXT` that others see"}),
				Action: p.WithClient(0, 0, p.stopFleet),
			},
			{
				Name: "resume", Usage: "let agents start again, in the order in which their sessions wait",
				Description: "It ends a stop, and rate limits of accounts before their time. A limit that still holds is reported again by\n" +
					"the first turn that it refuses.",
				Flags: output.OnceFlags(), Action: p.WithClient(0, 0, p.resumeFleet),
			},
			{
				Name: "status", Usage: "show whether the fleet is stopped, rate limits, the budget of the day, and what sessions wait for",
				Flags: output.Flags(), Action: p.Shows(0, 0, p.showFleet),
			},
		},
	}
}

func (p *program) stopFleet(ctx context.Context, c *cli.Context, cl *client.Client) error {
	r, err := cl.Fleet.StopFleet(ctx, &pb.StopFleetRequest{Reason: c.String("reason")})
	if err != nil {
		return err
	}
	return p.Show(c, fleetView(r.GetFleet()))
}

func (p *program) resumeFleet(ctx context.Context, c *cli.Context, cl *client.Client) error {
	r, err := cl.Fleet.ResumeFleet(ctx, &pb.ResumeFleetRequest{})
	if err != nil {
		return err
	}
	return p.Show(c, fleetView(r.GetFleet()))
}

func (p *program) showFleet(ctx context.Context, _ *cli.Context, cl *client.Client) (output.View, error) {
	r, err := cl.Fleet.GetFleet(ctx, &pb.GetFleetRequest{})
	return fleetView(r.GetFleet()), err
}

// fleetView shows the state of the fleet.
func fleetView(f *pb.FleetState) output.View {
	return output.View{Schema: "betcode.fleet/v2", Value: f, Text: func(w io.Writer, _ output.Look) error { return writeFleet(w, f) }}
}

func writeFleet(w io.Writer, f *pb.FleetState) error {
	fmt.Fprintln(w, fleetLine(f))
	fmt.Fprintf(w, "Agents: %d of %d, %d waiting\n", f.GetSlotsUsed(), f.GetSlotsLimit(), f.GetWaitingTotal())
	for _, line := range dayLines(f.GetDay()) {
		fmt.Fprintln(w, line)
	}
	for _, l := range f.GetLimits() {
		fmt.Fprintln(w, limitLine(l))
	}
	if needed := f.GetNeededMemoryBytes(); needed > 0 {
		const mebi = 1 << 20
		fmt.Fprintf(w, "Memory: %d MiB available, %d MiB needed for the next agent (pool.min_free_memory, agent.memory_estimate)\n",
			f.GetAvailableMemoryBytes()/mebi, needed/mebi)
	}
	for i, s := range f.GetWaiting() {
		fmt.Fprintf(w, "  %d. %s: %s\n", i+1, console.ShortID(s.GetSessionId()), sessionstate.WaitText(s.GetReason()))
	}
	return nil
}

// dayLines are what all sessions have consumed today, and the budget of the day, for people.
func dayLines(d *pb.DayBudget) []string {
	if d == nil {
		return nil
	}
	lines := []string{"Today: " + base.Spending(d.GetSpent())}
	limit := base.Limits(d.GetLimit())
	if limit == "no limit" {
		return lines
	}
	line := "Budget of the day: " + limit
	switch {
	case d.GetState() == "unknown":
		line += "; what was consumed is being read"
	case d.GetState() == "near":
		line += "; 80 % are used"
	case d.GetState() == "reached":
		line += fmt.Sprintf("; used: no turn begins before %s; %s in the queue", console.Exact(d.GetEnds()), console.Count(d.GetWaiting(), "session"))
	}
	lines = append(lines, line)
	switch {
	case d.GetRefused():
		lines = append(lines, "It was not raised. Give the settings another one: betcode config set budget.day_usd AMOUNT")
	case d.GetSessionId() != "":
		lines = append(lines, "Session "+console.ShortID(d.GetSessionId())+" asks whether it is raised: betcode permission list")
	}
	return lines
}

// limitLine is the limit of an account for people.
func limitLine(l *pb.AccountLimit) string {
	line := "Rate limited until " + console.Exact(l.GetUntil())
	if account := l.GetAccount(); account != "" {
		line += ", account " + console.Line(account)
	}
	if kind := l.GetKind(); kind != "" {
		line += ", limit " + console.Line(kind)
	}
	line += ", reported by session " + console.ShortID(l.GetSessionId())
	if resets := l.GetResets(); resets.AsTime().After(l.GetUntil().AsTime()) {
		line += "; the agent says " + console.Exact(resets)
	}
	return line + ". End it now: betcode fleet resume"
}

// fleetLine is the state of the fleet for people.
func fleetLine(f *pb.FleetState) string {
	if !f.GetStopped() {
		return "The fleet is not stopped."
	}
	line := "The fleet is stopped since " + f.GetSince().AsTime().Local().Format(time.DateTime)
	if by := f.GetStoppedBy(); by != "" {
		line += " by " + console.Client(by)
	}
	if reason := f.GetReason(); reason != "" {
		line += ": " + console.Line(reason)
	}
	return line + ". Let it go on: betcode fleet resume"
}
