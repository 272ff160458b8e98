package session

import (
	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/output"
)

// group is the commands of this package.
type group struct{ *base.Program }

// Command returns the command with its subcommands.
func Command(program *base.Program) *cli.Command {
	p := group{program}
	return &cli.Command{
		Name: "session", Aliases: []string{"sessions"}, Usage: "create, list, show, attach to, rename, budget, compact, export, cancel, stop, resume, restart, fork and delete sessions",
		Subcommands: []*cli.Command{
			NewCommand(program),
			{
				Name: "list", Aliases: []string{"ls"}, Usage: "list sessions, the most recently used first",
				Flags: append([]cli.Flag{
					&cli.StringFlag{Name: "cwd", Usage: "only those that work in `DIRECTORY`"},
					&cli.StringFlag{Name: "worktree", Usage: "only those that work in `WORKTREE`"},
					&cli.UintFlag{Name: "limit", Aliases: []string{"n"}, Usage: "at most `N`", Value: 100},
					&cli.UintFlag{Name: "offset", Usage: "leave out the first `N`"},
					&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "only ids, as -o name"},
				}, output.ListFlags()...),
				Action: p.Shows(0, 0, p.listSessions),
			},
			{
				Name: "show", Usage: "show everything about a session", ArgsUsage: "SESSION",
				Flags: output.Flags(), Action: p.Shows(1, 1, p.showSession),
			},
			AttachCommand(program),
			{
				Name: "rename", Usage: "give a session a name; an empty name removes it", ArgsUsage: "SESSION NAME",
				Action: p.WithClient(2, 2, p.renameSession),
			},
			p.budgetCommand(),
			p.compactCommand(),
			p.exportCommand(),
			p.rawCommand(),
			{
				Name: "cancel", Usage: "interrupt the turn of a session, and end the repetition of its prompt", ArgsUsage: "SESSION",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "repeat", Usage: "end only the repetition of the prompt; the turn runs on"},
					&cli.StringFlag{Name: "reason", Usage: "`WHY`, for the history and the audit log"},
				},
				Action: p.WithClient(1, 1, p.cancelSession),
			},
			StopCommand(program),
			p.waitCommand(),
			LogsCommand(program),
			EventsCommand(program),
			{
				Name: "resume", Usage: "resume an interrupted turn, or a session whose agent could not run", ArgsUsage: "SESSION",
				Description: `An interrupted turn waits if resume.policy is ask, or if it was continued too often. A
session whose agent cannot run waits until the cause is gone.`,
				Action: p.WithClient(1, 1, p.resumeSession),
			},
			{
				Name: "restart", Usage: "end the agent of a session and start it again; a turn that runs goes on", ArgsUsage: "SESSION",
				Action: p.WithClient(1, 1, p.restartSession),
			},
			p.forkCommand(),
			p.deleteCommand(),
			p.pruneCommand(),
		},
	}
}
