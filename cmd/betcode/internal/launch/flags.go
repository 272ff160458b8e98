package launch

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"betcode/cmd/betcode/internal/exit"
	"betcode/config"
)

// A restart keeps the command line of the daemon it replaces. Flags that the command
// is given replace those of that line; flags that a restart cannot apply are refused.

// fixedByRestart are the settings that a restart cannot change: the next daemon takes
// over the agents and the journal of the one before.
var fixedByRestart = []string{"daemon.socket_path", "daemon.state_dir", "daemon.keep_agents"}

// restartable refuses the flags that a restart of the daemon old, if it is known, cannot apply.
func restartable(old background, known bool, cfg config.Daemon, flags config.Flags) error {
	if flags[notifyExec] != "" {
		return exit.Usage(fmt.Errorf("restart daemon: --notify-exec cannot be applied by a restart; use 'betcode config set %s'", notifyExec))
	}
	if !known {
		return nil // the next daemon is started with the flags of this command
	}
	if given := flags["daemon.state_dir"]; given != "" && old.place("state-dir", "BETCODE_STATE_DIR") != cfg.StateDir {
		return exit.Usage(fmt.Errorf("restart daemon: --state-dir %s: a restart cannot change the state directory; "+
			"stop the daemon and start it with the other one", given))
	}
	if now := old.place(config.ConfigDirFlag, "BETCODE_CONFIG_DIR"); flags[config.ConfigDirFlag] != "" && now != "" && now != cfg.ConfigDir {
		return exit.Usage(fmt.Errorf("restart daemon: --config-dir %s: a restart cannot change the configuration directory, which is %s; "+
			"stop the daemon and start it with the other one", flags[config.ConfigDirFlag], now))
	}
	return nil
}

// place returns the absolute path of a directory that b was given by a flag or a variable; empty if by neither.
func (b background) place(flag, variable string) string {
	dir := flagValue(b.arguments, flag)
	for _, entry := range b.environment {
		if value, ok := strings.CutPrefix(entry, variable+"="); ok && dir == "" {
			dir = value
		}
	}
	if dir != "" && !filepath.IsAbs(dir) {
		dir = filepath.Join(b.directory, dir)
	}
	return dir
}

// withFlags returns b with the flags of a restart in place of its own.
func (b background) withFlags(cfg config.Daemon, flags config.Flags) background {
	for _, s := range config.Table() {
		given := flags[s.Name]
		if given == "" || s.Flag == "" || slices.Contains(fixedByRestart, s.Name) {
			continue
		}
		switch s.Name {
		case "agent.path":
			given = cfg.ClaudePath // absolute
		case "daemon.log_file":
			b.log, b.arguments = cfg.LogFile, withoutFlag(b.arguments, s.Flag)
			b.environment = without(b.environment, s.Env)
			continue
		}
		b.arguments = append(withoutFlag(b.arguments, s.Flag), "--"+s.Flag, given)
	}
	return b
}

// flagValue returns the value of a flag; empty if it is not there.
func flagValue(arguments []string, flag string) string {
	for i, arg := range arguments {
		switch name, value, joined := strings.Cut(arg, "="); {
		case !isFlag(name, flag):
		case joined:
			return value
		case i+1 < len(arguments):
			return arguments[i+1]
		}
	}
	return ""
}

// withoutFlag returns a copy of arguments without a flag and its value.
func withoutFlag(arguments []string, flag string) []string {
	var kept []string
	for i := 0; i < len(arguments); i++ {
		name, _, joined := strings.Cut(arguments[i], "=")
		switch {
		case !isFlag(name, flag):
			kept = append(kept, arguments[i])
		case !joined:
			i++ // its value
		}
	}
	return kept
}

func isFlag(arg, flag string) bool { return arg == "--"+flag || arg == "-"+flag }
