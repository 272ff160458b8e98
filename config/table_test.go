package config

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write docs/settings.md")

// TestTable checks that the default, the bounds and the field of every row fit its kind, and that
// no two rows share a name.
func TestTable(t *testing.T) {
	taken := map[string]string{}
	for _, s := range Table() {
		for _, name := range append([]string{s.Name, "$" + s.Env, "--" + s.Flag}, s.Aliases...) {
			if name != "$" && name != "--" && taken[name] != "" {
				t.Errorf("%s: %s is taken by %s", s.Name, name, taken[name])
			}
			taken[name] = s.Name
		}
		if s.Help == "" || s.field == nil || strings.HasSuffix(s.Help, ".") {
			t.Errorf("%s is not complete", s.Name)
		}
		if s.Default == "" && s.Unset == "" {
			t.Errorf("%s: neither a default nor a text for the unset case", s.Name)
		}
		if s.Default != "" {
			v, err := s.parse(s.Default)
			if err != nil || s.format(v) != s.Default {
				t.Errorf("%s: %q is read as %q, %v", s.Name, s.Default, s.format(v), err)
			}
		}
		for _, bound := range []string{s.Min, s.Max} {
			list := s.Kind == Durations
			if bound != "" {
				if v, ok := s.read(bound); !ok || (!list && s.format(v) != bound && bound != "1B") {
					t.Errorf("%s: %q is no bound", s.Name, bound)
				}
			}
		}
		var d Daemon
		field := reflect.TypeOf(s.field(&d)).Elem()
		examples := map[Kind]any{
			Text: "x", Path: "/x", Number: int64(7), Switch: true, Duration: time.Hour, Size: int64(7),
			Durations: []time.Duration{time.Hour}, Command: []string{"x"}, Names: []string{"X"}, Paths: []string{"/x"}, Shell: []string{"x"}, Money: int64(7),
		}
		assign(s.field(&d), examples[s.Kind])
		if reflect.ValueOf(s.field(&d)).Elem().IsZero() {
			t.Errorf("%s does not reach its %s", s.Name, field)
		}
	}
}

func TestFindSaysWhatToDo(t *testing.T) {
	if _, err := Find("disk.lowest"); err == nil || !strings.Contains(err.Error(), "betcode config show") {
		t.Errorf("%v", err)
	}
	if s, err := Find("model"); err != nil || s.Name != "sessions.default_model" {
		t.Errorf("%v, %v", s, err)
	}
}

// A formatted value parses to the same value, on a command line and in a file.
func TestValuesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(Table()).Draw(t, "setting")
		text := rapid.OneOf(
			rapid.SampledFrom([]string{"off", "true", "0", "1", "7", "90s", "1h", "36h", "7d", "1h,24h", "512MiB", "3 GB", "0.25", "$5", "x", `["a","b c",""]`, "auto", "WARN"}),
			rapid.StringMatching(`[0-9]{1,4}(s|m|h|d|MiB|KB)?`),
		).Draw(t, "text")
		v, err := s.parse(text)
		if err != nil {
			if !strings.Contains(err.Error(), "is not "+s.Wants()) {
				t.Fatalf("%s: %v", s.Name, err)
			}
			return
		}
		again, err := s.parse(s.format(v))
		if err != nil || !reflect.DeepEqual(again, v) {
			t.Fatalf("%s: %q is %v, then %v, %v", s.Name, text, v, again, err)
		}
		raw, err := changed([]byte("{}"), FromUser, []Change{{Name: s.Name, Value: text}})
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		file := &File{Path: SettingsFile, Source: FromUser, Features: map[string]Feature{}, values: map[string]entry{}}
		if err := file.parse(raw); err != nil || !reflect.DeepEqual(file.values[s.Name].value, v) {
			t.Fatalf("%s: %v became %s, then %v, %v", s.Name, v, raw, file.values[s.Name].value, err)
		}
	})
}

// TestSettingsPage checks docs/settings.md, which is generated from the table; -update writes it.
func TestSettingsPage(t *testing.T) {
	const path = "../docs/settings.md"
	page := settingsPage()
	if *update {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil { //nolint:gosec // a page for everybody
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != page {
		t.Errorf("docs/settings.md is not what the table says (%v): go test ./config -run TestSettingsPage -update", err)
	}
}

func settingsPage() string {
	var b strings.Builder
	b.WriteString(`# Settings

This page is made from the table in ` + "`config/table.go`" + `; ` + "`betcode config show --origins`" + ` prints the
present values and their origins.

A value is taken from the first of these that has one:

1. a flag of the command line that started the daemon
2. an environment variable
3. ` + "`.claude/settings.local.json`" + ` of the directory a session works in, if you trust the directory
4. ` + "`.claude/settings.json`" + ` of that directory, if you trust it
5. ` + "`settings.json`" + ` in the configuration directory
6. ` + "`daemon.toml`" + ` beside it
7. the default

Files of a directory set only what the last column names, and only for sessions there. Their
permission rules are described in [security.md](security.md). The configuration directory is
` + "`$BETCODE_CONFIG_DIR`" + `, else ` + "`$XDG_CONFIG_HOME/betcode`" + ` (` + "`~/.config/betcode`" + `), on macOS
` + "`~/Library/Application Support/betcode`" + `, on Windows ` + "`%USERPROFILE%\\.betcode`" + `.

The daemon warns about an unknown setting, with its line, and ignores it. A wrong value keeps a
daemon from starting, with its line. A running daemon notices a change of the files (and SIGHUP).
Settings marked *at once* take effect then, the others with the next start. A wrong file changes
nothing on a running daemon, and ` + "`betcode daemon status`" + ` reports it.

Times are written ` + "`90s`, `36h`, `7d`" + `, sizes ` + "`512MiB`" + `. In a file, ` + "`disk.low`" + ` is
` + "`{\"disk\": {\"low\": \"512MiB\"}}`" + `, or ` + "`low = \"512MiB\"`" + ` below ` + "`[disk]`" + `. The API does not show the
arguments of ` + "`notify.exec`" + ` and the paths of URLs of notifications: they may be secret.

| setting | what | default | may be | variable | flag | counts | a directory |
|---|---|---|---|---|---|---|---|
`)
	for _, s := range Table() {
		value := s.Unset
		if s.Default != "" {
			value = code(s.Default)
		}
		wants, _, _ := strings.Cut(s.Wants(), ", for example")
		if s.Unit != "" {
			wants = strings.Replace(wants, "a whole number", s.Unit, 1)
		}
		if s.Off {
			wants += ", or off"
		}
		flagged, counts, directory := "", "at the start", ""
		if s.Flag != "" {
			flagged = code("--" + s.Flag)
		}
		if s.Live {
			counts = "at once"
		}
		if s.Directory {
			directory = "yes"
			for _, alias := range s.Aliases {
				directory = "yes, as " + code(alias)
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", code(s.Name), s.Help, value, wants, code(s.Env), flagged, counts, directory)
	}
	return b.String()
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}
