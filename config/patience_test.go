package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPatience(t *testing.T) {
	const hour = time.Hour
	for name, test := range map[string]struct {
		flags     DaemonFlags
		env       map[string]string
		extend    bool
		reminders []time.Duration
		exec      []string
		says      string
	}{
		"defaults": {extend: true, reminders: []time.Duration{hour, 24 * hour}},
		"environment": {
			env: map[string]string{
				"BETCODE_PERMISSION_EXTEND": "false", "BETCODE_PERMISSION_REMINDERS": "2h, 3d", "BETCODE_NOTIFY_EXEC": "/opt/my notify",
			},
			reminders: []time.Duration{2 * hour, 72 * hour}, exec: []string{"/opt/my notify"},
		},
		"flags": {
			flags:  DaemonFlags{PermissionExtend: "1", PermissionReminders: "off", NotifyExec: ` ["notify-send", "it waits", ""]`},
			env:    map[string]string{"BETCODE_PERMISSION_REMINDERS": "2h"},
			extend: true, exec: []string{"notify-send", "it waits", ""},
		},
		"one":           {flags: DaemonFlags{PermissionReminders: "30m"}, extend: true, reminders: []time.Duration{30 * time.Minute}},
		"three":         {flags: DaemonFlags{PermissionReminders: "1h,2h,3h"}, says: "one time, or two"},
		"twice":         {flags: DaemonFlags{PermissionReminders: "1h,60m"}, says: "one time, or two"},
		"out of order":  {flags: DaemonFlags{PermissionReminders: "24h,1h"}, says: "earlier one first"},
		"at once":       {flags: DaemonFlags{PermissionReminders: "0s"}, says: "from 1m to 30d"},
		"after the end": {flags: DaemonFlags{PermissionReminders: "31d"}, says: "from 1m to 30d"},
		"no time":       {flags: DaemonFlags{PermissionReminders: "soon"}, says: `"soon"`},
		"neither":       {flags: DaemonFlags{PermissionExtend: "perhaps"}, says: "neither true nor false"},
		"no list":       {flags: DaemonFlags{NotifyExec: "[1]"}, says: "no list of texts"},
		"empty list":    {flags: DaemonFlags{NotifyExec: "[]"}, says: "no list of texts"},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"HOME": "/h"}
			for key, value := range test.env {
				env[key] = value
			}
			d, err := ResolveDaemon(test.flags, world("linux", env))
			if test.says != "" {
				if err == nil || !strings.Contains(err.Error(), test.says) {
					t.Errorf("%v does not say %q", err, test.says)
				}
				return
			}
			if err != nil || d.ExtendOnActivity != test.extend || !slices.Equal(d.Reminders, test.reminders) || !slices.Equal(d.NotifyExec, test.exec) {
				t.Errorf("got %+v, %v", d, err)
			}
		})
	}
}

func TestReadNotify(t *testing.T) {
	for file, want := range map[string]string{
		`{}`:                               "",
		`{"permissions":{"deny":["a"]}}`:   "",
		`{"notify":{"other":1}}`:           "",
		`{"notify":{"exec":["a","","b"]}}`: "a||b",
		`{"notify":{"exec":"a"}}`:          "error: notify.exec must be a list",
		`{"notify":{"exec":[""]}}`:         "error: the first of which names a program",
		`{"notify":{"exec":["a",1]}}`:      "error: list of texts",
		`{"notify":[]}`:                    `error: "notify" must be an object`,
		`{"notify"`:                        "error: unexpected end",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, SettingsFile), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadNotify(dir)
		says, wrong := strings.CutPrefix(want, "error: ")
		switch {
		case wrong && (err == nil || !strings.Contains(err.Error(), says)):
			t.Errorf("%s: %v does not say %q", file, err, says)
		case !wrong && (err != nil || strings.Join(got, "|") != want):
			t.Errorf("%s: %q, %v", file, got, err)
		}
	}
	if got, err := ReadNotify(t.TempDir()); err != nil || got != nil {
		t.Errorf("no file: %q, %v", got, err)
	}
}
