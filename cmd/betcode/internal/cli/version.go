package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/output"
	"betcode/messages/claudecode"
	pb "betcode/proto/betcode/v1"
)

func (p *program) versionCommand() *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "print the versions of this command and of the daemon",
		Flags:  output.OnceFlags(),
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
	return p.Show(c, output.View{
		Schema: "betcode.version/v1", Name: "version",
		Value: map[string]any{
			"version": p.Build.Version, "commit": p.Build.Commit, "date": p.Build.Date, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
			"daemon_version": daemon, "claude_version": claude, "claude_advice": claudecode.Advice(claude),
		},
		Text: func(w io.Writer, _ output.Look) error { return p.writeVersion(w, daemon, claude) },
	})
}

// writeVersion writes the versions. Advice goes to standard error.
func (p *program) writeVersion(w io.Writer, daemon, claude string) error {
	fmt.Fprintf(w, "betcode %s (%s, %s, %s %s/%s)\n", p.Build.Version, console.Shorten(p.Build.Commit, 12), p.Build.Date, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if daemon == "" {
		fmt.Fprintln(p.Stderr, "No daemon answers.")
		return nil
	}
	fmt.Fprintf(w, "daemon  %s\n", daemon)
	if claude != "" {
		fmt.Fprintf(w, "claude  %s\n", claude)
	}
	if advice := claudecode.Advice(claude); advice != "" {
		fmt.Fprintln(p.Stderr, console.Line(advice))
	}
	if daemon != p.Build.Version {
		fmt.Fprintln(p.Stderr, "The daemon is another version. 'betcode daemon restart' replaces it; agents go on working.")
	}
	return nil
}
