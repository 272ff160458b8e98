package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// edit changes a file of any revision.
func edit(path string, source Source, changes []Change) error {
	_, err := Edit{Path: path, Source: source, Changes: changes}.Do()
	return err
}

func TestEdit(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "real.json", "\ufeff{\"z\": {\"deep\": [1, 2.50]},\n\"disk\": {\"other\": null, \"low\": \"1GiB\"}, \"a\": 1e3}")
	link := filepath.Join(dir, SettingsFile)
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	err := edit(link, FromUser, []Change{
		{Name: "disk.low", Value: "2GiB"},
		{Name: "daemon.max_subprocesses", Value: "7"},
		{Name: "feature_flags.subagent_orchestration", Value: "true"},
		{Name: "permissions.reminder_intervals", Value: "off"},
		{Name: "resume.policy", Reset: true},
	})
	want := `{
  "z": {
    "deep": [
      1,
      2.50
    ]
  },
  "disk": {
    "other": null,
    "low": "2GiB"
  },
  "a": 1e3,
  "daemon": {
    "max_subprocesses": 7
  },
  "feature_flags": {
    "subagent_orchestration": true
  },
  "permissions": {
    "reminder_intervals": []
  }
}
`
	got, _ := os.ReadFile(path)
	info, _ := os.Stat(path)
	if err != nil || string(got) != want || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v\n%s", err, info.Mode(), got)
	}
	if found, err := os.Readlink(link); err != nil || found != path {
		t.Errorf("the link is gone: %v", err)
	}
	for _, c := range []Change{
		{Name: "disk.low", Value: "much"},
		{Name: "disk.high", Value: "1"},
		{Name: "feature_flags.a.b", Value: "true"},
		{Name: "feature_flags.x", Value: "perhaps"},
		{Name: "feature_flags."},
	} {
		if err := edit(link, FromUser, []Change{{Name: "agent.silence", Value: "1m"}, c}); err == nil || !strings.Contains(err.Error(), c.Name) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if again, _ := os.ReadFile(path); string(again) != want {
		t.Errorf("half of it was done:\n%s", again)
	}

	project := filepath.Join(dir, "p", ProjectFile)
	if err := edit(project, FromProject, []Change{{Name: "sessions.default_model", Value: "opus"}}); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(project); string(got) != "{\n  \"model\": \"opus\"\n}\n" {
		t.Errorf("%s", got)
	}
	if err := edit(project, FromProject, []Change{{Name: "disk.low", Value: "1GiB"}}); err == nil {
		t.Error("a directory may say how full the disk is")
	}
	broken := write(t, dir, "broken.json", "{\n7}")
	if err := edit(broken, FromUser, []Change{{Name: "agent.silence", Value: "1m"}}); err == nil || !strings.Contains(err.Error(), "broken.json:2") {
		t.Errorf("%v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.json.*")); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

// A reader sees a whole file while others write, and no change is lost.
func TestEditsAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), SettingsFile)
	names := []string{"disk.low", "disk.spool_quota", "disk.archive_bytes", "retention.max_bytes"}
	done := make(chan error, len(names))
	for _, name := range names {
		go func() {
			var err error
			for _, size := range []string{"1GiB", "2GiB", "3GiB"} {
				_, read := ReadFile(path, FromUser)
				err = errors.Join(err, read, edit(path, FromUser, []Change{{Name: name, Value: size}}))
			}
			done <- err
		}()
	}
	for range names {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	f, err := ReadFile(path, FromUser)
	for _, name := range names {
		if f.values[name].value != int64(3<<30) {
			t.Errorf("%s is %v, %v", name, f.values[name].value, err)
		}
	}
}

// Other members of the file stay, in their order.
func TestEditKeepsTheRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zA-Z$ ]{1,8}`), 1, 6, rapid.ID).Draw(t, "names")
		var b strings.Builder
		for i, name := range names {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(`"x` + name + `": {"` + name + `": [1, "é"]}`)
		}
		out, err := changed([]byte("{"+b.String()+"}"), FromUser, []Change{{Name: "disk.low", Value: "1GiB"}, {Name: "agent.silence", Reset: true}})
		if err != nil {
			t.Fatal(err)
		}
		root, err := readJSON("", out)
		if err != nil || len(root.members()) != len(names)+1 {
			t.Fatalf("%v\n%s", err, out)
		}
		for i, name := range names {
			if m := root.members()[i]; m.name != "x"+name || len(m.members()) != 1 {
				t.Fatalf("%s", out)
			}
		}
	})
}
