package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"betcode/messages"
)

func TestRepository(t *testing.T) {
	f := newFixture(t)
	if f.repo.Main != f.main || f.repo.Common != filepath.Join(f.main, ".git") {
		t.Errorf("%+v", f.repo)
	}
	path, err := f.add("other")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := f.git.Repository(t.Context(), path); err != nil || again != f.repo {
		t.Errorf("from the other tree: %+v, %v", again, err)
	}
	if _, err := f.git.Repository(t.Context(), f.home); messages.KindOf(err) != messages.Invalid {
		t.Errorf("no repository: %v", err)
	}
	trees, err := f.git.Trees(t.Context(), f.repo.Common)
	if err != nil || len(trees) != 2 || trees[1].Path != path || trees[1].Branch != "other" || trees[1].Commit != f.head() {
		t.Errorf("%+v, %v", trees, err)
	}
	if _, err := f.git.Repository(t.Context(), filepath.Join(f.home, "none")); messages.KindOf(err) != messages.Invalid {
		t.Errorf("no directory: %v", err)
	}
	bare := filepath.Join(filepath.Dir(f.main), "bare.git")
	f.run(f.main, "clone", "-q", "--bare", f.main, bare)
	if r, err := f.git.Repository(t.Context(), bare); err != nil || r.Main != bare || r.Common != bare {
		t.Errorf("bare: %+v, %v", r, err)
	}
}

func TestCommitAndBranch(t *testing.T) {
	f := newFixture(t)
	for revision, want := range map[string]bool{"HEAD": true, "main": true, "nothing": false, "--all": false, "-x": false, "": false, f.head()[:10]: true, "main:README": false} {
		got, ok, err := f.git.Commit(t.Context(), f.main, revision)
		if err != nil || ok != want || ok && got != f.head() {
			t.Errorf("%q: %q, %v, %v", revision, got, ok, err)
		}
	}
	if _, ok, err := f.git.Branch(t.Context(), f.repo.Common, "HEAD"); ok || err != nil {
		t.Errorf("HEAD is no branch: %v, %v", ok, err)
	}
	if size, err := f.git.TreeBytes(t.Context(), f.repo.Common, f.head()); err != nil || size != 2*block {
		t.Errorf("%d bytes, %v", size, err)
	}
}

func TestStatus(t *testing.T) {
	f := newFixture(t)
	path, err := f.add("other")
	if err != nil {
		t.Fatal(err)
	}
	look := func() Status {
		t.Helper()
		s, err := f.git.Status(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := look(); s.Dirty() || s.Unpushed != 0 || s.Branch != "other" || s.Commit != f.head() || s.Upstream != "" {
		t.Errorf("new: %+v", s)
	}
	f.write(filepath.Join(path, "new"), "x")
	f.write(filepath.Join(path, "README"), "changed")
	if err := os.Remove(filepath.Join(path, "a/file.txt")); err != nil {
		t.Fatal(err)
	}
	if s := look(); s.Changed != 2 || s.Deleted != 1 || s.Foreign != 1 {
		t.Errorf("changed: %+v", s)
	}
	f.run(path, "add", "-A")
	f.run(path, "commit", "-q", "-m", "second")
	if s := look(); s.Dirty() || s.Unpushed != 1 {
		t.Errorf("committed: %+v", s)
	}
	f.run(f.main, "branch", "keeper", "other")
	if s := look(); s.Unpushed != 0 {
		t.Errorf("another branch has it: %+v", s)
	}
	f.run(f.main, "branch", "-q", "-D", "keeper")
	remote := filepath.Join(filepath.Dir(f.main), "remote.git")
	f.run(f.main, "clone", "-q", "--bare", f.main, remote)
	f.run(f.main, "remote", "add", "origin", remote)
	f.run(path, "push", "-q", "-u", "origin", "other")
	f.run(path, "commit", "-q", "--allow-empty", "-m", "third")
	if s := look(); s.Ahead != 1 || s.Behind != 0 || s.Upstream != "origin/other" || s.Unpushed != 1 {
		t.Errorf("one ahead: %+v", s)
	}
	f.run(path, "reset", "-q", "--hard", "HEAD~2")
	if s := look(); s.Ahead != 0 || s.Behind != 1 || s.Unpushed != 0 {
		t.Errorf("one behind: %+v", s)
	}
}

// Programs that the repository names are not run: not when a tree is made, looked at, or removed.
func TestForeignProgramsDoNotRun(t *testing.T) {
	f := newFixture(t)
	ran := filepath.Join(f.home, "ran")
	program := filepath.Join(f.home, "program")
	f.write(program, "#!/bin/sh\necho \"$0 $*\" >>"+ran+"\ncat\n")
	for _, hook := range []string{"post-checkout", "post-index-change", "reference-transaction", "pre-commit"} {
		f.write(filepath.Join(f.main, ".git/hooks", hook), "#!/bin/sh\necho hook >>"+ran+"\n")
	}
	f.run(f.main, "config", "core.fsmonitor", program)
	f.run(f.main, "config", "core.pager", program)
	path, err := f.add("other")
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"clean", "smudge"} {
		f.run(f.main, "config", "filter.bad name."+verb, program)
	}
	f.run(f.main, "config", "filter.bad name.required", "true")
	f.run(f.main, "config", "diff.bad.textconv", program)
	f.write(filepath.Join(path, ".gitattributes"), "* filter=bad\\ name diff=bad\n")
	f.write(filepath.Join(f.main, ".git/info/attributes"), "* filter=\"bad name\" diff=bad\n")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(path, "README"), later, later); err != nil {
		t.Fatal(err) // git has to read the file
	}
	if _, err := f.git.Status(t.Context(), path); err != nil {
		t.Error(err)
	}
	if what, err := f.git.Programs(t.Context(), f.main); err != nil || what != `filter "bad name"` {
		t.Errorf("%q, %v", what, err)
	}
	if err := f.git.Remove(t.Context(), f.lock(), f.repo.Common, path); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(ran); err == nil {
		t.Errorf("it ran:\n%s", text)
	}
}

