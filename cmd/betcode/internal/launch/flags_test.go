package launch

import (
	"slices"
	"strings"
	"testing"

	"betcode/cmd/betcode/internal/exit"
	"betcode/config"
)

// A flag of 'daemon restart' replaces the one that the daemon was started with.
func TestRestartWithFlags(t *testing.T) {
	old := background{
		arguments:   []string{"--socket", "/s", "daemon", "run", "--max-agents", "9", "--log-level=debug", "--log-file", "/old"},
		environment: []string{"BETCODE_LOG_FILE=/old", "A=b"}, log: "/state/daemon.log",
	}
	flags := config.Flags{"daemon.max_subprocesses": "3", "agent.path": "./claude", "daemon.state_dir": "/other", "daemon.log_file": "new"}
	got := old.withFlags(config.Daemon{ClaudePath: "/here/claude", LogFile: "/here/new"}, flags)
	want := []string{"--socket", "/s", "daemon", "run", "--log-level=debug", "--max-agents", "3", "--claude", "/here/claude"}
	slices.Sort(want)
	sorted := slices.Sorted(slices.Values(got.arguments))
	if !slices.Equal(sorted, want) || got.log != "/here/new" || !slices.Equal(got.environment, []string{"A=b"}) {
		t.Errorf("got %q, log %s, %q", got.arguments, got.log, got.environment)
	}
	if old.arguments[5] != "9" || old.environment[0] != "BETCODE_LOG_FILE=/old" {
		t.Error("the predecessor has changed")
	}
	if args := handOverArguments(config.Daemon{LogFile: "/here/new"}, RestartOptions{Flags: flags}, 1); flagValue(args, "log-file") != "/here/new" {
		t.Errorf("the helper is not told: %q", args)
	}
}

// What a restart cannot change is refused, and not ignored.
func TestRestartRefusesFlags(t *testing.T) {
	if err := restartable(background{}, false, config.Daemon{}, config.Flags{notifyExec: "x"}); err == nil || exit.Code(err) != exit.Invalid {
		t.Errorf("--notify-exec: %v", err)
	}
	old := background{arguments: []string{"daemon", "run", "--state-dir", "st", "--config-dir=/c"}, environment: []string{"A=b"}, directory: "/"}
	for name, test := range map[string]struct {
		cfg     config.Daemon
		flags   config.Flags
		refused string
	}{
		"same places":     {config.Daemon{StateDir: "/st", ConfigDir: "/c"}, config.Flags{"daemon.state_dir": "/st", config.ConfigDirFlag: "/c"}, ""},
		"nothing given":   {config.Daemon{StateDir: "/x", ConfigDir: "/x"}, config.Flags{}, ""},
		"other state":     {config.Daemon{StateDir: "/x"}, config.Flags{"daemon.state_dir": "/x"}, "--state-dir"},
		"other directory": {config.Daemon{ConfigDir: "/x"}, config.Flags{config.ConfigDirFlag: "/x"}, "--config-dir"},
	} {
		err := restartable(old, true, test.cfg, test.flags)
		if (err == nil) != (test.refused == "") || err != nil && !strings.Contains(err.Error(), test.refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
