package journal

import (
	"path/filepath"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
)

// group is the commands of this package.
type group struct{ *base.Program }

// Command returns the command with its subcommands.
func Command(program *base.Program) *cli.Command {
	p := group{program}
	offline := append([]cli.Flag{
		&cli.StringFlag{Name: "state-dir", Usage: "read the journal in this state `DIRECTORY` instead; no daemon may be using it"},
		&cli.StringFlag{Name: "backup", Usage: "read the backup in this `DIRECTORY` instead"},
	}, output.OnceFlags()...)
	return &cli.Command{
		Name: "journal", Usage: "inspect, back up, restore and repair the journal",
		Subcommands: []*cli.Command{
			{
				Name: "stats", Usage: "show its size and how much was written",
				Flags: offline, Action: remedied(p.journalStats),
			},
			{
				Name: "verify", Usage: "read it from end to end and list damage",
				Description: "Reads every page, checksum and record, and follows the hash chain of every session. Ends with\n" +
					"7 if there is damage.",
				Flags: offline, Action: remedied(p.journalVerify),
			},
			{
				Name: "backup", Usage: "copy it while the daemon works", ArgsUsage: "DIRECTORY",
				Description: "DIRECTORY must not exist, or be empty. The copy is the journal of one moment.\n" +
					"'betcode journal verify --backup DIRECTORY' checks it, 'betcode journal restore' restores it.",
				Flags: append([]cli.Flag{
					&cli.BoolFlag{Name: "link", Usage: "link files that never change instead of copying them, where the disk can"},
					&cli.StringFlag{Name: "state-dir", Usage: "copy the journal in this state `DIRECTORY`; no daemon may be using it"},
				}, output.OnceFlags()...),
				Action: remedied(p.journalBackup),
			},
			{
				Name: "restore", Usage: "make the journal of a state directory from a backup", ArgsUsage: "BACKUP",
				Description: "No daemon may be using the state directory. It must not have a journal or run directories, unless\n" +
					"--force moves them aside. The journal gets a new lineage, so that clients notice the restore.\n" +
					"Agents that ran when the backup was made do not run again; their sessions go on with the next\n" +
					"message.",
				Flags: append([]cli.Flag{
					&cli.StringFlag{Name: "state-dir", Usage: "state `DIRECTORY` that gets the journal (BETCODE_STATE_DIR)"},
					&cli.BoolFlag{Name: "force", Usage: "move an existing journal and run directories aside; they are never removed"},
					&cli.BoolFlag{Name: "end-agents", Usage: "end agents of this state directory that still run; without it the command refuses"},
					&cli.BoolFlag{Name: "damaged", Usage: "restore what can be read of a damaged backup"},
				}, output.OnceFlags()...),
				Action: base.Simple(p.journalRestore),
			},
			{
				Name: "repair", Usage: "report the losses of a damaged journal, and repair it so that it opens",
				Description: "For a journal that the daemon refuses to open. No daemon may be using it. Without --yes nothing is\n" +
					"changed: the command lists the sessions, events and times that would be lost, and ends with 7 if a repair\n" +
					"is needed. With --yes it leaves out the parts that cannot be read; their sessions can be exported and\n" +
					"deleted, all others go on. The damaged journal is kept beside the new one.",
				Flags: append([]cli.Flag{
					&cli.StringFlag{Name: "state-dir", Usage: "`DIRECTORY` of the daemon whose journal it is (BETCODE_STATE_DIR)"},
					&cli.BoolFlag{Name: "yes", Usage: "repair it, and keep the old files beside it"},
				}, output.OnceFlags()...),
				Action: base.Simple(p.journalRepair),
			},
			{
				Name: "backups", Usage: "list the backups that the daemon made by itself",
				Description: "The daemon copies the journal every journal.backup_every, and keeps the newest journal.backup_keep\n" +
					"copies in the directory backups of its state directory. 'betcode journal restore' restores one.",
				Flags: append([]cli.Flag{
					&cli.StringFlag{Name: "state-dir", Usage: "`DIRECTORY` of the daemon (BETCODE_STATE_DIR)"},
				}, output.OnceFlags()...),
				Action: base.Simple(p.journalBackups),
			},
		},
	}
}

// namedState returns the absolute path of the state directory that a command is about.
func (p group) namedState(c *cli.Context) (string, error) {
	cfg, _, err := p.Locate(c)
	if err != nil {
		return "", err
	}
	state, err := filepath.Abs(cfg.StateDir)
	return state, exit.Usage(err)
}
