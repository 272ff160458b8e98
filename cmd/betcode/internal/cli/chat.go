package cli

import (
	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/talk"
)

func (p *program) chatCommand() *cli.Command {
	return &cli.Command{
		Name: "chat", Usage: "talk to the agent, line by line",
		Description: talk.ChatHelp,
		Flags: append(sessionFlags(),
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show thinking, subagents and processes too"}),
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0, 0); err != nil {
				return err
			}
			cl, _, err := p.connect(c.Context, c)
			if err != nil {
				return err
			}
			defer cl.Close()
			o, err := p.open(c.Context, c, cl)
			if err != nil {
				return err
			}
			return talk.Chat(c.Context, p.Console, cl, o, talk.ChatOptions{Verbose: c.Bool("verbose")})
		},
	}
}
