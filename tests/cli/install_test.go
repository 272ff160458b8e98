package cli

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"betcode/tests/kit"
)

// TestInstall: what 'make install' puts below DESTDIR and PREFIX is whole, and 'make uninstall' removes all of it and
// nothing else.
func TestInstall(t *testing.T) {
	root := t.TempDir()
	mine := filepath.Join(root, "opt", "share", "man", "man1", "mine.1")
	if err := os.MkdirAll(filepath.Dir(mine), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "make", "--no-print-directory", "install", "DESTDIR="+root, "PREFIX=/opt")
	installed := files(t, root)
	for _, want := range []string{
		"opt/bin/betcode", "opt/share/man/man1/betcode.1", "opt/share/man/man1/betcode-session.1", "opt/share/man/man7/betcode-exit-codes.7",
		"opt/share/bash-completion/completions/betcode", "opt/share/zsh/site-functions/_betcode", "opt/share/fish/vendor_completions.d/betcode.fish",
		"opt/share/systemd/user/betcode.service",
	} {
		if !slices.Contains(installed, want) {
			t.Errorf("%s is not installed", want)
		}
	}
	unit, err := os.ReadFile(filepath.Join(root, "opt/share/systemd/user/betcode.service"))
	if err != nil || !strings.Contains(string(unit), "ExecStart=/opt/bin/betcode daemon run") || strings.Contains(string(unit), root) {
		t.Errorf("unit: %v\n%s", err, unit)
	}
	if out := run(t, filepath.Join(root, "opt/bin/betcode"), "--version"); !strings.HasPrefix(out, "betcode version ") {
		t.Errorf("version: %s", out)
	}
	run(t, "make", "--no-print-directory", "uninstall", "DESTDIR="+root, "PREFIX=/opt")
	if left := files(t, root); !slices.Equal(left, []string{"opt/share/man/man1/mine.1"}) {
		t.Errorf("left over: %q", left)
	}
}

// run runs a program in the repository and returns what it prints.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = kit.Repository()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// files lists the files below a directory.
func files(t *testing.T, root string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		at, err := filepath.Rel(root, path)
		all = append(all, at)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
