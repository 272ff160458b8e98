package cli

import (
	"context"
	"fmt"
	"runtime"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/messages/claudecode"
	pb "betcode/proto/betcode/v1"
)

func (p *program) versionCommand() *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "print the versions of this command and of the daemon",
		Flags:  []cli.Flag{base.JSONFlag()},
		Action: base.Simple(p.showVersion),
	}
}

func (p *program) showVersion(ctx context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	cfg, err := p.ClientConfig(c)
	if err != nil {
		return err
	}
	daemon, claude := "", ""
	if cl, err := client.Dial(ctx, cfg); err == nil { // without a daemon the versions of this program are shown
		defer cl.Close()
		if r, err := cl.Version.GetVersion(ctx, &pb.GetVersionRequest{}); err == nil {
			daemon, claude = r.GetServerVersion(), r.GetClaudeCode().GetVersion()
		}
	}
	if c.Bool("json") {
		return console.WriteValue(p.Stdout, map[string]any{
			"schema": "betcode.version/v1", "version": p.Build.Version, "commit": p.Build.Commit, "date": p.Build.Date,
			"go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
			"daemon_version": daemon, "claude_version": claude, "claude_advice": claudecode.Advice(claude),
		}, "  ")
	}
	fmt.Fprintf(p.Stdout, "betcode %s (%s, %s, %s %s/%s)\n", p.Build.Version, console.Shorten(p.Build.Commit, 12), p.Build.Date, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if daemon == "" {
		fmt.Fprintln(p.Stderr, "No daemon answers.")
		return nil
	}
	fmt.Fprintf(p.Stdout, "daemon  %s\n", daemon)
	if claude != "" {
		fmt.Fprintf(p.Stdout, "claude  %s\n", claude)
	}
	if advice := claudecode.Advice(claude); advice != "" {
		fmt.Fprintln(p.Stderr, console.Line(advice))
	}
	if daemon != p.Build.Version {
		fmt.Fprintln(p.Stderr, "The daemon is another version. 'betcode daemon restart' replaces it; agents go on working.")
	}
	return nil
}
