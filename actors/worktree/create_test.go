package worktree

import (
	"path/filepath"
	"strings"
	"testing"

	"betcode/messages"
)

func TestCreate(t *testing.T) {
	f := newFixture(t)
	v := f.create(f.new("feature/auth"))
	path := filepath.Join(f.dir, "project-feature-auth")
	if v.Name != "feature-auth" || v.Path != path || v.Branch != "feature/auth" || v.Repository != f.main || v.State != messages.WorktreeReady || v.ID == "" {
		t.Errorf("%+v", v)
	}
	if !f.exists("project-feature-auth/a/b") || f.run(path, "rev-parse", "--abbrev-ref", "HEAD") != "feature/auth" {
		t.Error("it is not checked out")
	}
	if out := f.run(f.main, "config", "--list", "--local"); strings.Contains(out, "branch.") {
		t.Errorf("the branch follows another:\n%s", out)
	}
	f.run(f.main, "branch", "old")
	v = f.create(messages.CreateWorktree{Directory: f.main, Branch: "old", Name: "named", Path: filepath.Join(f.dir, "place"), Common: f.common, Main: f.main})
	if v.Name != "named" || v.Path != filepath.Join(f.dir, "place") || !f.exists("place/README") {
		t.Errorf("%+v", v)
	}
	f.run(f.main, "commit", "-q", "--allow-empty", "-m", "second")
	based := f.new("based")
	based.Base = "HEAD~1"
	if v = f.create(based); f.run(v.Path, "rev-parse", "HEAD") != f.run(f.main, "rev-parse", "main~1") {
		t.Error("it begins elsewhere")
	}
	if leftovers := f.registry.all(""); len(leftovers) != 3 {
		t.Errorf("%+v", leftovers)
	}
}

// Each refusal has its kind, names what is wrong, and leaves nothing behind.
func TestCreateRefused(t *testing.T) {
	f := newFixture(t)
	f.create(f.new("taken"))
	f.run(f.main, "branch", "dir/name")
	f.write("exists/file", "")
	before := f.files()
	at := func(change func(*messages.CreateWorktree)) messages.CreateWorktree {
		m := f.new("fresh")
		change(&m)
		return m
	}
	for _, c := range []struct {
		name  string
		m     messages.CreateWorktree
		kind  messages.Kind
		names string
	}{
		{"bad branch", f.new("a..b"), messages.Invalid, `".."`},
		{"no branch", f.new(""), messages.Invalid, "empty"},
		{"an option as branch", f.new("-f"), messages.Invalid, "dash"},
		{"separator", at(func(m *messages.CreateWorktree) { m.Name = "a/b" }), messages.Invalid, "separator"},
		{"backslash", at(func(m *messages.CreateWorktree) { m.Name = `a\b` }), messages.Invalid, "separator"},
		{"dot", at(func(m *messages.CreateWorktree) { m.Name = ".." }), messages.Invalid, "dot"},
		{"dash", at(func(m *messages.CreateWorktree) { m.Name = "-a" }), messages.Invalid, "dash"},
		{"long", at(func(m *messages.CreateWorktree) { m.Name = strings.Repeat("a", 101) }), messages.Invalid, "100 bytes"},
		{"control", at(func(m *messages.CreateWorktree) { m.Name = "a\nb" }), messages.Invalid, "control"},
		{"relative path", at(func(m *messages.CreateWorktree) { m.Path = "x" }), messages.Invalid, "absolute"},
		{"hidden path", at(func(m *messages.CreateWorktree) { m.Path = filepath.Join(f.dir, ".ssh") }), messages.Invalid, "dot"},
		{"protected path", at(func(m *messages.CreateWorktree) { m.Path = filepath.Join(f.dir, "guarded") }), messages.Denied, "guarded"},
		{"inside of git", at(func(m *messages.CreateWorktree) { m.Path = filepath.Join(f.main, ".git/x") }), messages.Invalid, "git's own"},
		{"no parent", at(func(m *messages.CreateWorktree) { m.Path = filepath.Join(f.dir, "none/x") }), messages.Invalid, "none"},
		{"base is an option", at(func(m *messages.CreateWorktree) { m.Base = "--all" }), messages.Invalid, "revision"},
		{"base of an old branch", at(func(m *messages.CreateWorktree) { m.Base, m.CreateBranch, m.Branch = "HEAD", false, "dir/name" }), messages.Invalid, "new branches"},
		{"no base", at(func(m *messages.CreateWorktree) { m.Base = "nothing" }), messages.NotFound, "nothing"},
		{"missing branch", at(func(m *messages.CreateWorktree) { m.CreateBranch = false }), messages.NotFound, "no branch fresh"},
		{"branch exists", f.new("dir/name"), messages.AlreadyExists, "dir/name"},
		{"branch below another", at(func(m *messages.CreateWorktree) { m.Branch, m.Name = "dir", "fine" }), messages.WrongState, "dir/name"},
		{"name taken", at(func(m *messages.CreateWorktree) { m.Name = "taken" }), messages.AlreadyExists, filepath.Join(f.dir, "project-taken")},
		{"path exists", at(func(m *messages.CreateWorktree) { m.Path = filepath.Join(f.dir, "exists") }), messages.AlreadyExists, filepath.Join(f.dir, "exists")},
		{"checked out", at(func(m *messages.CreateWorktree) { m.Branch, m.CreateBranch = "main", false }), messages.AlreadyExists, f.main},
	} {
		_, err := f.ask(c.m)
		if err == nil || err.Kind != c.kind || !strings.Contains(err.Error(), c.names) || err.Hint == "" {
			t.Errorf("%s: %v, hint %q", c.name, err, hintOf(err))
		}
		if after := f.files(); after != before {
			t.Fatalf("%s: left over:\n%s\nbefore:\n%s", c.name, after, before)
		}
	}
	f.spare = 1000
	_, err := f.ask(f.new("large"))
	if err == nil || err.Kind != messages.Exhausted || err.Code != messages.DiskFull || err.Details["available_bytes"] != "1000" || err.Details["required_bytes"] == "" {
		t.Errorf("little room: %v", err)
	}
	f.spare = 1 << 30
	f.run(f.main, "config", "filter.x.smudge", "touch "+filepath.Join(f.dir, "ran"))
	if _, err := f.ask(f.new("filtered")); err == nil || err.Kind != messages.WrongState || !strings.Contains(err.Error(), `filter "x"`) {
		t.Errorf("a filter: %v", err)
	}
	if after := f.files(); after != before {
		t.Errorf("left over:\n%s", after)
	}
}

