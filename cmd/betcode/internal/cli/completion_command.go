package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/cli/completion"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/statedir"
)

func (p *program) completionCommand() *cli.Command {
	return &cli.Command{
		Name: "completion", Usage: "print or install the completion of a shell", ArgsUsage: "SHELL",
		Description: "SHELL is bash, zsh, fish or powershell. Commands, flags, sessions and requests are completed.\n" +
			"For now: source <(betcode completion bash). For good: betcode completion bash --install",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "install", Usage: "write it where the shell finds it"}},
		Action: func(c *cli.Context) error {
			if err := base.Arguments(c, 1, 1); err != nil {
				return err
			}
			shell := c.Args().First()
			if !slices.Contains(completion.Shells, shell) {
				return exit.Usage(fmt.Errorf("there is no completion for %q; there is one for %s", console.Line(shell), strings.Join(completion.Shells, ", ")))
			}
			if !c.Bool("install") {
				_, err := fmt.Fprint(p.Stdout, completion.Script(shell))
				return err
			}
			path, err := completion.Install(shell, p.World.Getenv, statedir.Replace)
			if err != nil {
				return err
			}
			p.Say("Wrote %s; new shells complete betcode.", path)
			if shell == "zsh" {
				p.Say("The directory has to be in fpath before compinit, in ~/.zshrc: fpath=(%s $fpath)", strings.TrimSuffix(path, "/_betcode"))
			}
			return nil
		},
	}
}
