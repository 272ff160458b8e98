package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/doctor"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/launch"
	"betcode/config"
)

// firstPrompt is the message of the first session. It asks for nothing that needs a permission.
const firstPrompt = "What is in this directory? Answer in three sentences."

// InitCommand returns the command of the first minutes.
func InitCommand(p *base.Program) *cli.Command {
	return &cli.Command{
		Name: "init", Usage: "set betcode up: check, import, start the daemon, try a first session",
		Description: "Checks Claude Code, its login and the directories; offers to copy settings of Claude Code and to run the daemon\n" +
			"as a service; then starts a first session in this directory. Each step asks first, and can be repeated.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "ask nothing: import, start the daemon in the background, no session"},
		},
		Action: base.Simple(func(ctx context.Context, c *cli.Context) error { return initialise(ctx, p, c) }),
	}
}

func initialise(ctx context.Context, p *base.Program, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	if !c.Bool("yes") && !p.Attended() {
		return exit.Usage(errors.New("'betcode init' asks questions, and no person can be asked; --yes answers them"))
	}
	sources, err := sourcesOf(p, c)
	if err != nil {
		return err
	}
	facts := doctor.Gather(ctx, sources)
	if err := ready(p, facts); err != nil {
		return err
	}
	if err := offerCopy(p, c, sources.Daemon.ConfigDir); err != nil {
		return err
	}
	if err := serve(ctx, p, c, facts); err != nil {
		return err
	}
	if c.Bool("yes") || !p.Confirm("Start a first session in this directory? It asks: "+firstPrompt, true) {
		p.Say("Start a session with: betcode run \"...\", or betcode chat")
		return nil
	}
	if err := c.App.RunContext(ctx, []string{c.App.Name, "run", firstPrompt}); err != nil {
		return err
	}
	p.Say("Next: betcode run -c \"...\" goes on with it, betcode chat talks to an agent, betcode shows all sessions.")
	return nil
}

// ready returns an error for a missing prerequisite without which no agent starts.
func ready(p *base.Program, facts doctor.Facts) error {
	var missing []string
	for _, f := range doctor.Diagnose(facts) {
		if f.Severity != doctor.Problem || strings.HasPrefix(f.ID, "daemon.") {
			continue
		}
		missing = append(missing, f.ID)
		p.Say("%s: %s", f.ID, console.Line(f.Reason))
		if f.Mend != "" {
			p.Say("    %s", console.Line(f.Mend))
		}
	}
	if len(missing) > 0 {
		return exit.With(exit.Failed, fmt.Errorf("init: %s; run the commands above, and 'betcode init' again", console.Count(len(missing), "problem")))
	}
	if a := facts.Agent; a.Path != "" {
		p.Say("Claude Code %s: %s", a.Version, a.Path)
	}
	return nil
}

// offerCopy offers to copy settings of Claude Code that are not there yet.
func offerCopy(p *base.Program, c *cli.Context, to string) error {
	from, err := importFrom(p, "")
	if err != nil {
		return err
	}
	steps, err := config.PlanImport(from, to)
	if err != nil {
		p.Say("Settings of Claude Code are not imported: %v", err)
		return nil
	}
	missing := 0
	for _, step := range steps {
		if !step.Exists {
			missing++
		}
	}
	if missing == 0 || !c.Bool("yes") && !p.Confirm(fmt.Sprintf("Copy %s with settings and rules from %s?", console.Count(missing, "file"), from), true) {
		return nil
	}
	return carryOut(p, from, to, false)
}

// serve makes sure that a daemon serves: a running one, a service, or a new one in the background.
func serve(ctx context.Context, p *base.Program, c *cli.Context, facts doctor.Facts) error {
	if facts.Daemon.Answers {
		p.Say("A daemon serves at %s.", facts.Daemon.Socket)
		return nil
	}
	if facts.Service.Manager && facts.Service.Unit == "" && !c.Bool("yes") && p.Confirm("Run the daemon as a service of your login?", true) {
		return installService(ctx, p, c)
	}
	cfg, flags, err := p.Locate(c)
	if err != nil {
		return err
	}
	switch cl, holder, err := launch.Find(ctx, config.Client{SocketPath: cfg.SocketPath}, cfg.StateDir); {
	case holder != nil:
		return launch.Unreachable(*holder, cfg.SocketPath)
	case err == nil:
		cl.Close() // it has been started meanwhile
		return nil
	case !client.Unreachable(err):
		return err
	}
	return p.Launcher().Start(ctx, cfg, flags, base.StartPatience)
}
