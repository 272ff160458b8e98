package setup

import (
	"context"
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/doctor"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/launch"
	"betcode/cmd/betcode/internal/offline"
	"betcode/cmd/betcode/internal/service"
	"betcode/cmd/betcode/internal/statedir"
)

// ServiceCommand returns the commands that run the daemon as a service of the user.
func ServiceCommand(p *base.Program) *cli.Command {
	return &cli.Command{
		Name: "service", Usage: "run the daemon as a service of your login: systemd or launchd",
		Subcommands: []*cli.Command{
			{
				Name: "install", Usage: "install and start the service",
				Description: "The service runs this program, with the PATH of this command. A daemon in the background is replaced; its\n" +
					"agents go on. A file that you have changed is kept.",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "dry-run", Usage: "print the file and the commands, and do nothing"},
					&cli.BoolFlag{Name: "force", Usage: "replace a file that was changed"},
					&cli.BoolFlag{Name: "linger", Usage: "let the service run when you are not logged in (loginctl enable-linger)"},
				},
				Action: base.Simple(func(ctx context.Context, c *cli.Context) error { return installService(ctx, p, c) }),
			},
			{
				Name: "uninstall", Usage: "stop the service and remove it; its agents go on",
				Action: base.Simple(func(ctx context.Context, c *cli.Context) error { return uninstallService(ctx, p, c) }),
			},
			{
				Name: "status", Usage: "show what the service manager says of the service",
				Action: base.Simple(func(ctx context.Context, c *cli.Context) error { return serviceStatus(ctx, p, c) }),
			},
		},
	}
}

// UnitCommand returns the command with which 'make install' writes the unit of a package.
func UnitCommand(p *base.Program) *cli.Command {
	return &cli.Command{
		Name: "__unit", Usage: "print the systemd unit for a program, for packages", ArgsUsage: "PROGRAM", Hidden: true,
		Action: func(c *cli.Context) error {
			if err := base.Arguments(c, 1, 1); err != nil {
				return err
			}
			unit, err := service.Packaged(c.Args().First())
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(p.Stdout, unit)
			return err
		},
	}
}

// planned returns the service of this user.
func planned(p *base.Program, c *cli.Context) (service.Definition, error) {
	if err := base.Arguments(c, 0, 0); err != nil {
		return service.Definition{}, err
	}
	program, err := os.Executable()
	if err != nil {
		return service.Definition{}, fmt.Errorf("find this executable: %w", err)
	}
	home, err := p.World.Home()
	if err != nil {
		return service.Definition{}, fmt.Errorf("find home directory: %w", err)
	}
	units, err := p.World.UserUnits()
	if err != nil {
		return service.Definition{}, err
	}
	return service.Plan(service.Request{
		OS: p.World.OS, Home: home, Units: units, UID: p.World.UID, Program: program, Path: p.World.Getenv("PATH"),
	})
}

func installService(ctx context.Context, p *base.Program, c *cli.Context) error {
	d, err := planned(p, c)
	if err != nil {
		return err
	}
	if c.Bool("dry-run") {
		fmt.Fprintf(p.Stdout, "# %s\n%s", d.Path, d.Text)
		for _, command := range d.Commands() {
			fmt.Fprintf(p.Stdout, "# %s\n", command)
		}
		return nil
	}
	if err := offline.RefuseAgents(); err != nil {
		return err
	}
	if err := d.Check(c.Bool("force")); err != nil {
		return err
	}
	if err := d.Prepare(ctx); err != nil {
		return exit.With(exit.Failed, fmt.Errorf("%w; no daemon was stopped, and 'betcode daemon start' starts one without a service", err))
	}
	if err := leaveDirectory(ctx, p, c); err != nil {
		return err
	}
	if err := d.Start(ctx); err != nil {
		return exit.With(exit.Failed, fmt.Errorf("%w; 'betcode service uninstall' removes it, 'betcode daemon start' starts a daemon without it", err))
	}
	p.Say("The service is installed (%s) and serves.", d.Path)
	return lingering(ctx, p, c)
}

// leaveDirectory ends a daemon that has the state directory, so that the service can have it. Its agents go on.
func leaveDirectory(ctx context.Context, p *base.Program, c *cli.Context) error {
	cfg, err := p.ClientConfig(c)
	if err != nil {
		return err
	}
	cl, holder, err := launch.Find(ctx, cfg, p.StateDirectory(c, cfg))
	switch {
	case holder != nil:
		return launch.Unreachable(*holder, cfg.Where())
	case client.Unreachable(err):
		return nil
	case err != nil:
		return err
	}
	cl.Close()
	return p.Launcher().Stop(ctx, cfg, p.StateDirectory(c, cfg), true, base.StartPatience)
}

// lingering lets the service run without a login if the flag is set, and otherwise prints that it does not.
func lingering(ctx context.Context, p *base.Program, c *cli.Context) error {
	sources, err := sourcesOf(p, c)
	if err != nil {
		return err
	}
	for _, f := range doctor.Diagnose(doctor.Gather(ctx, sources)) {
		switch {
		case f.ID != "service.linger" || !f.Fixable:
		case c.Bool("linger"):
			if err := doctor.Apply(ctx, f); err != nil {
				return err
			}
			p.Say("The service runs also when you are not logged in.")
		default:
			p.Say("The service ends when you log out. To change that: %s", f.Mend)
		}
	}
	return nil
}

func uninstallService(ctx context.Context, p *base.Program, c *cli.Context) error {
	d, err := planned(p, c)
	if err != nil {
		return err
	}
	if err := offline.RefuseAgents(); err != nil {
		return err
	}
	done, err := d.Uninstall(ctx)
	switch {
	case err != nil:
		return exit.With(exit.Failed, err)
	case !done.Installed:
		p.Say("No service is installed.")
	case done.Unstopped != nil:
		return unstopped(p, c, d, done.Unstopped)
	default:
		p.Say("The service is removed. Its agents go on; 'betcode daemon start' starts a daemon that takes them over.")
	}
	return nil
}

// unstopped reports a service that is removed and that its manager has not stopped. Its daemon is what can be left of it.
func unstopped(p *base.Program, c *cli.Context, d service.Definition, why error) error {
	p.Say("The service is removed (%s) and starts no more. The service manager was not reached: %s", d.Path, console.Line(why.Error()))
	cfg, err := p.ClientConfig(c)
	if err != nil {
		return err
	}
	holder, runs := statedir.HolderOf(p.StateDirectory(c, cfg))
	if runs && launch.InUnit(holder.PID, service.UnitName) {
		return exit.With(exit.Failed, fmt.Errorf("the daemon of the service still runs (pid %d); end it, and its agents go on: betcode daemon stop --keep-agents", holder.PID))
	}
	return nil
}

func serviceStatus(ctx context.Context, p *base.Program, c *cli.Context) error {
	d, err := planned(p, c)
	if err != nil {
		return err
	}
	text, installed := d.State(ctx)
	if !installed {
		return exit.With(exit.NotFound, fmt.Errorf("no service is installed; 'betcode service install' installs it"))
	}
	_, err = fmt.Fprint(p.Stdout, console.Text(text))
	return err
}
