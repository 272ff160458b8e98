package cli

import (
	"errors"
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
// nothing else. Blanks and quotes in both are parts of names. A link in the place of a file is replaced.
func TestInstall(t *testing.T) {
	root := filepath.Join(t.TempDir(), "it's a stage")
	prefix := "/opt/my tools 50%"
	at := filepath.Join(root, prefix)
	mine := filepath.Join(at, "share", "man", "man1", "mine.1")
	old := filepath.Join(at, "share", "man", "man1", "betcode-of-an-older-version.1")
	if err := os.MkdirAll(filepath.Dir(mine), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{mine, old} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	behind := filepath.Join(t.TempDir(), "behind")
	if err := os.WriteFile(behind, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"bin/betcode", "share/man/man1/betcode.1", "share/bash-completion/completions/betcode", "share/zsh/site-functions/_betcode",
		"share/fish/vendor_completions.d/betcode.fish", "share/pwsh/completions/_betcode.ps1", "share/systemd/user/betcode.service",
	} {
		link := filepath.Join(at, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(behind, link)); err != nil {
			t.Fatal(err)
		}
	}
	run(t, "make", "--no-print-directory", "install", "DESTDIR="+root, "PREFIX="+prefix)
	if content, err := os.ReadFile(behind); string(content) != "old" {
		t.Errorf("a file behind a link was changed: %.80q, %v", content, err)
	}
	installed := files(t, at)
	for _, want := range []string{
		"bin/betcode", "share/man/man1/betcode.1", "share/man/man1/betcode-session.1", "share/man/man7/betcode-exit-codes.7",
		"share/bash-completion/completions/betcode", "share/zsh/site-functions/_betcode", "share/fish/vendor_completions.d/betcode.fish",
		"share/pwsh/completions/_betcode.ps1", "share/systemd/user/betcode.service",
	} {
		if !slices.Contains(installed, want) {
			t.Errorf("%s is not installed", want)
		}
	}
	if slices.Contains(installed, "share/man/man1/betcode-of-an-older-version.1") {
		t.Error("a page of an older version is still there")
	}
	unit, err := os.ReadFile(filepath.Join(at, "share/systemd/user/betcode.service"))
	if err != nil || !strings.Contains(string(unit), `ExecStart="/opt/my tools 50%%/bin/betcode" daemon run`) || strings.Contains(string(unit), root) {
		t.Errorf("unit: %v\n%s", err, unit)
	}
	if out := run(t, filepath.Join(at, "bin/betcode"), "--version"); !strings.HasPrefix(out, "betcode version ") {
		t.Errorf("version: %s", out)
	}
	t.Run("man", func(t *testing.T) { pagesAreRead(t, filepath.Join(at, "share", "man")) })
	run(t, "make", "--no-print-directory", "uninstall", "DESTDIR="+root, "PREFIX="+prefix)
	if left := files(t, root); !slices.Equal(left, []string{filepath.Join(prefix, "share/man/man1/mine.1")[1:]}) {
		t.Errorf("left over: %q", left)
	}
	run(t, "make", "--no-print-directory", "uninstall", "DESTDIR="+root, "PREFIX="+prefix) // there is nothing left to remove
}

// A program that systemd would refuse is installed without a unit. A function of make in a name is not called.
func TestInstallWithoutUnit(t *testing.T) {
	root, name := t.TempDir(), "opt/it's $(error called)"
	said := run(t, "make", "--no-print-directory", "install", "DESTDIR="+root, "PREFIX=/"+name)
	if installed := files(t, root); slices.Contains(installed, name+"/share/systemd/user/betcode.service") || !slices.Contains(installed, name+"/bin/betcode") {
		t.Errorf("installed: %q", installed)
	}
	if !strings.Contains(said, "systemd starts no program") {
		t.Error(said)
	}
	run(t, "make", "--no-print-directory", "uninstall", "DESTDIR="+root, "PREFIX=/"+name)
	if left := files(t, root); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// pagesAreRead: man shows each page without a warning, and apropos finds the line about it.
func pagesAreRead(t *testing.T, directory string) {
	for _, program := range []string{"man", "lexgrog"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s here", program)
		}
	}
	t.Setenv("MANROFFSEQ", "")
	t.Setenv("LC_ALL", "C.UTF-8")
	for _, page := range files(t, directory) {
		if filepath.Base(page) == "mine.1" {
			continue
		}
		path := filepath.Join(directory, page)
		out := run(t, "man", "--warnings=w", "-P", "cat", "-l", path)
		if !strings.HasPrefix(out, "BETCODE") || strings.Contains(out, "warning:") {
			t.Errorf("%s:\n%.400s", page, out)
		}
		name, _, _ := strings.Cut(filepath.Base(page), ".")
		if line := run(t, "lexgrog", path); !strings.Contains(line, `"`+name+" - ") {
			t.Errorf("%s: apropos does not find it: %s", page, line)
		}
	}
}

// run runs a program in the repository and returns its output.
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
