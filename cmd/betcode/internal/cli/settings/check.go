package settings

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/features"
	"betcode/cmd/betcode/internal/offline"
	"betcode/config"
)

func (p group) configCheck(_ context.Context, c *cli.Context) error {
	var wrong error
	var warnings []*config.FileError
	var files []*config.File
	paths := c.Args().Slice()
	if len(paths) == 0 {
		d, _, err := p.Locate(c)
		if err != nil {
			return err
		}
		paths = []string{filepath.Join(d.ConfigDir, config.SettingsFile), filepath.Join(d.ConfigDir, config.TOMLFile)}
		wrong = config.Contradictions(base.DaemonSettings(c), p.World)
		if s, err := config.Load(base.DaemonSettings(c), p.World); err == nil {
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
	for _, file := range files {
		narrow = append(narrow, unknownTools(file)...)
	}
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