func hintOf(err *messages.Error) string {
	if err == nil {
		return ""
	}
	return err.Hint
}

// A git that fails leaves nothing behind.
func TestCreateFails(t *testing.T) {
	f := newFixture(t)
	before := f.files()
	f.reached = func(s step) error {
		if s == stepIdentity { // another process is faster
			f.run(f.main, "branch", "fresh")
		}
		return nil
	}
	if _, err := f.ask(f.new("fresh")); err == nil || !strings.Contains(err.Error(), "fresh") {
		t.Error(err)
	}
	if after := f.files(); after != before+"" && !strings.Contains(after, "refs/heads/fresh") {
		t.Errorf("left over:\n%s", after)
	}
	if len(f.registry.all("")) != 0 || f.exists("project-fresh") {
		t.Error("a record or a directory stays")
	}
	if f.run(f.main, "rev-parse", "fresh") == "" {
		t.Error("the branch of somebody else is gone")
	}
}

// At any point where the daemon dies, the next one has the whole worktree or nothing of it.
func TestDeathInCreate(t *testing.T) {
	for _, at := range []step{stepIntent, stepDirectory, stepIdentity, stepBranch, stepAdded} {
		t.Run(string(at), func(t *testing.T) {
			f := newFixture(t)
			before := f.files()
			f.dieAt(at)
			if _, err := f.ask(f.new("fresh")); err == nil {
				t.Fatal("it did not die")
			}
			if all := f.registry.all(""); len(all) != 1 || all[0].State != messages.WorktreeCreating {
				t.Fatalf("no record has it: %+v", all)
			}
			f.restart()
			all := f.registry.all("")
			if at == stepAdded {
				if len(all) != 1 || all[0].State != messages.WorktreeReady || !f.exists("project-fresh/README") {
					t.Errorf("what git had finished is not there: %+v", all)
				}
				return
			}
			if after := f.files(); after != before || len(all) != 0 {
				t.Errorf("left over: %+v\n%s\nbefore:\n%s", all, after, before)
			}
			f.create(f.new("fresh"))
		})
	}
}
