package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/launch"
	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/sessionstate"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

func (p *program) daemonStatus(ctx context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	cfg, err := p.ClientConfig(c)
	if err != nil {
		return err
	}
	return p.ShowLive(ctx, c, func() (output.View, error) { return p.statusView(ctx, c, cfg) })
}

// statusView shows the health of the daemon. A daemon that does not serve is a failure of the command, after it is shown.
func (p *program) statusView(ctx context.Context, c *cli.Context, cfg config.Client) (output.View, error) {
	cl, holder, err := launch.Find(ctx, cfg, p.StateDirectory(c, cfg))
	line := func(format string, args ...any) func(io.Writer, output.Look) error {
		return func(w io.Writer, _ output.Look) error {
			_, err := fmt.Fprintf(w, format, args...)
			return err
		}
	}
	switch {
	case holder != nil: // it lives and does not answer
		return output.View{
			Schema: statusSchema, Name: "pid",
			Value: map[string]any{"running": true, "reachable": false, "pid": holder.PID, "socket": cfg.Where(), "state_dir": holder.State},
			Text:  line("Daemon: RUNNING (pid %d), NOT REACHABLE\n", holder.PID), Err: launch.Unreachable(*holder, cfg.Where()),
		}, nil
	case client.Unreachable(err):
		return output.View{
			Schema: statusSchema, Name: "socket", Value: map[string]any{"running": false, "socket": cfg.Where()},
			Text: line("Daemon: NOT RUNNING\n"), Err: client.NoDaemon(cfg),
		}, nil
	case err != nil:
		return output.View{}, err
	}
	defer cl.Close()
	health, err := cl.Health.GetHealthDetails(ctx, &pb.HealthDetailsRequest{})
	if err != nil {
		return output.View{}, err
	}
	view := output.View{
		Schema: statusSchema, Value: health, Name: "overall_status", Added: []output.Member{{Name: "running", Value: func(int) any { return true }}},
		Text: func(w io.Writer, l output.Look) error {
			writeStatus(w, health, l.Style())
			return nil
		},
	}
	if health.GetOverallStatus() != pb.ServingStatus_SERVING {
		view.Err = exit.Silent(exit.Internal)
	}
	return view, nil
}

const statusSchema = "betcode.daemon.status/v2"

// writeStatus writes the status in the layout of the API document.
func writeStatus(w io.Writer, h *pb.HealthDetailsResponse, s console.Style) {
	overall := paint(s, h.GetOverallStatus())
	if h.GetDegraded() {
		overall += s.Yellow(" (degraded)")
	}
	fmt.Fprintf(w, "Daemon: %s\n", overall)
	for _, c := range h.GetComponents() {
		name := c.GetName()
		if name == "sqlite" { // the specification's name on the wire for the journal
			name = "journal"
		}
		line := fmt.Sprintf("  %s: %s", name, paint(s, c.GetStatus()))
		if c.GetMessage() != "" {
			line += " (" + console.Line(c.GetMessage()) + ")"
		}
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	if reason := h.GetDegradedReason(); reason != "" {
		fmt.Fprintf(w, "Degraded: %s\n", console.Line(reason))
	}
	if states := h.GetMetadata()["degraded_states"]; states != "" {
		fmt.Fprintf(w, "Degraded states: %s\n", console.Line(strings.ReplaceAll(states, ",", ", ")))
	}
	if n := h.GetRateLimitedSessions(); n > 0 {
		fmt.Fprintf(w, "Rate limit: %s, %s\n", console.Count(n, "session"), sessionstate.LimitText(h.GetRateLimitedUntil()))
	}
	if seconds, err := strconv.ParseFloat(h.GetMetadata()["uptime_seconds"], 64); err == nil {
		fmt.Fprintf(w, "Uptime: %s\n", console.Span(time.Duration(seconds*float64(time.Second))))
	}
	if pid := h.GetMetadata()["pid"]; pid != "" {
		fmt.Fprintf(w, "PID: %s\n", pid)
	}
	if v := h.GetMetadata()["version"]; v != "" {
		fmt.Fprintf(w, "Version: %s\n", v)
	}
}

func paint(s console.Style, status pb.ServingStatus) string {
	if status == pb.ServingStatus_SERVING {
		return s.Green(status.String())
	}
	return s.Red(status.String())
}

func (p *program) healthCommand() *cli.Command {
	return &cli.Command{
		Name: "health", Usage: "check whether the daemon serves; for probes", ArgsUsage: "[SERVICE]",
		Description: "Prints SERVING or NOT_SERVING. Exit code 0 means that the daemon serves; 7 that it does not; 2 that no daemon\n" +
			"answers; 6 that it has no such service. SERVICE is for example AgentService. The command starts no daemon and\n" +
			"asks no questions. 'betcode daemon status' shows what is wrong.",
		Flags: output.OnceFlags(), Action: base.Simple(p.health),
	}
}

func (p *program) health(ctx context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 0, 1); err != nil {
		return err
	}
	options, err := output.Parse(c)
	if err != nil {
		return err
	}
	cfg, err := p.ClientConfig(c)
	if err != nil {
		return err
	}
	cl, err := client.Open(cfg, client.Person())
	if err != nil {
		return err
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(ctx, client.PingTimeout)
	defer cancel()
	serving, err := cl.Serving(ctx, c.Args().First())
	switch {
	case client.Unreachable(err):
		return client.NoDaemon(cfg)
	case err != nil:
		return err
	}
	answer, failed := pb.ServingStatus_SERVING, error(nil)
	if !serving {
		answer, failed = pb.ServingStatus_NOT_SERVING, exit.Silent(exit.Internal)
	}
	view := output.View{
		Schema: "betcode.health/v1", Name: "status", Value: map[string]any{"status": answer.String(), "service": c.Args().First()}, Err: failed,
		Text: func(w io.Writer, _ output.Look) error {
			_, err := fmt.Fprintln(w, answer)
			return err
		},
	}
	return output.Printer{Console: p.Console, Options: options}.Print(view)
}
