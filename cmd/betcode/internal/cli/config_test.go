package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestConfigCommand(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("BETCODE_CONFIG_DIR", dir)
	t.Setenv("BETCODE_SOCKET", filepath.Join(dir, "s"))
	t.Setenv("BETCODE_RESUME", "")
	t.Chdir(t.TempDir())
	settings := filepath.Join(dir, "settings.json")
	for _, step := range []struct {
		args   string
		code   int
		stdout string // the whole of it, or with … a part
		stderr string // a part
	}{
		{"config path", 0, settings + "\t(not there)\n" + filepath.Join(dir, "daemon.toml") + "\t(not there)\n", ""},
		{"config get disk.low", 0, "\n", ""},
		{"config set disk.low 1GiB", 0, "", "disk.low takes effect when a daemon starts"},
		{"config set resume.policy ask", 0, "", "Wrote " + settings + "."},
		{"config set feature_flags.worktree_management true", 0, "", "Wrote "},
		{"config get disk.low", 0, "1GiB\n", ""},
		{"config show --origins", 0, "…" + settings + ":3\n…", ""},
		{"config show --json", 0, `…"source": "environment"…`, ""},
		{"config unset disk.low", 0, "", ""},
		{"config get disk.low", 0, "\n", ""},
		{"config set disk.low much", 5, "", `set disk.low: "much" is not a size`},
		{"config set disk.high 1", 5, "", `there is no setting "disk.high"`},
		{"config set model opus --project", 0, "", ".claude/settings.json."},
		{"config set disk.low 1GiB --local", 5, "", "not in a directory's"},
		{"config set model opus --local --project", 5, "", "name two files"},
		{"config check", 0, "", "Nothing is wrong."},
		{"config check .claude/settings.json", 0, "", "Nothing is wrong."},
		{"config check nowhere.json", 5, "", "nowhere.json"},
		{"config get", 5, "", "takes 1 argument"},
	} {
		code, stdout, stderr := command(t, "", strings.Fields(step.args)...)
		part, isPart := strings.CutPrefix(step.stdout, "…")
		same := stdout == step.stdout || (isPart && strings.Contains(stdout, strings.TrimSuffix(part, "…")))
		if code != step.code || !same || !strings.Contains(stderr, step.stderr) {
			t.Errorf("%s: exit %d\n%s\n%s", step.args, code, stdout, stderr)
		}
	}
	narrow := `{"permissions": {"allow": ["Bash(git *)"], "deny": ["Bash(git push --force)"]}}`
	if err := os.WriteFile(settings, []byte(narrow), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := command(t, "", "config", "check"); code != 5 || !strings.Contains(stderr, settings+":1: ") || !strings.Contains(stderr, "did you mean `git push --force *`?") {
		t.Errorf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	if err := os.WriteFile(settings, []byte("{\"disk\":\n{\"low\": 1.5, \"lwo\": 1}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"config check", "config show"} {
		code, _, stderr := command(t, "", strings.Fields(args)...)
		if code != 5 || !strings.Contains(stderr, settings+":2:9: disk.low must be") {
			t.Errorf("%s: exit %d\n%s", args, code, stderr)
		}
	}
}

func TestEnvironmentIsListed(t *testing.T) {
	_, stdout, _ := command(t, "", "environment")
	for _, name := range []string{"BETCODE_SOCKET", "BETCODE_CONFIG_DIR", "BETCODE_DISK_LOW", "BETCODE_NOTIFY_EXEC", "NO_COLOR"} {
		if !strings.Contains(stdout, name) {
			t.Errorf("%s is missing", name)
		}
	}
}
