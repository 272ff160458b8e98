package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/features"
	"betcode/cmd/betcode/internal/offline"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

func (p *program) configCommand() *cli.Command {
	place := []cli.Flag{
		&cli.BoolFlag{Name: "project", Usage: "in " + config.ProjectFile + " of the working directory"},
		&cli.BoolFlag{Name: "local", Usage: "in " + config.LocalFile + " of the working directory"},
	}
	return &cli.Command{
		Name: "config", Usage: "show and change settings",
		Description: "A setting comes from the first of these that has it: a flag, a variable, a directory's .claude/settings.local.json or\n" +
			".claude/settings.json, your settings.json, your daemon.toml. A daemon notices a change of the files.",
		Subcommands: []*cli.Command{
			{
				Name: "show", Usage: "list the settings in force, of the daemon or of one that would be started",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "origins", Usage: "show where each value comes from"},
					jsonFlag(),
				},
				Action: simple(p.configShow),
			},
			{Name: "get", Usage: "print one value", ArgsUsage: "NAME", Action: simple(p.configGet)},
			{
				Name: "set", Usage: "change values in settings.json", ArgsUsage: "NAME VALUE [NAME VALUE…]",
				Description: "VALUE is written as on a command line: 7d, 512MiB, true. Feature flags: feature_flags.NAME true.\n" +
					"All values are changed or none, so set values that depend on each other in one command.",
				Flags: place, Action: simple(p.configSet),
			},
			{Name: "unset", Usage: "remove values from settings.json", ArgsUsage: "NAME…", Flags: place, Action: simple(p.configSet)},
			{
				Name: "check", Usage: "list mistakes in settings files, and unknown settings", ArgsUsage: "[FILE…]",
				Description: "Without FILE, your own files. Ends with 5 if there is a mistake or an unknown setting.",
				Action:      simple(p.configCheck),
			},
			{Name: "path", Usage: "print where your settings are", Action: simple(p.configPath)},
		},
	}
}

// shown is a setting in force.
type shown struct {
	name, value, source, origin string
	set                         bool // it has a value, perhaps a default
	live, restart               bool
}

// inForce returns the settings in force: of the running daemon, or of the one that this command would start.
func (p *program) inForce(ctx context.Context, c *cli.Context) (all []shown, warnings []string, err error) {
	cfg, err := p.clientConfig(c)
	if err != nil {
		return nil, nil, err
	}
	if cl, err := client.Dial(ctx, cfg); err == nil {
		defer cl.Close()
		got, err := cl.Config.GetSettings(ctx, &pb.GetSettingsRequest{})
		if err == nil {
			for _, v := range got.GetValues() {
				origin := config.Origin{Source: config.Source(v.GetSource()), Name: v.GetOrigin(), Line: int(v.GetLine())}
				all = append(all, shown{v.GetName(), v.GetValue(), v.GetSource(), origin.String(), v.GetValue() != "", v.GetLive(), v.GetRestartNeeded()})
			}
			for _, w := range got.GetWarnings() {
				warnings = append(warnings, fmt.Sprintf("%s:%d:%d: %s", w.GetPath(), w.GetLine(), w.GetColumn(), w.GetMessage()))
			}
			return all, warnings, nil
		}
		if status.Code(err) != codes.Unimplemented { // an older daemon
			return nil, nil, err
		}
	}
	settings, err := features.Load(daemonSettings(c), p.world)
	if err != nil {
		return nil, nil, exit.Usage(err)
	}
	for _, v := range settings.Values {
		all = append(all, shown{v.Name, v.Text(), string(v.Origin.Source), v.Origin.String(), v.Value != nil, v.Live, false})
	}
	for _, w := range settings.Warnings {
		warnings = append(warnings, w.Error())
	}
	return all, warnings, nil
}

func (p *program) configShow(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	all, warnings, err := p.inForce(ctx, c)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		p.Say("%s", console.Line(w))
	}
	if c.Bool("json") {
		return console.WriteValue(p.Stdout, shownJSON(all), "  ")
	}
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	for _, v := range all {
		showValue(w, v, c.Bool("origins"))
	}
	return w.Flush()
}

// showValue writes one line. The effect of a setting without a value is in brackets.
func showValue(w io.Writer, v shown, origins bool) {
	text := console.Line(v.value)
	if s, err := config.Find(v.name); !v.set && err == nil {
		text = "(" + s.Unset + ")"
	}
	if v.restart {
		text += " (after a restart)"
	}
	fmt.Fprintf(w, "%s\t%s", v.name, text)
	if origins {
		fmt.Fprintf(w, "\t%s", console.Line(v.origin))
	}
	fmt.Fprintln(w)
}

func shownJSON(all []shown) map[string]any {
	values := []map[string]any{}
	for _, v := range all {
		values = append(values, map[string]any{
			"name": v.name, "value": v.value, "source": v.source, "origin": v.origin, "live": v.live, "restart_needed": v.restart,
		})
	}
	return map[string]any{"schema": "betcode.config/v1", "settings": values}
}

