package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/cmd/betcode/internal/exit"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

// A change says when it takes effect: at once, after a restart, or not at all.
func TestChangeApplied(t *testing.T) {
	setting := func(name, value string) config.Value {
		s, err := config.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		return config.Value{Setting: s, Value: value, Origin: config.Origin{Source: config.FromUser}}
	}
	level, socket := setting("daemon.log_level", "debug"), setting("daemon.log_file", "/log")
	for name, test := range map[string]struct {
		file    config.Value
		running *pb.SettingValue // nil: no daemon
		want    string
	}{
		"no daemon":            {level, nil, "takes effect when a daemon starts"},
		"live":                 {level, &pb.SettingValue{Value: "debug", Source: "user", Live: true}, "is in effect"},
		"needs a restart":      {socket, &pb.SettingValue{Value: "/log", Source: "user", RestartNeeded: true}, "after a restart: betcode daemon restart"},
		"as it was":            {socket, &pb.SettingValue{Value: "/log", Source: "user"}, "already"},
		"not read":             {socket, &pb.SettingValue{Value: "", Source: "default"}, "not read by the running daemon yet"},
		"outdone by a flag":    {level, &pb.SettingValue{Value: "info", Source: "flag", Origin: "log-level"}, "started with --log-level, which takes precedence"},
		"outdone by variables": {level, &pb.SettingValue{Value: "info", Source: "environment", Origin: "BETCODE_LOG_LEVEL"}, "BETCODE_LOG_LEVEL, which"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := appliedText(test.file.Setting, test.file, test.running, test.running != nil); !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A check that has found something does not say that nothing is wrong.
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
