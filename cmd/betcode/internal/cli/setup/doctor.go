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
	"betcode/cmd/betcode/internal/output"
)

const doctorSchema = "betcode.doctor/v1"

// DoctorCommand returns the command that examines an installation.
func DoctorCommand(p *base.Program) *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "examine the daemon, its directories, Claude Code and the machine, and say what mends them",
		Description: "Prints a line for each check that is not in order, with the command that mends it. With --fix, doctor mends\n" +
			"itself what cannot lose anything: directories that are open to others, and services that end with the login.\n" +
			"Ends with 1 if there is a problem. It starts and ends no daemon and no agent.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "print the checks that are in order, too"},
			&cli.BoolFlag{Name: "fix", Usage: "mend what can be mended without a risk"},
		}, output.OnceFlags()...),
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
	view := output.View{
		Schema: doctorSchema, Value: map[string]any{"severity": doctor.Worst(all), "findings": all}, List: "findings",
		Text: func(w io.Writer, l output.Look) error { return writeFindings(w, all, c.Bool("all"), l.Style()) },
	}
	if doctor.Worst(all) == doctor.Problem {
		view.Err = exit.Silent(exit.Failed)
	}
	return p.Show(c, view)
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

// mend carries out the repairs of findings. It is refused to agents, which must not change an
// installation through it.
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

// writeFindings writes a block for each finding, the worst last, next to the prompt.
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
	_, err := fmt.Fprintf(w, "%d ok, %s, %s, %s\n", counts[doctor.OK],
		console.Count(counts[doctor.Note], "note"), console.Count(counts[doctor.Warning], "warning"), console.Count(counts[doctor.Problem], "problem"))
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