func (p *program) configGet(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	s, err := config.Find(c.Args().First())
	if err != nil {
		return exit.Usage(err)
	}
	all, _, err := p.inForce(ctx, c)
	if err != nil {
		return err
	}
	for _, v := range all {
		if v.name == s.Name {
			_, err = fmt.Fprintln(p.Stdout, v.value)
		}
	}
	return err
}

// configSet is 'config set' and 'config unset'.
func (p *program) configSet(ctx context.Context, c *cli.Context) error {
	changes, err := settingChanges(c)
	if err != nil {
		return err
	}
	if err := offline.RefuseAgents(); err != nil {
		return err
	}
	path, source, err := p.settingsPath(c)
	if err != nil {
		return err
	}
	for _, change := range changes {
		if err := config.ProgramOf(change.Name, change.Value); err != nil && !change.Reset {
			return exit.Usage(err)
		}
	}
	edit := config.Edit{Path: path, Source: source, Changes: changes}
	if source == config.FromUser {
		edit.Agrees = config.Agrees(daemonSettings(c), p.world)
	}
	if _, err := edit.Do(); err != nil {
		return exit.Usage(err)
	}
	p.Say("Wrote %s.", path)
	for _, change := range changes {
		if flag, ok := strings.CutPrefix(change.Name, features.Prefix); ok && !change.Reset {
			if why := features.Advice(flag, change.Value == "true"); why != "" {
				p.Say("But %s.", why)
			}
		}
	}
	p.applied(ctx, c, changes, source)
	return nil
}

// settingChanges returns the changes on a command line.
func settingChanges(c *cli.Context) ([]config.Change, error) {
	args, each := c.Args().Slice(), 2
	if c.Command.Name == "unset" {
		each = 1
	}
	if len(args)%each != 0 || len(args) == 0 {
		return nil, arguments(c, each, each)
	}
	var changes []config.Change
	for pair := range slices.Chunk(args, each) {
		change := config.Change{Name: pair[0], Reset: each == 1}
		if !change.Reset {
			change.Value = pair[1]
		}
		changes = append(changes, change)
	}
	return changes, nil
}

// settingsPath returns the file that a command is about.
func (p *program) settingsPath(c *cli.Context) (string, config.Source, error) {
	if c.Bool("project") && c.Bool("local") {
		return "", "", exit.Usage(errors.New("--project and --local name two files; leave one of them out"))
	}
	if !c.Bool("project") && !c.Bool("local") {
		d, _, err := p.locate(c)
		return filepath.Join(d.ConfigDir, config.SettingsFile), config.FromUser, err
	}
	wd, err := p.world.Getwd()
	if err != nil {
		return "", "", err
	}
	if c.Bool("local") {
		return filepath.Join(wd, config.LocalFile), config.FromLocal, nil
	}
	return filepath.Join(wd, config.ProjectFile), config.FromProject, nil
}

func (p *program) configCheck(_ context.Context, c *cli.Context) error {
	var wrong error
	var warnings []*config.FileError
	var files []*config.File
	paths := c.Args().Slice()
	if len(paths) == 0 {
		d, _, err := p.locate(c)
		if err != nil {
			return err
		}
		paths = []string{filepath.Join(d.ConfigDir, config.SettingsFile), filepath.Join(d.ConfigDir, config.TOMLFile)}
		wrong = config.Contradictions(daemonSettings(c), p.world)
		if s, err := config.Load(daemonSettings(c), p.world); err == nil {
			warnings = s.ProgramWarnings()
		}
	} else {
		for _, path := range paths {
			if _, err := os.Stat(path); err != nil {
				return exit.Usage(err)
			}
		}
	}
	for _, path := range paths {
		file, err := config.ReadFile(path, sourceOf(path))
		warnings = slices.Concat(warnings, file.Warnings, features.Warnings(file.Features))
		wrong = errors.Join(wrong, err)
		files = append(files, file)
	}
	for _, w := range warnings {
		p.Say("%s", console.Line(w.Error()))
	}
	narrow := offline.NarrowRules(files...)
	for _, w := range narrow {
		p.Say("%s", console.Line(w.Error()))
	}
	switch {
	case wrong != nil:
		return exit.Usage(wrong)
	case len(warnings)+len(narrow) > 0:
		return exit.Silent(exit.Invalid)
	}
	p.Say("Nothing is wrong.")
	return nil
}

// sourceOf returns what kind of settings file it is, by its name.
func sourceOf(path string) config.Source {
	slashed := filepath.ToSlash(path)
	switch {
	case strings.HasSuffix(slashed, config.LocalFile):
		return config.FromLocal
	case strings.HasSuffix(slashed, config.ProjectFile):
		return config.FromProject
	case filepath.Ext(path) == ".toml":
		return config.FromTOML
	}
	return config.FromUser
}

func (p *program) configPath(_ context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	d, _, err := p.locate(c)
	if err != nil {
		return err
	}
	for _, name := range []string{config.SettingsFile, config.TOMLFile} {
		path := filepath.Join(d.ConfigDir, name)
		missing := ""
		if _, err := os.Stat(path); err != nil {
			missing = "\t(not there)"
		}
		if _, err := fmt.Fprintln(p.Stdout, path+missing); err != nil {
			return err
		}
	}
	return nil
}
