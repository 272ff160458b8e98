package base

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/launch"
	"betcode/cmd/betcode/internal/statedir"
	"betcode/config"
)

// The flags of settings that are not of the kind of all others.
const (
	SocketFlag     = "socket"      // every command has it
	KeepAgentsFlag = "keep-agents" // a switch
)

// StartPatience is how long a daemon may take until it serves.
const StartPatience = 30 * time.Second

// otherFlags are flags by their command that have the name of a setting's flag and another meaning.
var otherFlags = map[string]string{"portal": "listen"}

// DaemonSettings returns the given flags by the name of their setting.
func DaemonSettings(c *cli.Context) config.Flags {
	given := config.Flags{config.ConfigDirFlag: c.String(config.ConfigDirFlag)}
	for _, s := range config.Table() {
		switch s.Flag {
		case "", otherFlags[c.Command.Name]:
		case KeepAgentsFlag:
			if c.Bool(s.Flag) {
				given[s.Name] = "true"
			}
		default:
			given[s.Name] = c.String(s.Flag)
		}
	}
	return given
}

// Locate returns the places of the daemon that this command would start, and the flags for it. Mistakes in its settings
// files are for the daemon to report.
func (p *Program) Locate(c *cli.Context) (config.Daemon, config.Flags, error) {
	flags := DaemonSettings(c)
	d, err := config.Locate(flags, p.World)
	if err != nil {
		return d, flags, exit.Usage(err)
	}
	if p.World.Getenv("BETCODE_CLAUDE") != "" {
		flags["agent.path"] = d.ClaudePath // a relative path is relative to this command's directory, not the daemon's
	}
	return d, flags, nil
}

// TypedDirectory returns the directory of this user's drafts and histories; empty if settings do not determine it.
func (p *Program) TypedDirectory(c *cli.Context) string {
	daemon, _, err := p.Locate(c)
	if err != nil || daemon.StateDir == "" {
		return ""
	}
	return filepath.Join(daemon.StateDir, "typed")
}

// Launcher starts and replaces daemons of this version.
func (p *Program) Launcher() *launch.Launcher {
	return &launch.Launcher{Console: p.Console, Version: p.Build.Version}
}

// JournalDirectory returns the directory of the journal or backup that a command names; empty means that the daemon
// answers.
func JournalDirectory(c *cli.Context) (string, error) {
	directory := c.String("backup")
	if state := c.String("state-dir"); state != "" {
		if directory != "" {
			return "", exit.Usage(errors.New("--state-dir and --backup name two journals; give one of them"))
		}
		directory = statedir.Journal(state)
	}
	return directory, nil
}
