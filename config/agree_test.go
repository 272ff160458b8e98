package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// at returns a world and the directory of its settings.
func at(t *testing.T, env map[string]string, content map[string]string) (Environment, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := map[string]string{"HOME": "/home/me", "BETCODE_CONFIG_DIR": dir, "BETCODE_SOCKET": "/run/s"}
	for name, value := range env {
		all[name] = value
	}
	return world("linux", all), dir
}

// A change that would contradict another setting is refused, with both settings and their origins.
// Changes that belong together are made together.
func TestChangesThatContradict(t *testing.T) {
	for name, c := range map[string]struct {
		file    string
		env     map[string]string
		flags   Flags
		changes []Change
		want    []string // in the error; empty = none
	}{
		"more than the default": {
			changes: []Change{{Name: "permissions.max_ttl", Value: "2d"}},
			want:    []string{"permissions.default_ttl (default): 7d is more than permissions.max_ttl, which is 2d (", "settings.json:3)"},
		},
		"more than the file": {
			file:    `{"permissions": {` + "\n" + `"max_ttl": "10d"}}`,
			changes: []Change{{Name: "permissions.default_ttl", Value: "20d"}},
			want:    []string{"20d is more than permissions.max_ttl, which is 10d (", "settings.json:3)", "settings.json:4)"},
		},
		"less than a variable": {
			env:     map[string]string{"BETCODE_PERMISSION_MIN_TTL": "3h"},
			changes: []Change{{Name: "permissions.default_ttl", Value: "2h"}},
			want:    []string{"2h is less than permissions.min_ttl, which is 3h (BETCODE_PERMISSION_MIN_TTL)"},
		},
		"less than a flag": {
			flags:   Flags{"permissions.default_ttl": "2h"},
			changes: []Change{{Name: "permissions.min_ttl", Value: "3h"}},
			want:    []string{"permissions.default_ttl (--permission-ttl): 2h is less than permissions.min_ttl, which is 3h (", "settings.json:3)"},
		},
		"the wrong way round": {
			file:    `{"permissions": {"max_ttl": "8d"}}`,
			changes: []Change{{Name: "permissions.min_ttl", Value: "9d"}},
			want:    []string{"permissions.min_ttl (", "9d is more than permissions.max_ttl, which is 8d ("},
		},
		"taken out": {
			file:    `{"permissions": {"max_ttl": "2d", "default_ttl": "1d"}}`,
			changes: []Change{{Name: "permissions.default_ttl", Reset: true}},
			want:    []string{"7d is more than permissions.max_ttl"},
		},
		"together": {
			changes: []Change{{Name: "permissions.max_ttl", Value: "2d"}, {Name: "permissions.default_ttl", Value: "1d"}},
		},
		"a certificate without its key": {
			changes: []Change{{Name: "daemon.tls_cert", Value: "/c"}},
			want:    []string{"daemon.tls_cert (", "settings.json:3)", "daemon.tls_key"},
		},
		"a key without its certificate": {
			file:    `{"daemon": {"tls_cert": "/c", "tls_key": "/k"}}`,
			changes: []Change{{Name: "daemon.tls_cert", Reset: true}},
			want:    []string{"daemon.tls_key (", "daemon.tls_cert"},
		},
		"a certificate and its key": {
			changes: []Change{{Name: "daemon.tls_cert", Value: "/c"}, {Name: "daemon.tls_key", Value: "/k"}},
		},
		"a port for everybody": {
			changes: []Change{{Name: "daemon.listen_tcp", Value: "0.0.0.0:1"}},
			want:    []string{"daemon.listen_tcp (", "settings.json:3)", "daemon.tls_cert"},
		},
		"mended": {
			file:    `{"permissions": {"max_ttl": "2d"}}`,
			changes: []Change{{Name: "permissions.max_ttl", Value: "10d"}},
		},
		"contradicted before, and not by this": {
			file:    `{"permissions": {"max_ttl": "2d"}}`,
			changes: []Change{{Name: "agent.silence", Value: "5m"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			content := map[string]string{}
			if c.file != "" {
				content[SettingsFile] = c.file
			}
			e, dir := at(t, c.env, content)
			path := filepath.Join(dir, SettingsFile)
			_, err := Edit{Path: path, Source: FromUser, Changes: c.changes, Agrees: Agrees(c.flags, e)}.Do()
			if len(c.want) == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil {
				t.Fatal("it was taken")
			}
			for _, words := range c.want {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("no %q in: %v", words, err)
				}
			}
			if raw, _ := os.ReadFile(path); string(raw) != c.file {
				t.Errorf("the file says %s", raw)
			}
		})
	}
}

// Contradictions of files are reported with their lines.
func TestFilesThatContradict(t *testing.T) {
	e, _ := at(t, nil, map[string]string{
		SettingsFile: "{\"permissions\": {\n\"default_ttl\": \"20d\"}}",
		TOMLFile:     "[permissions]\n\nmax_ttl = \"10d\"\n",
	})
	err := Contradictions(nil, e)
	if err == nil || !strings.Contains(err.Error(), "settings.json:2): 20d is more than permissions.max_ttl, which is 10d (") || !strings.Contains(err.Error(), "daemon.toml:3)") {
		t.Errorf("%v", err)
	}
	if _, loading := Load(nil, e); loading == nil || loading.Error() != err.Error() {
		t.Errorf("a daemon reports %v", loading)
	}
	if e, _ = at(t, nil, nil); Contradictions(nil, e) != nil {
		t.Error(Contradictions(nil, e))
	}
}

// A change is refused if the file has changed since its author read it.
func TestEditOfARevision(t *testing.T) {
	path := filepath.Join(t.TempDir(), SettingsFile)
	do := func(revision, value string) (string, error) {
		return Edit{Path: path, Source: FromUser, Revision: revision, Changes: []Change{{Name: "agent.silence", Value: value}}}.Do()
	}
	none, err := Revision(path)
	if err != nil {
		t.Fatal(err)
	}
	first, err := do(none, "1m")
	if err != nil {
		t.Fatal(err)
	}
	if now, err := Revision(path); err != nil || now != first || first == none {
		t.Errorf("%s, %s, then %s, %v", none, first, now, err)
	}
	if _, err := do(none, "2m"); !errors.Is(err, ErrChanged) {
		t.Errorf("for a file that was not there: %v", err)
	}
	second, err := do(first, "3m")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := do(first, "4m"); !errors.Is(err, ErrChanged) {
		t.Errorf("for the file before: %v", err)
	}
	if now, _ := Revision(path); now != second {
		t.Error("what was refused has changed the file")
	}
	if _, err := do("", "5m"); err != nil {
		t.Errorf("for any: %v", err)
	}
}
