package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/offline"
	"betcode/config"
)

// ImportCommand returns the command that copies settings of Claude Code.
func ImportCommand(p *base.Program) *cli.Command {
	return &cli.Command{
		Name: "import", Usage: "copy settings and rules of Claude Code into your configuration directory",
		Description: "Copies settings.json and the files in rules/; later changes of one program do not affect the other. Existing files\n" +
			"are kept. Copied permission rules take effect in the daemon.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "from", Usage: "`DIRECTORY` to copy from, instead of ~/.claude"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only list what would be copied"},
		},
		Action: base.Simple(func(_ context.Context, c *cli.Context) error { return importSettings(p, c) }),
	}
}

func importSettings(p *base.Program, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	if !c.Bool("dry-run") {
		if err := offline.RefuseAgents(); err != nil {
			return err
		}
	}
	from, err := importFrom(p, c.String("from"))
	if err != nil {
		return exit.Usage(err)
	}
	d, _, err := p.Locate(c)
	if err != nil {
		return err
	}
	return carryOut(p, from, d.ConfigDir, c.Bool("dry-run"))
}

// carryOut copies missing settings, or only lists them.
func carryOut(p *base.Program, from, to string, dry bool) error {
	steps, err := config.PlanImport(from, to)
	if err != nil {
		return exit.Usage(err)
	}
	copied, kept := 0, ""
	for _, step := range steps {
		word := "copied"
		switch {
		case step.Exists:
			word = "kept, because it exists"
			if filepath.Base(step.To) == config.SettingsFile {
				kept = step.From
			}
		case dry:
			word = "would be copied"
		default:
			if err := step.Do(); err != nil {
				return err
			}
		}
		if !step.Exists {
			copied++
		}
		if _, err := fmt.Fprintf(p.Stdout, "%s\t%s\n", console.Line(step.To), word); err != nil {
			return err
		}
	}
	switch {
	case len(steps) == 0:
		p.Say("There is nothing to import in %s.", from)
	case dry:
		p.Say("%d of %d files would be copied from %s.", copied, len(steps), from)
	case copied == 0:
		p.Say("0 of %d files were copied from %s.", len(steps), from)
	default:
		p.Say("%d of %d files were copied from %s. 'betcode config check' lists settings that are unknown here.", copied, len(steps), from)
	}
	if kept != "" {
		p.Say("Your settings here were not merged with those in %s: copy by hand what is missing, such as permission rules.", kept)
	}
	return nil
}

// importFrom returns the directory to copy from, which must exist if it was named.
func importFrom(p *base.Program, named string) (string, error) {
	if named == "" {
		return p.World.AgentDir()
	}
	dir, err := filepath.Abs(named)
	if err != nil {
		return "", err
	}
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("--from %s: there is no such directory", dir)
	case err != nil:
		return "", fmt.Errorf("--from: %w", err)
	case !info.IsDir():
		return "", fmt.Errorf("--from %s is not a directory", dir)
	}
	return dir, nil
}

// OfferImport informs a person who starts a daemon for the first time about settings to import. It
// does so once, because it creates the configuration directory.
func OfferImport(p *base.Program, configDir string) {
	if !p.Terminal.In || !p.Terminal.Err {
		return
	}
	if _, err := os.Stat(configDir); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	from, err := p.World.AgentDir()
	if err != nil {
		return
	}
	if steps, err := config.PlanImport(from, configDir); err != nil || len(steps) == 0 {
		return
	}
	p.Say("You have settings for Claude Code in %s. 'betcode import' copies them, 'betcode import --dry-run' lists them.", from)
	_ = os.MkdirAll(configDir, 0o700) // without it the next start offers the import again
}
