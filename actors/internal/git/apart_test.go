package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// between returns a Git whose settings of the repository change between the look at them and the next command: the
// repository's agent may write them at any time.
func (f *fixture) between(settings string) *Git {
	f.Helper()
	genuine, err := exec.LookPath("git")
	if err != nil {
		f.Fatal(err)
	}
	before := filepath.Join(f.home, "before")
	content, err := os.ReadFile(filepath.Join(f.repo.Common, "config"))
	if err != nil {
		f.Fatal(err)
	}
	f.write(before, string(content))
	f.write(filepath.Join(f.home, "after"), string(content)+settings)
	f.write(filepath.Join(f.home, "git"), `#!/bin/sh
config="`+f.repo.Common+`/config"
case " $* " in
*" --list "*) cp "`+before+`" "$config"; "`+genuine+`" "$@"; code=$?; cp "`+filepath.Join(f.home, "after")+`" "$config"; exit $code;;
esac
exec "`+genuine+`" "$@"
`)
	return New(filepath.Join(f.home, "git"), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.home})
}

// A filter that an agent writes into the settings after the daemon has looked at them does not run.
func TestSettingsThatChangeMeanwhile(t *testing.T) {
	f := newFixture(t)
	path, err := f.add("other")
	if err != nil {
		t.Fatal(err)
	}
	ran := filepath.Join(f.home, "ran")
	program := filepath.Join(f.home, "program")
	f.write(program, "#!/bin/sh\necho \"$*\" >>"+ran+"\ncat\n")
	f.write(filepath.Join(f.repo.Common, "info/attributes"), "* filter=late\n")
	late := "[filter \"late\"]\n\tclean = " + program + " clean\n\tsmudge = " + program + " smudge\n\trequired = true\n"
	f.git = f.between(late)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(path, "README"), later, later); err != nil {
		t.Fatal(err) // git has to read the file
	}
	if s, err := f.git.Status(t.Context(), path); err != nil || s.Dirty() {
		t.Errorf("%+v, %v", s, err)
	}
	lock := f.lock()
	if err := f.git.CreateBranch(t.Context(), lock, f.repo.Common, "third", f.head()); err != nil {
		t.Fatal(err)
	}
	third := filepath.Join(filepath.Dir(f.main), "third")
	if err := f.git.Add(t.Context(), lock, f.repo.Common, third, "third"); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(filepath.Join(third, "README")); err != nil || string(content) != "read me\n" {
		t.Errorf("%q, %v", content, err)
	}
	if text, err := os.ReadFile(ran); err == nil {
		t.Errorf("it ran:\n%s", text)
	}
}

// Settings that determine how files are compared are still effective.
func TestSettingsThatAreKept(t *testing.T) {
	f := newFixture(t)
	f.run(f.main, "config", "core.fileMode", "false")
	f.run(f.main, "config", "remote.a \"b\\.url", "https://example.org/x \"y\"\\z")
	f.write(filepath.Join(f.repo.Common, "info/exclude"), "hidden\n")
	path, err := f.add("other")
	if err != nil {
		t.Fatal(err)
	}
	f.write(filepath.Join(path, "hidden"), "x")
	if err := os.Chmod(filepath.Join(path, "README"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := f.git.Status(t.Context(), path); err != nil || s.Dirty() {
		t.Errorf("%+v, %v", s, err)
	}
	o, err := f.git.ownSettings(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(f.home, "config")
	f.write(file, o.config())
	if got := f.run(f.home, "config", "--file", file, "remote.a \"b\\.url"); got != "https://example.org/x \"y\"\\z" {
		t.Errorf("%q", got)
	}
}

// Where an agent has put a link in the place of git's directory of worktrees, nothing is removed behind it.
func TestUndoFollowsNoLink(t *testing.T) {
	f := newFixture(t)
	began := time.Now()
	f.write(filepath.Join(f.home, "letters", "file"), "x") // looks like a directory about a working tree that names none
	tree := filepath.Join(filepath.Dir(f.main), "other")
	f.write(filepath.Join(f.home, "pictures", "gitdir"), filepath.Join(tree, ".git")) // looks like the directory of the tree
	if err := os.Symlink(f.home, filepath.Join(f.repo.Common, "worktrees")); err != nil {
		t.Fatal(err)
	}
	lock := f.lock()
	f.run(f.main, "branch", "other")
	if f.git.Add(t.Context(), lock, f.repo.Common, tree, "other") == nil {
		t.Error("added")
	}
	if Forget(f.repo.Common, tree) == nil {
		t.Error("forgotten")
	}
	err := f.git.Undo(t.Context(), lock, Leftover{Common: f.repo.Common, Path: tree, Branch: "other", Commit: f.head(), Made: "1:1", Began: began})
	if err == nil {
		t.Error("no error")
	}
	for _, name := range []string{"letters/file", "pictures/gitdir"} {
		if _, err := os.Stat(filepath.Join(f.home, name)); err != nil {
			t.Error(err)
		}
	}
}
