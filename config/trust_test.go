package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTrust(t *testing.T) {
	root, dir := t.TempDir(), filepath.Join(t.TempDir(), "config")
	if err := os.Mkdir(filepath.Join(root, "project"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("project", filepath.Join(root, "alias")); err != nil {
		t.Fatal(err)
	}
	list, err := ReadTrust(dir)
	if err != nil || len(list.Directories) != 0 {
		t.Fatalf("%v, %v", list, err)
	}
	list = list.With(filepath.Join(root, "alias"), true).With(filepath.Join(root, "project"), true)
	if err := list.Write(dir); err != nil {
		t.Fatal(err)
	}
	if list, err = ReadTrust(dir); err != nil || len(list.Directories) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	for name, want := range map[string]bool{
		"project": true, "alias": true, "project/below": true, "alias/../project": true, "projects": false, "": false,
	} {
		if got := list.Covers(filepath.Join(root, name)); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if list = list.With(filepath.Join(root, "alias"), false); len(list.Directories) != 0 {
		t.Errorf("%v", list)
	}
	if err := os.WriteFile(filepath.Join(dir, TrustFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadTrust(dir); err == nil || !strings.Contains(err.Error(), TrustFile) {
		t.Errorf("%v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.*.*")); err != nil || len(left) != 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

func TestDirectoryPermissions(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	if got := ReadDirectoryPermissions(dir, home); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if err := os.Mkdir(filepath.Join(dir, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".claude/settings.json", `{"permissions": {"deny": ["Bash(rm *)"]}}`)
	write(".claude/settings.local.json", `{"permissions": {"allow": [1]}}`)
	write(".mcp.json", `{}`)
	if got := strings.Join(OwnSettings(dir, home), " "); got != ".claude/settings.local.json .claude/settings.json .mcp.json" {
		t.Error(got)
	}
	got := ReadDirectoryPermissions(dir, home)
	if len(got) != 2 || got[0].Err == nil || got[1].Err != nil || len(got[1].Deny) != 1 {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(got[0].Err.Error(), "settings.local.json:1:") {
		t.Error(got[0].Err)
	}
	if got := OwnSettings(dir, dir); len(got) != 0 {
		t.Errorf("in the home directory: %v", got)
	}
}
