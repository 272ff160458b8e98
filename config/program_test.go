package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestCheckProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("executables are named otherwise on Windows")
	}
	dir := t.TempDir()
	write := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("PATH", dir)
	program := write("notify", 0o700)
	for name, test := range map[string]struct {
		text, wrong string
	}{
		"whole path":     {program, ""},
		"in PATH":        {"notify", ""},
		"with arguments": {`["notify","a b"]`, ""},
		"missing":        {filepath.Join(dir, "no"), "no such file"},
		"not in PATH":    {"nobody", "not found"},
		"not executable": {write("plain", 0o600), "permission denied"},
		"directory":      {dir, "is a directory"},
		"relative":       {"./notify", "write the absolute path"},
	} {
		err := ProgramOf("notify.exec", test.text)
		if (err == nil) != (test.wrong == "") || err != nil && !strings.Contains(err.Error(), test.wrong) {
			t.Errorf("%s: %v, want %q", name, err, test.wrong)
		}
	}
	if err := ProgramOf("disk.low", "nobody"); err != nil {
		t.Errorf("no program: %v", err)
	}
}