func TestPrograms(t *testing.T) {
	f := newFixture(t)
	look := func() string {
		t.Helper()
		what, err := f.git.Programs(t.Context(), f.main)
		if err != nil {
			t.Fatal(err)
		}
		return what
	}
	f.write(filepath.Join(f.home, ".gitconfig"), "[filter \"mine\"]\nclean = tidy\n[user]\nname=T\nemail=t@example.org\n")
	f.run(f.main, "config", "filter.lfs.smudge", lfs[1])
	if what := look(); what != "" {
		t.Errorf("the user's own and git lfs: %s", what)
	}
	f.run(f.main, "config", "lfs.customtransfer.x.path", "/bin/x")
	if o, err := f.git.ownSettings(t.Context(), f.main); err != nil || !o.lfs {
		t.Errorf("%+v, %v", o, err)
	}
	f.write(filepath.Join(f.main, ".git/more"), "[filter \"x\"]\nprocess = run\n")
	f.run(f.main, "config", "include.path", "more")
	if what := look(); what != `filter "x"` {
		t.Errorf("included: %q", what)
	}
	f.run(f.main, "config", "--unset", "include.path")
	f.run(f.main, "config", "hook.x.command", "run")
	if what := look(); what != `"hook.x.command"` {
		t.Errorf("a hook of the settings: %q", what)
	}
	f.run(f.main, "config", "--unset", "hook.x.command")
	f.run(f.main, "config", "includeIf.onbranch:x.path", "more")
	if what := look(); !strings.Contains(strings.ToLower(what), "includeif") {
		t.Errorf("a condition: %q", what)
	}
}

func TestEnvironment(t *testing.T) {
	env := strings.Join(environment([]string{"PATH=/bin", "HOME=/h", "ANTHROPIC_API_KEY=s", "GIT_DIR=/x", "GIT_CONFIG_COUNT=9", "LD_PRELOAD=/x"}), "\n")
	for _, bad := range []string{"ANTHROPIC", "GIT_DIR", "GIT_CONFIG_COUNT", "LD_PRELOAD"} {
		if strings.Contains(env, bad) {
			t.Errorf("%s is handed on", bad)
		}
	}
	if !strings.Contains(env, "PATH=/bin\nHOME=/h\nLC_ALL=C") {
		t.Error(env)
	}
}

func TestFailures(t *testing.T) {
	f := newFixture(t)
	var failed *ExitError
	if _, err := f.add("main"); !errors.As(err, &failed) || failed.Command != "update-ref" || failed.Text == "" {
		t.Errorf("a branch that is there: %v", err)
	}
	err := f.git.Add(t.Context(), f.lock(), f.repo.Common, filepath.Join(f.home, "x"), "main")
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "already") {
		t.Errorf("a branch that is checked out: %v", err)
	}
	if _, err := New("/nowhere/git", nil).Trees(t.Context(), f.repo.Common); messages.KindOf(err) != messages.Unavailable {
		t.Errorf("no git: %v", err)
	}
	if _, err := f.git.Trees(t.Context(), filepath.Join(f.home, "gone")); err == nil || messages.KindOf(err) == messages.Unavailable {
		t.Errorf("no directory: %v", err)
	}
	for text, want := range map[string]bool{"git version 2.36.0\n": true, "git version 2.39.5 (Apple Git-154)": true, "git version 3.0": true, "git version 2.35.9": false, "git version 1.99": false, "": false} {
		if recent(text) != want {
			t.Errorf("%q", text)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.git.Trees(ctx, f.repo.Common); messages.KindOf(err) != messages.Canceled {
		t.Errorf("canceled: %v", err)
	}
	if b := (&bounded{limit: 3}); second(b.Write([]byte("four"))) == nil {
		t.Error("output without bounds")
	}
	b := &bounded{limit: 3, cut: true}
	if err := second(b.Write([]byte("four"))); err != nil || b.String() != "fou" {
		t.Errorf("%q, %v", b, err)
	}
}
