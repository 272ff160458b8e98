package settings

import (
	"context"
	"errors"
	"fmt"
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
	"betcode/cmd/betcode/internal/output"
	"betcode/config"
)

func (p group) configCheck(_ context.Context, c *cli.Context) error {
	options, err := output.Parse(c)
	if err != nil {
		return err
	}
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
	narrow := offline.NarrowRules(files...)
	for _, file := range files {
		narrow = append(narrow, unknownTools(file)...)
	}
	if options.Form != output.Auto || options.ListFields {
		return output.Printer{Console: p.Console, Options: options}.Print(findingsView(wrong, warnings, narrow))
	}
	for _, w := range warnings {
		p.Say("%s", console.Line(w.Error()))
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

// findingsView is what 'config check' found, for -o and --json.
func findingsView(wrong error, warnings []*config.FileError, narrow []error) output.View {
	findings := []map[string]any{}
	add := func(severity string, err error) {
		found := map[string]any{"severity": severity, "message": err.Error()}
		if at := (*config.FileError)(nil); errors.As(err, &at) {
			found = map[string]any{"severity": severity, "message": at.Err.Error(), "path": at.Path, "line": at.Line, "column": at.Column}
		}
		findings = append(findings, found)
	}
	for _, err := range each(wrong) {
		add("error", err)
	}
	for _, w := range warnings {
		add("warning", w)
	}
	for _, w := range narrow {
		add("warning", w)
	}
	view := output.View{
		Schema: "betcode.config.check/v1", Value: map[string]any{"ok": len(findings) == 0, "findings": findings}, List: "findings", Name: "message",
		Columns: []console.Column{{Title: "SEVERITY", Whole: true}, {Title: "WHERE", Path: true}, {Title: "WHAT", Text: true}},
		Row: func(i int, _ output.Look) []string {
			f, where := findings[i], ""
			if f["path"] != nil {
				where = fmt.Sprintf("%s:%d:%d", f["path"], f["line"], f["column"])
			}
			return []string{f["severity"].(string), where, f["message"].(string)}
		},
	}
	if len(findings) > 0 {
		view.Err = exit.Silent(exit.Invalid)
	}
	return view
}

// each returns the errors that were joined.
func each(err error) []error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var found []error
		for _, one := range all.Unwrap() {
			found = append(found, each(one)...)
		}
		return found
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// sourceOf returns the kind of a settings file, by its name.
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
