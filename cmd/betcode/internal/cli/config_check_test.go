package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/cmd/betcode/internal/exit"
)

// A check that has found a mistake does not print that nothing is wrong.
func TestConfigCheckFinds(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("BETCODE_CONFIG_DIR", dir)
	t.Setenv("BETCODE_SOCKET", filepath.Join(dir, "s"))
	for name, test := range map[string]struct{ settings, says string }{
		"unknown setting": {`{"disk": {"lwo": 1}}`, "disk.lwo"},
		"unknown feature": {`{"feature_flags": {"no_such": true}}`, "there is no such feature"},
		"missing program": {`{"notify": {"exec": ["/does/not/exist"]}}`, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(test.settings), 0o600); err != nil {
				t.Fatal(err)
			}
			code, _, stderr := command(t, "", "config", "check")
			if code != exit.Invalid || !strings.Contains(stderr, test.says) || strings.Contains(stderr, "Nothing is wrong") {
				t.Errorf("exit %d: %s", code, stderr)
			}
		})
	}
	code, _, stderr := command(t, "", "config", "set", "notify.exec", "/does/not/exist")
	if code != exit.Invalid || !strings.Contains(stderr, "no such file") {
		t.Errorf("set notify.exec: exit %d: %s", code, stderr)
	}
	code, _, stderr = command(t, "", "config", "set", "resume.times", "-3")
	if code != exit.Invalid || !strings.Contains(stderr, "from 0") {
		t.Errorf("set a negative value: exit %d: %s", code, stderr)
	}
}

func TestHelpTopics(t *testing.T) {
	for topic, want := range map[string]string{"exit-codes": "connection failure", "environment": "BETCODE_SOCKET"} {
		if code, stdout, _ := command(t, "", "help", topic); code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("help %s: exit %d: %s", topic, code, stdout)
		}
	}
	if code, stdout, _ := command(t, "", "help", "session", "list"); code != 0 || !strings.Contains(stdout, "betcode session list") {
		t.Errorf("help of a command below another: exit %d: %s", code, stdout)
	}
	for _, unknown := range [][]string{{"help", "nonsense"}, {"nonsense", "--help"}, {"help", "session", "nonsense"}, {"session", "nonsense", "-h"}} {
		if code, _, stderr := command(t, "", unknown...); code != exit.Invalid || !strings.Contains(stderr, "there is no command") {
			t.Errorf("%q: exit %d: %s", unknown, code, stderr)
		}
	}
}
