package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
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
			&cli.BoolFlag{Name: "markdown", Usage: "print all of it as one document, which is docs/cli.md, and write nothing"},
		},
		Action: func(c *cli.Context) error {
			directory := 1
			if c.Bool("markdown") {
				directory = 0
			}
			if err := base.Arguments(c, directory, directory); err != nil {
				return err
			}
			if c.Bool("markdown") {
				return p.print(manual.Markdown(p.app()))
			}
			if err := writePages(c.Args().First(), p.manualPages(c.App)); err != nil {
				return fmt.Errorf("write manual: %w", err)
			}
			return nil
		},
	}
}

// writePages writes pages below a directory, for all users. A page takes the place of a link, and no directory is entered that a
// link puts elsewhere.
func writePages(directory string, pages map[string]string) error {
	root, err := os.OpenRoot(directory)
	if err != nil {
		return err
	}
	defer root.Close()
	for name, text := range pages {
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := root.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
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
