package agentprogram

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// A script of the npm package is not run for its version.
func TestPackaged(t *testing.T) {
	dir := t.TempDir()
	manifest := filepath.Join(dir, "package.json")
	script := write(t, filepath.Join(dir, "cli.js"), "")
	if got := packaged(script); got != "" {
		t.Errorf("without a manifest: %q", got)
	}
	write(t, manifest, `{"name": "another", "version": "1.2.3"}`)
	if got := packaged(script); got != "" {
		t.Errorf("another package: %q", got)
	}
	write(t, manifest, `{"name": "@anthropic-ai/claude-code", "version": "2.0.77"}`)
	if got, err := Version(t.Context(), script, nil); got != "2.0.77" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if got := packaged(filepath.Join(dir, "claude")); got != "" {
		t.Errorf("another program: %q", got)
	}
}

func TestFindAndAsk(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program of this test is a shell script")
	}
	dir := t.TempDir()
	if _, err := Find(filepath.Join(dir, "claude")); err == nil || errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a path without a file: %v", err)
	}
	t.Setenv("PATH", dir)
	if _, err := Find("claude"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a name that is not in PATH: %v", err)
	}
	program := write(t, filepath.Join(dir, "real"), "#!/bin/sh\necho \"$SAYS (Claude Code)\"\n")
	if err := os.Symlink(program, filepath.Join(dir, "claude")); err != nil {
		t.Fatal(err)
	}
	found, err := Find("claude")
	if err != nil || filepath.Base(found.Path) != "real" || found.Size == 0 {
		t.Fatalf("found %+v, %v", found, err)
	}
	if got, err := Version(t.Context(), found.Path, []string{"SAYS=2.1.330"}); got != "2.1.330" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	write(t, program, "#!/bin/sh\nexit 3\n")
	if got, err := Version(t.Context(), found.Path, nil); err == nil {
		t.Errorf("a program that fails has version %q", got)
	}
}
