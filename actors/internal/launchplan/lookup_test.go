package launchplan

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The error has the places that were searched for the program, and keeps its cause.
func TestLookUp(t *testing.T) {
	dir := t.TempDir()
	there, plain := filepath.Join(dir, "there"), filepath.Join(dir, "plain")
	for path, mode := range map[string]fs.FileMode{there: 0o700, plain: 0o600} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", strings.Join([]string{dir, "", "/nowhere", dir}, string(os.PathListSeparator)))
	for program, c := range map[string]struct {
		want  string
		cause error
	}{
		"there":       {there, nil},
		there:         {there, nil},
		"claude":      {"it is in no directory of the daemon's PATH: " + dir + ", /nowhere", exec.ErrNotFound},
		"/nowhere/it": {"agent.path names it: no such file or directory", fs.ErrNotExist},
		plain:         {"agent.path names it: permission denied", fs.ErrPermission},
	} {
		got, err := lookUp(program)
		if err != nil {
			got = err.Error()
		}
		if got != c.want || !errors.Is(err, c.cause) {
			t.Errorf("%s: %s (%v)", program, got, err)
		}
	}
	if got := lookedFor("claude", ""); got != "the daemon's PATH is empty" {
		t.Error(got)
	}
	long := strings.Repeat("x"+string(os.PathListSeparator), 3)
	for i := range 30 {
		long += string(rune('a'+i)) + string(os.PathListSeparator)
	}
	if got := lookedFor("claude", long); !strings.HasSuffix(got, " and 10 more") {
		t.Error(got)
	}
}
