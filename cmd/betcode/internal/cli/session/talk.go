package session

import (
	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/chat"
	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/talk"
)

// PlainFlag returns the flag that keeps a chat line by line.
func PlainFlag() cli.Flag {
	return &cli.BoolFlag{Name: "plain", Usage: "line by line, without an editor, for screen readers and dumb terminals"}
}

// TakeLockFlag returns the flag that asks for the input lock.
func TakeLockFlag() cli.Flag {
	return &cli.BoolFlag{Name: "take-lock", Usage: "ask for the input lock if another client holds it"}
}

// Talk opens the conversation: with an editor on a terminal, line by line otherwise.
func Talk(p *base.Program, c *cli.Context, cl *client.Client, o talk.Opening) error {
	options := talk.ChatOptions{Verbose: c.Bool("verbose"), ReadOnly: c.Bool("read-only"), TakeLock: c.Bool("take-lock")}
	if c.Bool("plain") || !chat.Suits(p.Console) {
		return talk.Chat(c.Context, p.Console, cl, o, options)
	}
	return chat.Run(c.Context, p.Console, cl, o, chat.RunOptions{ChatOptions: options, Drafts: p.TypedDirectory(c)})
}
