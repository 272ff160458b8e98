// Package gittest has helpers for tests with a repository: a home directory, files, and git as a person runs it.
//
// It is for tests only. It does not read the user's own configuration.
package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Directory returns a temporary directory without symbolic links in its path, as git names it.
func Directory(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Configure makes a home directory with a name for commits, and main as the first branch.
func Configure(t testing.TB, home string) {
	t.Helper()
	Write(t, filepath.Join(home, ".gitconfig"), "[user]\n\tname = Tester\n\temail = tester@example.org\n[init]\n\tdefaultBranch = main\n", 0o600)
}

// Write writes a file, and makes its directory.
func Write(t testing.TB, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// Run runs git in a directory with HOME set to home, and returns its output.
func Run(t testing.TB, home, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Commit makes a repository of a directory and commits all files in it.
func Commit(t testing.TB, home, dir string) {
	t.Helper()
	Run(t, home, dir, "init", "-q")
	Run(t, home, dir, "add", ".")
	Run(t, home, dir, "commit", "-q", "-m", "first")
}
