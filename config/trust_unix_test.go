//go:build unix

package config

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestNoFileIsNotRead has a named pipe in place of a settings file: reading it does not block.
func TestNoFileIsNotRead(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, ".claude/settings.local.json"), 0o600); err != nil {
		t.Skip("no named pipes here: " + err.Error())
	}
	if got := ReadDirectoryPermissions(dir, home); len(got) != 1 || got[0].Err == nil {
		t.Errorf("%+v", got)
	}
}
