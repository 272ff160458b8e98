package config

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// home is the environment of a test whose configuration is in dir.
func home(dir string, more map[string]string) Environment {
	env := map[string]string{"HOME": "/home/me", "BETCODE_CONFIG_DIR": dir}
	for name, value := range more {
		env[name] = value
	}
	return world("linux", env)
}

// The first origin with a value has precedence, and is reported.
func TestHierarchy(t *testing.T) {
	flags, env := Flags{}, map[string]string{}
	dir, project := t.TempDir(), t.TempDir()
	look := func(want, source string) {
		t.Helper()
		s, err := Load(flags, home(dir, env))
		if err != nil {
			t.Fatal(err)
		}
		v := s.In(ReadDirectory(project, "/home/me")).Get("resume.policy")
		if v.Text() != want || v.Origin.String() != source {
			t.Errorf("%q from %s, want %q from %s", v.Text(), v.Origin, want, source)
		}
	}
	look("auto", "default")
	write(t, dir, TOMLFile, "# mine\n[resume]\npolicy = \"never\"\n")
	look("never", filepath.Join(dir, TOMLFile)+":3")
	write(t, dir, SettingsFile, `{"resume": {"policy": "ask"}}`)
	look("ask", filepath.Join(dir, SettingsFile)+":1")
	write(t, project, ProjectFile, "{\n\"resume\": {\"policy\": \"auto\"}, \"disk\": {\"low\": \"1GiB\"}}")
	look("auto", filepath.Join(project, ProjectFile)+":2")
	write(t, project, LocalFile, "\n{\"resume\": {\"policy\": \"never\"}}")
	look("never", filepath.Join(project, LocalFile)+":2")
	env["BETCODE_RESUME"] = "ask"
	look("ask", "BETCODE_RESUME")
	flags["resume.policy"] = "auto"
	look("auto", "--")

	s, err := Load(nil, home(dir, nil))
	if err != nil {
		t.Fatal(err)
	}
	there := s.In(ReadDirectory(project, "/home/me"))
	if v := there.Get("disk.low"); v.Value != nil {
		t.Errorf("a directory has set %s to %s", v.Name, v.Text())
	}
	if own := s.In(ReadDirectory(project, project)); own.Get("resume.policy").Text() != "ask" {
		t.Error("the home directory was taken for somebody else's")
	}
}

func TestDaemonOfSettings(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, SettingsFile, `{
  "model": "opus", "hooks": {"Stop": []}, "env": {"A": "b"},
  "sessions": {"auto_compact": false, "auto_compact_threshold": 1e5},
  "permissions": {"defaultMode": "plan", "deny": ["WebFetch"], "default_ttl": "2d", "reminder_intervals": []},
  "retention": {"max_bytes": "off", "max_age": "90d", "session_max_bytes": 2147483648, "session_max_age": "36h"},
  "notify": {"exec": ["notify-send", ""]},
  "worktree": {"setup_commands": ["npm install", "make"], "symlinkDirectories": ["of the agent"]},
  "agent": {"path": "bin/claude"}, "daemon": {"log_file": "~/log", "max_subprocesses": 9}
}`)
	write(t, dir, TOMLFile, "[permissions]\nallow = [\"Read\"]\n[feature_flags]\nworktree_management = true\n[daemon]\nmax_subprocesses = 3\nlog_level = \"WARN\"\n")
	s, err := Load(Flags{"daemon.keep_agents": "true"}, home(dir, map[string]string{"BETCODE_ARCHIVE_AGE": "60d"}))
	if err != nil || len(s.Warnings) > 0 {
		t.Fatal(err, s.Warnings)
	}
	d := s.Daemon()
	switch {
	case d.Model != "opus", d.Past.Threshold() != 0, d.Past.CompactThreshold != 100_000,
		d.PermissionTTL != 48*time.Hour, d.Reminders == nil, len(d.Reminders) != 0, !d.ExtendOnActivity,
		d.Past.Bytes != -1, d.Past.Age != 90*24*time.Hour, d.Past.SessionBytes != 2<<30, d.Past.SessionAge != 36*time.Hour,
		!slices.Equal(d.Worktree.SetupCommands, []string{"npm install", "make"}), d.Worktree.SetupTime != 10*time.Minute,
		!slices.Equal(d.NotifyExec, []string{"notify-send", ""}), d.ClaudePath != filepath.Join(dir, "bin/claude"),
		d.LogFile != "/home/me/log", d.MaxAgents != 9, d.LogLevel != "warn", !d.KeepAgents, d.Disk.ArchiveAge != 60*24*time.Hour,
		d.Disk.ArchiveBytes != 5<<30, d.Disk.Low != 0, d.MaxWaiting != 50, d.LockGrace != 10*time.Second:
		t.Errorf("%+v", d)
	}
	if !s.Features["worktree_management"].On || len(s.Rules) != 2 {
		t.Errorf("%+v %+v", s.Features, s.Rules)
	}
}

