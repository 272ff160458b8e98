package cli

import (
	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/talk"
)

func (p *program) sessionCommand() *cli.Command {
	return &cli.Command{
		Name: "session", Aliases: []string{"sessions"}, Usage: "create, list, show, attach to, rename, budget, compact, export, cancel, stop, resume, restart, fork and delete sessions",
		Subcommands: []*cli.Command{
			p.newSessionCommand(),
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
			{
				Name: "attach", Usage: "watch a session and talk to its agent", ArgsUsage: "SESSION",
				Description: "Leaving (/quit, Ctrl-D, Ctrl-C twice) stops nothing.\n\n" + talk.ChatHelp,
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "read-only", Usage: "only watch"},
					&cli.StringFlag{Name: "history", Value: "full", Usage: "how much history: full, pending (open requests only) or none"},
					&cli.Uint64Flag{Name: "from", Usage: "only what comes after sequence `N`"},
					&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show thinking, subagents and processes too"},
				},
				Action: p.attachSession,
			},
			{
				Name: "rename", Usage: "give a session a name; an empty one takes it away", ArgsUsage: "SESSION NAME",
				Action: p.WithClient(2, 2, p.renameSession),
			},
			p.budgetCommand(),
			p.compactCommand(),
			p.exportCommand(),
			p.rawCommand(),
			{
				Name: "cancel", Usage: "interrupt the turn of a session, and repeat its prompt no more", ArgsUsage: "SESSION",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "repeat", Usage: "let the turn run on, and only repeat the prompt no more"},
					&cli.StringFlag{Name: "reason", Usage: "`WHY`, for the history and the audit log"},
				},
				Action: p.WithClient(1, 1, p.cancelSession),
			},
			{
				Name: "stop", Usage: "end the agent of a session; the session stays", ArgsUsage: "SESSION",
				Action: p.WithClient(1, 1, p.stopSession),
			},
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
			{
				Name: "delete", Aliases: []string{"rm"}, Usage: "stop a session's agent and delete the session", ArgsUsage: "SESSION",
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"}},
				Action: p.WithClient(1, 1, p.deleteSession),
			},
		},
	}
}
