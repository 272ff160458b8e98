package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/cli/manual"
)

// manualCommand writes the pages of man, for 'make install' and for releases.
func (p *program) manualCommand() *cli.Command {
	return &cli.Command{
		Name: "__manual", Usage: "write the pages of man below a directory, for packages", ArgsUsage: "DIRECTORY", Hidden: true,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "list", Usage: "print their names, and write nothing"},
			&cli.BoolFlag{Name: "markdown", Usage: "print all of it as one document, which is docs/cli.md, and write nothing"},
		},
		Action: func(c *cli.Context) error {
			if err := base.Arguments(c, 0, 1); err != nil {
				return err
			}
			if c.Bool("markdown") {
				return p.print(manual.Markdown(p.app()))
			}
			pages := p.manualPages(c.App)
			names := make([]string, 0, len(pages))
			for name := range pages {
				names = append(names, name)
			}
			slices.Sort(names)
			for _, name := range names {
				if c.Bool("list") {
					if err := p.print(name + "\n"); err != nil {
						return err
					}
					continue
				}
				path := filepath.Join(c.Args().First(), name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // all users read pages of man
					return fmt.Errorf("write manual: %w", err)
				}
				if err := os.WriteFile(path, []byte(pages[name]), 0o644); err != nil { //nolint:gosec // as above
					return fmt.Errorf("write manual: %w", err)
				}
			}
			return nil
		},
	}
}

// manualPages returns the pages of man. Their date is that of the build, without the time.
func (p *program) manualPages(app *cli.App) map[string]string {
	date, _, _ := strings.Cut(p.Build.Date, "T")
	return manual.Roff(app, date, []manual.Topic{
		{Name: "exit-codes", Title: "the exit codes", Text: exitCodesHelp()},
		{Name: "environment", Title: "the environment variables", Text: environmentHelp()},
		{Name: "formatting", Title: "the forms of output", Text: formattingHelp},
	})
}