// All faults are reported with their positions; unknown settings are warnings.
func TestWrong(t *testing.T) {
	for name, test := range map[string]struct {
		file, content string
		says          []string
		warns         []string
	}{
		"json": {SettingsFile, "{\n \"disk\": {\"low\": \"much\"},\n \"daemon\": {\"max_subprocesses\": 0, \"keep_agents\": 1}, \"notify\": 7,\n \"feature_flags\": {\"x\": 1}}", []string{
			":2:18: disk.low must be a size of 1B or more", ":3:33: daemon.max_subprocesses must be a whole number from 1 to 10000",
			":3:51: daemon.keep_agents must be true or false", `:3:65: "notify" must be an object`, ":4:25: feature_flags.x must be true or false",
		}, nil},
		"toml":      {TOMLFile, "[resume]\ntimes = 1.5\npolicy = 7\n\n[permissions]\ndeny = [\"-x\"]\n", []string{":2:1: resume.times must be", ":3:1: resume.policy must be", ":6:1: a rule in permissions.deny begins with a dash"}, nil},
		"date":      {TOMLFile, "agent.silence = 1979-05-27\n", []string{":1:7: agent.silence must be a time"}, nil},
		"syntax":    {SettingsFile, "{\n  \"disk\": {,}}", []string{":2:12: "}, nil},
		"bad toml":  {TOMLFile, "[disk]\nlow = \n", []string{":2:"}, nil},
		"no object": {SettingsFile, "[1]", []string{":1:1: the settings must be an object"}, nil},
		"unknown": {SettingsFile, "{\"disk\": {\n\"lwo\": 1, \"low\": \"1GiB\"},\n\"disk.low\": 1, \"betcode\": {}, \"permissions\": {\"deyn\": []}}", nil, []string{
			":2:8: unknown setting disk.lwo", ":3:13: unknown setting \"disk.low\"", ":3:27: unknown setting betcode", ":3:55: unknown setting permissions.deyn",
		}},
		"together": {SettingsFile, `{"permissions": {"default_ttl": "2h", "min_ttl": "3h"}}`, []string{"settings.json:1): 2h is less than permissions.min_ttl, which is 3h (", "settings.json:1)"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := write(t, dir, test.file, test.content)
			s, err := Load(nil, home(dir, nil))
			if (err != nil) != (len(test.says) > 0) {
				t.Errorf("%v", err)
			}
			for _, words := range test.says {
				if err == nil || !strings.Contains(err.Error(), words) || !strings.Contains(err.Error(), path) {
					t.Errorf("%q is not reported:\n%v", words, err)
				}
			}
			var warnings []string
			for _, w := range s.Warnings {
				warnings = append(warnings, strings.TrimPrefix(w.Error(), path))
			}
			if !slices.Equal(warnings, test.warns) {
				t.Errorf("warnings %q", warnings)
			}
		})
	}
	for _, test := range []struct {
		flags Flags
		env   map[string]string
		says  string
	}{
		{Flags{"daemon.log_level": "loud"}, nil, "set --log-level: \"loud\" is not one of error, warn"},
		{Flags{"daemon.max_subprocesses": "many"}, nil, "--max-agents"},
		{Flags{"permissions.default_ttl": "60s"}, nil, "a time from 1h to 30d"},
		{Flags{"permissions.reminder_intervals": "24h,1h"}, nil, "the earlier one first"},
		{Flags{"permissions.reminder_intervals": "1h,2h,3h"}, nil, "one time, or two"},
		{Flags{"notify.exec": "[1]"}, nil, "a list of texts"},
		{Flags{"daemon.socket_path": "/" + strings.Repeat("s", 107)}, nil, "107"},
		{nil, map[string]string{"BETCODE_LOCK_GRACE": "0s"}, "set BETCODE_LOCK_GRACE"},
		{nil, map[string]string{"BETCODE_DISK_LOW": "0"}, "a size of 1B or more"},
		{nil, map[string]string{"BETCODE_LISTEN_TCP": "nowhere"}, "host:port"},
		{nil, map[string]string{"BETCODE_LISTEN_TCP": "0.0.0.0:50051"}, "in the clear"},
	} {
		if _, err := Load(test.flags, home("/c", test.env)); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%v %v: %v does not say %q", test.flags, test.env, err, test.says)
		}
	}
}

func TestChanged(t *testing.T) {
	dir := t.TempDir()
	load := func() Settings {
		s, err := Load(nil, home(dir, nil))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	started := load()
	write(t, dir, SettingsFile, `{"disk": {"low": "1GiB"}, "daemon": {"log_level": "debug"}, "permissions": {"deny": ["a"]}, "feature_flags": {"x": true}}`)
	now := load()
	if got := now.Changed(started); !slices.Equal(got, []string{"daemon.log_level", "disk.low", "permissions", "feature_flags"}) {
		t.Errorf("%q", got)
	}
	if got := now.Pending(started); !slices.Equal(got, []string{"disk.low"}) || now.Same(started) || !now.Same(load()) {
		t.Errorf("%q", got)
	}
}

// A list of texts is shown as a person would write it.
func TestTextsAreReadable(t *testing.T) {
	const exec = `["sh","-c","cat >>/tmp/a && echo <done>"]`
	s, err := Load(Flags{"notify.exec": exec}, home(t.TempDir(), nil))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Get("notify.exec").Text(); got != exec {
		t.Errorf("%s is shown as %s", exec, got)
	}
}

func TestPublic(t *testing.T) {
	for exec, want := range map[string]string{`["curl","-H","secret"]`: `["curl","…"]`, `["notify-send"]`: `["notify-send"]`, "": ""} {
		s, err := Load(Flags{"notify.exec": exec}, home(t.TempDir(), nil))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Get("notify.exec").Public(); got != want {
			t.Errorf("%s is shown as %s", exec, got)
		}
	}
}
