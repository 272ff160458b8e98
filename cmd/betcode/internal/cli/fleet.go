package cli

import (
	"context"
	"fmt"
	"time"

	"betcode/cmd/betcode/internal/cli/base"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

func (p *program) fleetCommand() *cli.Command {
	jsonFlag := &cli.BoolFlag{Name: "json", Usage: "as JSON"}
	return &cli.Command{
		Name: "fleet", Usage: "stop all agents at once, and let them go on",
		Subcommands: []*cli.Command{
			{
				Name: "stop", Usage: "end all agents; none starts until 'fleet resume', also after a restart of the daemon",
				Description: "Turns that run are continued by 'fleet resume'. Messages are accepted and wait. Agents that an alarm has\n" +
					"frozen stay frozen.",
				Flags:  []cli.Flag{&cli.StringFlag{Name: "reason", Usage: "`TEXT` that others see"}, jsonFlag},
				Action: p.WithClient(0, 0, p.stopFleet),
			},
			{
				Name: "resume", Usage: "let agents start again, in the order in which their sessions wait",
				Description: "It ends a stop, and rate limits of accounts before their time. A limit that still holds is reported again by\n" +
					"the first turn that it refuses.",
				Flags: []cli.Flag{jsonFlag}, Action: p.WithClient(0, 0, p.resumeFleet),
			},
			{
				Name: "status", Usage: "show whether the fleet is stopped, rate limits, the budget of the day, and what sessions wait for",
				Flags: []cli.Flag{jsonFlag}, Action: p.WithClient(0, 0, p.showFleet),
			},
		},
	}
}

func (p *program) stopFleet(ctx context.Context, c *cli.Context, cl *client.Client) error {
	r, err := cl.Fleet.StopFleet(ctx, &pb.StopFleetRequest{Reason: c.String("reason")})
	if err != nil {
		return err
	}
	return p.printFleet(c, r.GetFleet())
}

func (p *program) resumeFleet(ctx context.Context, c *cli.Context, cl *client.Client) error {
	r, err := cl.Fleet.ResumeFleet(ctx, &pb.ResumeFleetRequest{})
	if err != nil {
		return err
	}
	return p.printFleet(c, r.GetFleet())
}

func (p *program) showFleet(ctx context.Context, c *cli.Context, cl *client.Client) error {
	r, err := cl.Fleet.GetFleet(ctx, &pb.GetFleetRequest{})
	if err != nil {
		return err
	}
	return p.printFleet(c, r.GetFleet())
}

func (p *program) printFleet(c *cli.Context, f *pb.FleetState) error {
	if c.Bool("json") {
		return console.WriteJSON(p.Stdout, "betcode.fleet/v1", f)
	}
	fmt.Fprintln(p.Stdout, fleetLine(f))
	fmt.Fprintf(p.Stdout, "Agents: %d of %d, %d waiting\n", f.GetSlotsUsed(), f.GetSlotsLimit(), f.GetWaitingTotal())
	for _, line := range dayLines(f.GetDay()) {
		fmt.Fprintln(p.Stdout, line)
	}
	for _, l := range f.GetLimits() {
		fmt.Fprintln(p.Stdout, limitLine(l))
	}
	if needed := f.GetNeededMemoryBytes(); needed > 0 {
		const mebi = 1 << 20
		fmt.Fprintf(p.Stdout, "Memory: %d MiB available, %d MiB needed for the next agent (pool.min_free_memory, agent.memory_estimate)\n",
			f.GetAvailableMemoryBytes()/mebi, needed/mebi)
	}
	for i, w := range f.GetWaiting() {
		fmt.Fprintf(p.Stdout, "  %d. %s: %s\n", i+1, console.ShortID(w.GetSessionId()), waitText(w.GetReason()))
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
		line += fmt.Sprintf("; used: no turn begins before %s, %d sessions wait", console.Exact(d.GetEnds()), d.GetWaiting())
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

// waitText says for people why a session waits for a slot.
func waitText(reason string) string {
	switch reason {
	case "busy":
		return "all agents are busy"
	case "fleet_stopped":
		return "the fleet is stopped"
	case "rate_limit":
		return "the account is rate limited"
	case "memory":
		return "too little memory is available"
	case "":
		return "an idle agent is being parked for it"
	}
	return console.Line(reason)
}

// fleetLine is the state of the fleet for people.
func fleetLine(f *pb.FleetState) string {
	if !f.GetStopped() {
		return "The fleet is not stopped."
	}
	line := "The fleet is stopped since " + f.GetSince().AsTime().Local().Format(time.DateTime)
	if by := f.GetStoppedBy(); by != "" {
		line += " by " + console.Line(by)
	}
	if reason := f.GetReason(); reason != "" {
		line += ": " + console.Line(reason)
	}
	return line + ". Let it go on: betcode fleet resume"
}
