package session

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/launch"
	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/sessionstate"
	pb "betcode/proto/betcode/v1"
)

// urgentShown is how many sessions that need a person a status names.
const urgentShown = 5

// StatusCommand returns the command that prints a short summary of the present state.
func StatusCommand(program *base.Program) *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "show whether the daemon serves, and how many sessions wait for you",
		Description: "'betcode daemon status' has the components of the daemon, 'betcode ps' all sessions.",
		Flags:       output.Flags(), Action: base.Simple(func(ctx context.Context, c *cli.Context) error { return Status(ctx, program, c) }),
	}
}

// Status shows how things stand. It starts no daemon and asks no question.
func Status(ctx context.Context, program *base.Program, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	p := group{program}
	return p.ShowLive(ctx, c, func() (output.View, error) { return p.status(ctx, c) })
}

func (p group) status(ctx context.Context, c *cli.Context) (output.View, error) {
	cfg, err := p.ClientConfig(c)
	if err != nil {
		return output.View{}, err
	}
	cl, holder, err := launch.Find(ctx, cfg, p.StateDirectory(c, cfg))
	switch {
	case holder != nil:
		return output.View{}, launch.Unreachable(*holder, cfg.Where())
	case client.Unreachable(err):
		return output.View{
			Schema: statusSchema, Name: "daemon", Value: statusReport{Daemon: "not running", Sessions: countOf(nil), Urgent: []urgent{}}, Err: client.NoDaemon(cfg),
			Text: func(w io.Writer, l output.Look) error {
				_, err := fmt.Fprintln(w, "daemon    "+l.Style().Red("not running"))
				return err
			},
		}, nil
	case err != nil:
		return output.View{}, err
	}
	defer cl.Close()
	health, err := cl.Health.GetHealthDetails(ctx, &pb.HealthDetailsRequest{})
	if err != nil {
		return output.View{}, err
	}
	found, omitted, err := busySessions(ctx, cl, 0)
	if err != nil {
		return output.View{}, err
	}
	r := reportOf(health, found)
	for name, n := range omitted {
		r.Sessions[name] += n
	}
	return output.View{Schema: statusSchema, Value: r, Name: "daemon", Text: r.write}, nil
}

const statusSchema = "betcode.status/v1"

// statusReport is how things stand.
type statusReport struct {
	Daemon   string                    `json:"daemon"` // serving, degraded, not serving or not running
	Why      string                    `json:"why"`
	Version  string                    `json:"version"`
	Sessions map[sessionstate.Name]int `json:"sessions"`
	Urgent   []urgent                  `json:"urgent"`
}

// urgent is a session that needs a person.
type urgent struct {
	ID     string            `json:"id"`
	Name   string            `json:"name"`
	State  sessionstate.Name `json:"state"`
	Reason string            `json:"state_reason"`
}

// reportOf sums up the daemon and its sessions.
func reportOf(health *pb.HealthDetailsResponse, found []*pb.SessionSummary) statusReport {
	r := statusReport{Daemon: "serving", Why: console.Line(health.GetDegradedReason()), Version: health.GetMetadata()["version"], Sessions: countOf(found), Urgent: []urgent{}}
	switch {
	case health.GetOverallStatus() != pb.ServingStatus_SERVING:
		r.Daemon = "not serving"
	case health.GetDegraded():
		r.Daemon = "degraded"
	}
	list, states, _ := choose(found, []sessionstate.Name{sessionstate.Waiting, sessionstate.Blocked}, true)
	for i, s := range list[:min(len(list), urgentShown)] {
		r.Urgent = append(r.Urgent, urgent{s.GetId(), sessionstate.Label(s), states[i].Name, states[i].Reason})
	}
	return r
}

// countOf counts sessions by state; each state has a number.
func countOf(found []*pb.SessionSummary) map[sessionstate.Name]int {
	count := map[sessionstate.Name]int{}
	for _, name := range sessionstate.Names() {
		count[name] = 0
	}
	for _, s := range found {
		count[sessionstate.Of(s).Name]++
	}
	return count
}

func (r statusReport) write(w io.Writer, l output.Look) error {
	s := l.Style()
	daemon := s.Green(r.Daemon)
	if r.Daemon != "serving" {
		daemon = s.Yellow(r.Daemon)
	}
	if r.Why != "" {
		daemon += ": " + r.Why
	}
	var counts []string
	for _, name := range sessionstate.Names() {
		if n := r.Sessions[name]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, name))
		}
	}
	if len(counts) == 0 {
		counts = []string{"none; begin one: betcode chat"}
	}
	fmt.Fprintf(w, "daemon    %s\nsessions  %s\n", daemon, strings.Join(counts, ", "))
	if len(r.Urgent) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := console.NewTable(console.Layout{Aligned: l.Layout.Aligned, Width: l.Layout.Width}, []console.Column{{Whole: true}, {}, {Whole: true}, {}})
	for _, u := range r.Urgent {
		t.Add(l.ID(u.ID), u.Name, string(u.State), u.Reason)
	}
	if err := t.Write(w); err != nil {
		return err
	}
	if waits := slices.ContainsFunc(r.Urgent, func(u urgent) bool { return u.State == sessionstate.Waiting }); waits && l.Person {
		_, err := fmt.Fprintln(w, s.Dim("Answer: betcode permission list, betcode attach SESSION"))
		return err
	}
	return nil
}
