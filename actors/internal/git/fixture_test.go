package git

import (
	"os"
	"path/filepath"
	"testing"

	"betcode/actors/internal/git/gittest"
)

// fixture is a repository in a temporary directory, and a Git whose home directory is temporary too.
type fixture struct {
	*testing.T
	git  *Git
	home string
	main string // the working tree
	repo Repository
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := gittest.Directory(t)
	f := &fixture{T: t, home: filepath.Join(dir, "home"), main: filepath.Join(dir, "project")}
	gittest.Configure(t, f.home)
	f.git = New("git", []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.home, "ANTHROPIC_API_KEY=secret", "GIT_DIR=/nowhere"})
	f.write(filepath.Join(f.main, "a/file.txt"), "one\n")
	f.write(filepath.Join(f.main, "README"), "read me\n")
	gittest.Commit(t, f.home, f.main)
	repo, err := f.git.Repository(t.Context(), filepath.Join(f.main, "a"))
	if err != nil {
		t.Fatal(err)
	}
	f.repo = repo
	return f
}

func (f *fixture) write(path, content string) {
	f.Helper()
	gittest.Write(f, path, content, 0o700)
}

// run calls git as the person would.
func (f *fixture) run(dir string, args ...string) string {
	f.Helper()
	return gittest.Run(f, f.home, dir, args...)
}

func (f *fixture) head() string { return f.run(f.main, "rev-parse", "HEAD") }

func (f *fixture) lock() *Lock {
	f.Helper()
	lock, err := TakeLock(f.Context(), filepath.Join(filepath.Dir(f.main), "lock"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(lock.Release)
	return lock
}

// add makes a working tree as the daemon does.
func (f *fixture) add(name string) (string, error) {
	f.Helper()
	path, lock := filepath.Join(filepath.Dir(f.main), name), f.lock()
	defer lock.Release()
	if err := f.git.CreateBranch(f.Context(), lock, f.repo.Common, name, f.head()); err != nil {
		return "", err
	}
	return path, f.git.Add(f.Context(), lock, f.repo.Common, path, name)
}

func second(_ int, err error) error { return err }
