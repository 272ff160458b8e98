package pythonenv

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// fakePython puts a python3 into PATH that runs a shell script.
func fakePython(t *testing.T, body string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "python3"), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
}

// makesEnvironment returns a python3 script whose environments have a python that runs body on
// install.
func makesEnvironment(body string) string {
	return `if [ "$1" = -m ]; then mkdir -p "$3/bin"; printf '#!/bin/sh\n` + body + `\n' >"$3/bin/python"; chmod +x "$3/bin/python"; else echo one; fi`
}

func requirements(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "requirements.txt")
	if err := os.WriteFile(path, []byte("grpcio==1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEnsure(t *testing.T) {
	for _, test := range []struct {
		name, python        string
		made, isUnavailable bool
	}{
		{"installs", makesEnvironment("exit 0"), true, false},
		{"python does not run", "exit 1", false, true},
		{"no venv", `[ "$1" != -m ]`, false, true},
		{"no registry", makesEnvironment("echo Could not find a version; exit 1"), false, true},
		{"other content", makesEnvironment("echo THESE PACKAGES DO NOT MATCH THE HASHES; exit 1"), false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			fakePython(t, test.python)
			cache, wanted := t.TempDir(), requirements(t)
			python, err := Ensure(t.Context(), cache, wanted)
			if (err == nil) != test.made || errors.Is(err, ErrUnavailable) != test.isUnavailable {
				t.Fatalf("%q, %v", python, err)
			}
			if partial, _ := filepath.Glob(filepath.Join(cache, "partial-*")); len(partial) > 0 {
				t.Errorf("left over: %v", partial)
			}
			if again, err := Ensure(t.Context(), cache, wanted); test.made && (again != python || err != nil) {
				t.Errorf("the second time: %q, %v", again, err)
			}
		})
	}
}

func TestEnsureWithoutPython(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Ensure(t.Context(), t.TempDir(), requirements(t)); !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
}
