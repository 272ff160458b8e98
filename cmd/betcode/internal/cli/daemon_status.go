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
	"betcode/cmd/betcode/internal/statedir"
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
	cl, holder, err := launch.Find(ctx, cfg, p.StateDirectory(c, cfg))
	if holder != nil {
		return p.statusUnreachable(c, cfg, *holder)
	}
	if client.Unreachable(err) {
		if c.Bool("json") {
			if err := console.WriteValue(p.Stdout, map[string]any{"schema": statusSchema, "running": false, "socket": cfg.Where()}, "  "); err != nil {
				return err
			}
		} else {
			fmt.Fprintln(p.Stdout, "Daemon: NOT RUNNING")
		}
		return client.NoDaemon(cfg)
	}
	if err != nil {
		return err
	}
	defer cl.Close()
	health, err := cl.Health.GetHealthDetails(ctx, &pb.HealthDetailsRequest{})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		object, err := console.MessageJSON(health)
		if err != nil {
			return err
		}
		object["schema"], object["running"] = statusSchema, true
		if err := console.WriteValue(p.Stdout, object, "  "); err != nil {
			return err
		}
	} else {
		writeStatus(p.Stdout, health, console.Style(p.Terminal.Colour))
	}
	if health.GetOverallStatus() != pb.ServingStatus_SERVING {
		return exit.Silent(exit.Internal)
	}
	return nil
}

// statusUnreachable shows a daemon that lives and does not answer.
func (p *program) statusUnreachable(c *cli.Context, cfg config.Client, h statedir.Holder) error {
	if c.Bool("json") {
		object := map[string]any{"schema": statusSchema, "running": true, "reachable": false, "pid": h.PID, "socket": cfg.Where(), "state_dir": h.State}
		if err := console.WriteValue(p.Stdout, object, "  "); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(p.Stdout, "Daemon: RUNNING (pid %d), NOT REACHABLE\n", h.PID)
	}
	return launch.Unreachable(h, cfg.Where())
}

const statusSchema = "betcode.daemon.status/v1"

// writeStatus writes the status in the layout of the API document.
func writeStatus(w io.Writer, h *pb.HealthDetailsResponse, s console.Style) {
	overall := paint(s, h.GetOverallStatus())
	if h.GetDegraded() {
		overall += s.Yellow(" (degraded)")
	}
	fmt.Fprintf(w, "Daemon: %s\n", overall)
	for _, c := range h.GetComponents() {
		line := fmt.Sprintf("  %s: %s", c.GetName(), paint(s, c.GetStatus()))
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
		fmt.Fprintf(w, "Rate limit: %d session(s), %s\n", n, limitText(h.GetRateLimitedUntil()))
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
		Action: base.Simple(p.health),
	}
}

func (p *program) health(ctx context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 0, 1); err != nil {
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
	case serving:
		_, err = fmt.Fprintln(p.Stdout, pb.ServingStatus_SERVING)
		return err
	}
	fmt.Fprintln(p.Stdout, pb.ServingStatus_NOT_SERVING)
	return exit.Silent(exit.Internal)
}
