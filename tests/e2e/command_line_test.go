package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// Lists without members are lists in JSON, not missing keys.
func TestEmptyListsInJSON(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	for command, key := range map[string]string{
		"session list": "sessions", "permission list": "permissions", "token list": "tokens", "commands agents": "agents", "journal backups": "backups",
	} {
		got, there := s.cliJSON(0, strings.Fields(command)...)[key]
		if list, isList := got.([]any); !there || !isList || len(list) != 0 {
			t.Errorf("%s: %s is %v", command, key, got)
		}
	}
	s.cli(0, "run", "--cwd", s.world.Project, "echo:hello")
	id := s.lastID()
	for _, line := range strings.Split(strings.TrimSpace(s.cli(0, "session", "show", id, "--json")), "\n") {
		if strings.HasSuffix(line, ": null,") || strings.HasSuffix(line, ": null") {
			t.Errorf("session show: %s", line)
		}
	}
	if raw := s.cli(0, "session", "show", id, "--json"); !json.Valid([]byte(raw)) {
		t.Errorf("no JSON: %s", raw)
	}
}

// The topics of help are texts of their own, not the help of the program.
func TestHelpTopics(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	general := s.cli(0, "help")
	for topic, wanted := range map[string][]string{
		"exit-codes": {"agent error", "connection failure", "130"}, "environment": {"BETCODE_SOCKET", "BETCODE_ADDRESS", "NO_COLOR"},
	} {
		said := s.cli(0, "help", topic)
		for _, part := range wanted {
			if !strings.Contains(said, part) {
				t.Errorf("help %s does not have %q:\n%s", topic, part, said)
			}
		}
		if said == general || strings.Contains(said, "COMMANDS:") {
			t.Errorf("help %s is the help of the program", topic)
		}
	}
}

// A setting that needs a restart is reported as such, and takes effect after a restart; any other
// takes effect at once.
func TestConfigSetSaysWhenItCounts(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	if said, code := s.command(s.world.Binary, []string{"config", "set", "disk.low", "1GiB"}); code != 0 || !strings.Contains(said, "disk.low will be 1GiB: the running daemon keeps (512MiB, or a twentieth of a small disk) until 'betcode daemon restart'.") {
		t.Errorf("disk.low: exit %d: %s", code, said)
	}
	if said, code := s.command(s.world.Binary, []string{"config", "set", "daemon.log_level", "debug"}); code != 0 || strings.Contains(said, "restart") {
		t.Errorf("daemon.log_level: exit %d: %s", code, said)
	}
}

// A check with findings ends with an exit code and does not print success; an invalid value is not
// written.
func TestConfigRefusesWhatCannotHold(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	settings := filepath.Join(s.world.ConfigDir(), "settings.json")
	for text, wanted := range map[string]string{
		`{"disk": {"lwo": 1}}`:                      "disk.lwo",
		`{"notify": {"exec": ["/does/not/exist"]}}`: "no such file",
		`{"permissions": {"deny": ["Bash(git push --force)"], "allow": ["Bash(git *)"]}}`: "git push --force *",
	} {
		s.writeAt(settings, text)
		said, code := s.command(s.world.Binary, []string{"config", "check"})
		if !strings.Contains(said, wanted) || strings.Contains(said, "Nothing is wrong") {
			t.Errorf("%s: exit %d: %s", text, code, said)
		}
		if warning := strings.Contains(text, "permissions"); !warning && code != 5 {
			t.Errorf("%s: exit %d: %s", text, code, said)
		}
	}
	s.writeAt(settings, `{}`)
	if said, code := s.command(s.world.Binary, []string{"config", "check"}); code != 0 || !strings.Contains(said, "Nothing is wrong") {
		t.Errorf("sound settings: exit %d: %s", code, said)
	}
	for _, set := range [][]string{{"resume.times", "-3"}, {"notify.exec", "/does/not/exist"}, {"notify.exec", `["no-such-program-anywhere"]`}} {
		said, code := s.command(s.world.Binary, append([]string{"config", "set"}, set...))
		if code != 5 || strings.Contains(said, "flag provided") || !strings.Contains(said, set[0]) {
			t.Errorf("config set %v: exit %d: %s", set, code, said)
		}
	}
	if shown := s.cli(0, "config", "show", "--origins"); strings.Contains(shown, "settings.json") {
		t.Errorf("a refused value was written:\n%s", shown)
	}
}

// A restart applies the flags that it is given, and refuses those that it cannot apply.
func TestRestartAppliesFlags(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.cli(0, "run", "--cwd", s.world.Project, "echo:before")
	before := s.pid()
	said, code := s.command(s.world.Binary, []string{"daemon", "restart", "--state-dir", filepath.Join(s.world.Root, "elsewhere")})
	if code != 5 || !strings.Contains(said, "cannot change the state directory") || s.pid() != before {
		t.Errorf("a flag that cannot be applied: exit %d: %s", code, said)
	}
	said, code = s.command(s.world.Binary, []string{"daemon", "restart", "--max-agents", "3", "--log-level", "debug"})
	if code != 0 || s.pid() == before {
		t.Errorf("exit %d: %s", code, said)
	}
	shown := s.cli(0, "config", "show", "--origins")
	for _, name := range []string{"daemon.max_subprocesses", "daemon.log_level"} {
		at := strings.Index(shown, name+"\t")
		if at < 0 || !strings.Contains(strings.SplitN(shown[at:], "\n", 2)[0], "--") {
			t.Errorf("%s is not from a flag:\n%s", name, shown)
		}
	}
	s.stopBackground()
}
