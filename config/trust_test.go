package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/config/trust"
)

func TestWriteLedger(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "config")
	for range 2 { // the second replaces the first
		if err := WriteLedger(dir, trust.Ledger{Directories: []string{"/a"}}); err != nil {
			t.Fatal(err)
		}
	}
	if l, err := trust.Read(dir); err != nil || len(l.List()) != 1 {
		t.Errorf("%v, %v", l, err)
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
