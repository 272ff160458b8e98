package nodeclient

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// programs puts a node and an npm into PATH that are shell scripts.
func programs(t *testing.T, node, npm string) {
	t.Helper()
	dir := t.TempDir()
	for name, body := range map[string]string{"node": node, "npm": npm} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
}

func TestEnsure(t *testing.T) {
	for _, test := range []struct {
		name, node, npm     string
		made, isUnavailable bool
	}{
		{"installs", "echo v20", "mkdir node_modules", true, false},
		{"node does not run", "exit 1", "exit 0", false, true},
		{"no registry", "echo v20", "echo ENOTFOUND; exit 1", false, true},
		{"other content", "echo v20", "echo npm error code EINTEGRITY; exit 1", false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			programs(t, test.node, test.npm)
			cache := t.TempDir()
			client, err := Ensure(t.Context(), cache)
			if (err == nil) != test.made || errors.Is(err, ErrUnavailable) != test.isUnavailable {
				t.Fatalf("%v, %v", client, err)
			}
			if partial, _ := filepath.Glob(filepath.Join(cache, "partial-*")); len(partial) > 0 {
				t.Errorf("left over: %v", partial)
			}
			if again, err := Ensure(t.Context(), cache); test.made && (again != client || err != nil) {
				t.Errorf("the second time: %v, %v", again, err)
			}
		})
	}
}

func TestEnsureWithoutNode(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Ensure(t.Context(), t.TempDir()); !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
}

// The lock file pins content and no addresses: npm fetches from the caller's registry.
func TestLockFileNamesNoRegistry(t *testing.T) {
	if bytes.Contains(lockfile, []byte(`"resolved"`)) || bytes.Contains(lockfile, []byte("registry.")) {
		t.Error("package-lock.json names a registry; write it with npm install --package-lock-only --omit-lockfile-registry-resolved")
	}
	packages := bytes.Count(lockfile, []byte(`"node_modules/`))
	if pinned := bytes.Count(lockfile, []byte(`"integrity": "sha512-`)); packages == 0 || pinned != packages {
		t.Errorf("%d of %d packages are pinned by their content", pinned, packages)
	}
}
