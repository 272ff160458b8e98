package settings

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/features"
	"betcode/cmd/betcode/internal/offline"
	"betcode/config"
)

// configSet is 'config set' and 'config unset'.
func (p group) configSet(ctx context.Context, c *cli.Context) error {
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
		edit.Agrees = config.Agrees(base.DaemonSettings(c), p.World)
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
	p.appliedFeatures(ctx, c, changes, source)
	return nil
}

// settingChanges returns the changes on a command line.
func settingChanges(c *cli.Context) ([]config.Change, error) {
	args, each := c.Args().Slice(), 2
	if c.Command.Name == "unset" {
		each = 1
	}
	if len(args)%each != 0 || len(args) == 0 {
		return nil, base.Arguments(c, each, each)
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
func (p group) settingsPath(c *cli.Context) (string, config.Source, error) {
	if c.Bool("project") && c.Bool("local") {
		return "", "", exit.Usage(errors.New("--project and --local name two files; leave one of them out"))
	}
	if !c.Bool("project") && !c.Bool("local") {
		d, _, err := p.Locate(c)
		return filepath.Join(d.ConfigDir, config.SettingsFile), config.FromUser, err
	}
	wd, err := p.World.Getwd()
	if err != nil {
		return "", "", err
	}
	if c.Bool("local") {
		return filepath.Join(wd, config.LocalFile), config.FromLocal, nil
	}
	return filepath.Join(wd, config.ProjectFile), config.FromProject, nil
}
