package setup

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/doctor"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/offline"
)

const doctorSchema = "betcode.doctor/v1"

// DoctorCommand returns the command that examines an installation.
func DoctorCommand(p *base.Program) *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "examine the daemon, its directories, Claude Code and the machine, and say what mends them",
		Description: "Prints a line for each check that is not in order, with the command that mends it. With --fix, doctor mends\n" +
			"itself what cannot lose anything: directories that are open to others, and services that end with the login.\n" +
			"Ends with 1 if there is a problem. It starts and ends no daemon and no agent.",
		Flags: []cli.Flag{
			base.JSONFlag(),
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "print the checks that are in order, too"},
			&cli.BoolFlag{Name: "fix", Usage: "mend what can be mended without a risk"},
		},
		Action: base.Simple(func(ctx context.Context, c *cli.Context) error { return examine(ctx, p, c) }),
	}
}

func examine(ctx context.Context, p *base.Program, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	sources, err := sourcesOf(p, c)
	if err != nil {
		return err
	}
	all := doctor.Diagnose(doctor.Gather(ctx, sources))
	if c.Bool("fix") {
		if err := mend(ctx, p, all); err != nil {
			return err
		}
		all = doctor.Diagnose(doctor.Gather(ctx, sources))
	}
	if c.Bool("json") {
		err = console.WriteValue(p.Stdout, map[string]any{"schema": doctorSchema, "severity": doctor.Worst(all), "findings": all}, "  ")
	} else {
		err = writeFindings(p.Stdout, all, c.Bool("all"), console.Style(p.Terminal.Colour))
	}
	if err == nil && doctor.Worst(all) == doctor.Problem {
		return exit.Silent(exit.Failed)
	}
	return err
}

// sourcesOf returns the installation that the command is about.
func sourcesOf(p *base.Program, c *cli.Context) (doctor.Sources, error) {
	cfg, err := p.ClientConfig(c)
	if err != nil {
		return doctor.Sources{}, err
	}
	daemon, _, err := p.Locate(c)
	if err != nil {
		return doctor.Sources{}, err
	}
	return doctor.Sources{Client: cfg, Daemon: daemon, World: p.World, Version: p.Build.Version}, nil
}

// mend carries out the mends of findings. An agent must not open doors by way of this command.
func mend(ctx context.Context, p *base.Program, all []doctor.Finding) error {
	if err := offline.RefuseAgents(); err != nil {
		return err
	}
	for _, f := range all {
		if !f.Fixable {
			continue
		}
		if err := doctor.Apply(ctx, f); err != nil {
			p.Say("%s: %v", f.ID, err)
			continue
		}
		p.Say("%s: mended (%s)", f.ID, f.Mend)
	}
	return nil
}

// writeFindings writes a block for each finding, the worst last, where a person looks first.
func writeFindings(w io.Writer, all []doctor.Finding, everything bool, s console.Style) error {
	counts := map[doctor.Severity]int{}
	for severity := doctor.OK; severity <= doctor.Problem; severity++ {
		for _, f := range all {
			if f.Severity != severity {
				continue
			}
			counts[severity]++
			if severity == doctor.OK && !everything {
				continue
			}
			fmt.Fprintf(w, "%s  %s: %s\n", paintSeverity(s, severity), f.ID, console.Line(f.Reason))
			if f.Mend != "" {
				fmt.Fprintf(w, "         %s\n", s.Bold(console.Line(f.Mend)))
			}
		}
	}
	_, err := fmt.Fprintf(w, "%d ok, %d notes, %d warnings, %d problems\n",
		counts[doctor.OK], counts[doctor.Note], counts[doctor.Warning], counts[doctor.Problem])
	return err
}

func paintSeverity(s console.Style, severity doctor.Severity) string {
	text := fmt.Sprintf("%-7s", severity)
	switch severity {
	case doctor.OK:
		return s.Green(text)
	case doctor.Warning:
		return s.Yellow(text)
	case doctor.Problem:
		return s.Red(text)
	case doctor.Note:
	}
	return text
}
