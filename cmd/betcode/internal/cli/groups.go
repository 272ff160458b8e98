package cli

import (
	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/gitlab"
	"betcode/cmd/betcode/internal/cli/history"
	"betcode/cmd/betcode/internal/cli/journal"
	"betcode/cmd/betcode/internal/cli/orchestrate"
	"betcode/cmd/betcode/internal/cli/permission"
	"betcode/cmd/betcode/internal/cli/session"
	"betcode/cmd/betcode/internal/cli/settings"
	"betcode/cmd/betcode/internal/cli/setup"
)

// helpTopics is the category of commands that print a page of help.
const helpTopics = "Help"

// commandGroup is the commands that people look for together.
type commandGroup struct {
	title    string // the category of its commands
	commands []*cli.Command
}

// groups returns the visible commands by purpose, in the order of the help and the manual.
func (p *program) groups() []commandGroup {
	return []commandGroup{
		{"Everyday work", []*cli.Command{
			p.runCommand(),
			p.chatCommand(),
			p.uiCommand(),
			session.PsCommand(p.Program),
			session.StatusCommand(p.Program),
			session.AttachCommand(p.Program),
			session.LogsCommand(p.Program),
			session.NewCommand(p.Program),
			session.StopCommand(p.Program),
		}},
		{"Sessions", []*cli.Command{
			session.Command(p.Program),
			p.subagentCommand(),
			orchestrate.Command(p.Program),
			p.worktreeCommand(),
			p.repoCommand(),
			p.commandsCommand(),
			p.fleetCommand(),
		}},
		{"Approvals and rules", []*cli.Command{
			permission.Command(p.Program),
			p.trustCommand(),
			p.tokenCommand(),
			p.auditCommand(),
		}},
		{"Journal and history", []*cli.Command{
			history.SearchCommand(p.Program),
			history.DigestCommand(p.Program),
			session.EventsCommand(p.Program),
			journal.Command(p.Program),
		}},
		{"Daemon", []*cli.Command{
			setup.InitCommand(p.Program),
			setup.DoctorCommand(p.Program),
			p.daemonCommand(),
			setup.ServiceCommand(p.Program),
			settings.Command(p.Program),
			p.healthCommand(),
			p.treeCommand(),
			p.versionCommand(),
		}},
		{"Machine and integration", []*cli.Command{
			p.completionCommand(),
			setup.ImportCommand(p.Program),
			p.machineCommand(),
			gitlab.Command(p.Program),
			p.mcpCommand(),
			p.gatewayCommand(),
			p.proxyCommand(),
		}},
		{helpTopics, []*cli.Command{
			p.helpCommand(),
			p.exitCodesCommand(),
			p.environmentCommand(),
			p.formattingCommand(),
		}},
	}
}

// commands returns all commands, each with its group as its category. Hidden ones have none.
func (p *program) commands() []*cli.Command {
	var all []*cli.Command
	for _, g := range p.groups() {
		for _, c := range g.commands {
			c.Category = g.title
		}
		all = append(all, g.commands...)
	}
	return append(all, p.completeCommand(), p.completeBashCommand(), p.manualCommand(), setup.UnitCommand(p.Program))
}
