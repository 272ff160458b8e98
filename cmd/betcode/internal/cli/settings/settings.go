package settings

import (
	"context"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/output"
	"betcode/config"
)

// group is the commands of this package.
type group struct{ *base.Program }

// Command returns the command with its subcommands.
func Command(program *base.Program) *cli.Command {
	p := group{program}
	place := []cli.Flag{
		&cli.BoolFlag{Name: "project", Usage: "in " + config.ProjectFile + " of the working directory"},
		&cli.BoolFlag{Name: "local", Usage: "in " + config.LocalFile + " of the working directory"},
	}
	return &cli.Command{
		Name: "config", Usage: "show and change settings",
		Description: "A setting comes from the first of these that has it: a flag, a variable, a directory's .claude/settings.local.json or\n" +
			".claude/settings.json, your settings.json, your daemon.toml. A running daemon reads changed files by itself.",
		Subcommands: []*cli.Command{
			{
				Name: "show", Usage: "list the settings in force, of the daemon or of one that would be started",
				Flags: append([]cli.Flag{
					&cli.BoolFlag{Name: "origins", Usage: "show where each value comes from"},
				}, output.ListFlags()...),
				Action: base.Simple(p.configShow),
			},
			{
				Name: "get", Usage: "print one value", ArgsUsage: "SETTING",
				Description: "-o json also says where the value comes from. -o wide prints the row of 'config show --origins'.",
				Flags:       output.Flags(), Action: base.Simple(p.configGet),
			},
			{
				Name: "set", Usage: "change values in settings.json", ArgsUsage: "SETTING VALUE [SETTING VALUE…]",
				Description: "VALUE is written as on a command line: 7d, 512MiB, true. Feature flags: feature_flags.NAME true.\n" +
					"All values are changed or none, so set values that depend on each other in one command.",
				Flags: place, Action: base.Simple(p.configSet),
			},
			{Name: "unset", Usage: "remove values from settings.json", ArgsUsage: "SETTING…", Flags: place, Action: base.Simple(p.configSet)},
			{
				Name: "check", Usage: "list mistakes in settings files, and unknown settings", ArgsUsage: "[FILE…]",
				Description: "Without FILE, your own files. Ends with 5 if there is a mistake or an unknown setting.",
				Flags:       output.OnceFlags(), Action: base.Simple(p.configCheck),
			},
			{Name: "path", Usage: "print where your settings are", Flags: output.ListFlags(), Action: base.Simple(p.configPath)},
		},
	}
}

func (p group) configPath(ctx context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	d, _, err := p.Locate(c)
	if err != nil {
		return err
	}
	return p.ShowLive(ctx, c, func() (output.View, error) {
		var files []map[string]any
		for _, name := range []string{config.SettingsFile, config.TOMLFile} {
			path := filepath.Join(d.ConfigDir, name)
			_, err := os.Stat(path)
			files = append(files, map[string]any{"path": path, "exists": err == nil})
		}
		return output.View{
			Schema: "betcode.config.path/v1", Value: map[string]any{"files": files}, List: "files", Name: "path", Columns: console.Columns("PATH", "STATE"),
			Row: func(i int, _ output.Look) []string {
				row := []string{files[i]["path"].(string)}
				if files[i]["exists"] == false {
					row = append(row, "(not there)")
				}
				return row
			},
		}, nil
	})
}
