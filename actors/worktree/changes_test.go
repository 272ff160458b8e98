package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

func TestDeathInRemove(t *testing.T) {
	for _, at := range []step{stepRemoving, stepRemoved} {
		t.Run(string(at), func(t *testing.T) {
			f := newFixture(t)
			v := f.create(f.new("fresh"))
			f.dieAt(at)
			if _, err := f.ask(messages.RemoveWorktree{Worktree: v.ID, Common: f.common}); err == nil {
				t.Fatal("it did not die")
			}
			if at == stepRemoving { // git had begun
				if err := os.Remove(filepath.Join(v.Path, "README")); err != nil {
					t.Fatal(err)
				}
			}
			f.restart()
			if len(f.registry.all("")) != 0 || f.exists("project-fresh") || strings.Contains(f.run(f.main, "worktree", "list"), "fresh") {
				t.Error("it is not removed")
			}
			f.run(f.main, "rev-parse", "--verify", "fresh") // the branch stays
		})
	}
	t.Run("used since", func(t *testing.T) {
		f := newFixture(t)
		v := f.create(f.new("fresh"))
		f.dieAt(stepRemoving)
		_, _ = f.ask(messages.RemoveWorktree{Worktree: v.ID, Common: f.common})
		f.write("project-fresh/mine", "precious")
		f.restart()
		if all := f.registry.all(""); len(all) != 1 || all[0].State != messages.WorktreeReady || !f.exists("project-fresh/mine") {
			t.Errorf("work is lost: %+v", all)
		}
	})
	t.Run("without its own file", func(t *testing.T) {
		f := newFixture(t)
		v := f.create(f.new("fresh"))
		f.dieAt(stepRemoving)
		_, _ = f.ask(messages.RemoveWorktree{Worktree: v.ID, Common: f.common})
		if err := os.Remove(filepath.Join(v.Path, ".git")); err != nil {
			t.Fatal(err)
		}
		f.restart()
		if len(f.registry.all("")) != 0 || f.exists("project-fresh") || strings.Contains(f.run(f.main, "worktree", "list"), "fresh") {
			t.Error("it is not removed")
		}
		f.run(f.main, "rev-parse", "--verify", "fresh")
	})
}

func TestRemove(t *testing.T) {
	f := newFixture(t)
	v := f.create(f.new("fresh"))
	remove := func(force bool) (any, *messages.Error) {
		return f.ask(messages.RemoveWorktree{Worktree: v.Name, Force: force, Common: f.common})
	}
	refused := func(names string) {
		t.Helper()
		_, err := remove(false)
		if err == nil || err.Kind != messages.WrongState || !strings.Contains(err.Error(), names) || !f.exists("project-fresh/README") {
			t.Errorf("%v", err)
		}
		if len(f.stopped) != 0 {
			t.Errorf("sessions were stopped for nothing: %v", f.stopped)
		}
	}
	f.sessions = []messages.SessionRecord{{ID: "by id", WorktreeID: v.ID}, {ID: "by directory", WorkingDirectory: v.Path + "/a"}, {ID: "other", WorkingDirectory: v.Path + "x"}}
	f.write("project-fresh/ignored", "x")
	f.write("project-fresh/new", "x")
	refused("1 untracked")
	f.run(v.Path, "add", "new")
	refused("1 changed")
	f.run(v.Path, "commit", "-q", "-m", "second")
	refused("1 commit neither pushed")
	f.run(f.main, "worktree", "lock", "--reason", "mine", v.Path)
	if _, err := remove(true); err == nil || err.Code != messages.WorktreeInUse || !strings.Contains(err.Error(), "mine") {
		t.Errorf("locked: %v", err)
	}
	f.run(f.main, "worktree", "unlock", v.Path)
	answer, err := remove(true)
	if err != nil || answer != (messages.WorktreeRemoved{SessionsClosed: 2}) || len(f.stopped) != 2 || f.exists("project-fresh") || len(f.registry.all("")) != 0 {
		t.Errorf("%+v, %v, stopped %v", answer, err, f.stopped)
	}
	if _, err := remove(true); err == nil || err.Kind != messages.NotFound || err.Code != messages.WorktreeNotFound {
		t.Errorf("again: %v", err)
	}
	f.run(f.main, "rev-parse", "--verify", "fresh")
}

func TestStale(t *testing.T) {
	f := newFixture(t)
	v := f.create(f.new("fresh"))
	if err := os.RemoveAll(v.Path); err != nil {
		t.Fatal(err)
	}
	f.restart()
	views := f.registry.Views(t.Context(), f.git, f.common, nil)
	if len(views) != 1 || views[0].State != messages.WorktreeStale || views[0].Work != nil {
		t.Errorf("%+v", views)
	}
	if _, err := f.ask(messages.SwitchWorktree{Worktree: v.ID, Common: f.common}); err == nil || err.Kind != messages.WrongState || !strings.Contains(err.Hint, v.ID) {
		t.Errorf("switch: %v", err)
	}
	if _, _, err := f.registry.Usable("start session", v.ID); messages.KindOf(err) != messages.WrongState {
		t.Errorf("session: %v", err)
	}
	if _, err := f.ask(messages.RemoveWorktree{Worktree: v.ID, Common: f.common}); err != nil || strings.Contains(f.run(f.main, "worktree", "list"), "fresh") {
		t.Errorf("remove: %v", err)
	}
	// Another process has removed git's file and keeps the others.
	v = f.create(f.new("second"))
	if err := os.Remove(filepath.Join(v.Path, ".git")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ask(messages.RemoveWorktree{Worktree: v.ID, Common: f.common}); err != nil || !f.exists("project-second/README") || strings.Contains(f.run(f.main, "worktree", "list"), "second") {
		t.Errorf("remove: %v", err)
	}
}

func TestSwitch(t *testing.T) {
	f := newFixture(t)
	one, two := f.create(f.new("one")), f.create(f.new("two"))
	for _, c := range []struct{ to, previous string }{{one.ID, ""}, {two.Name, one.ID}, {two.ID, two.ID}, {one.ID[:8], two.ID}} {
		answer, err := f.ask(messages.SwitchWorktree{Worktree: c.to, Common: f.common})
		if err != nil {
			t.Fatal(err)
		}
		got := answer.(messages.WorktreeSwitched)
		if got.Previous != c.previous || !got.Worktree.Active {
			t.Errorf("to %s: %+v", c.to, got)
		}
		time.Sleep(time.Millisecond) // the clock has to go on
	}
	f.restart()
	for _, v := range f.registry.Plain(f.common, nil) {
		if v.Active != (v.ID == one.ID) {
			t.Errorf("after a restart: %+v", v)
		}
	}
}

func TestViews(t *testing.T) {
	f := newFixture(t)
	v := f.create(f.new("fresh"))
	f.write("project-fresh/new", strings.Repeat("x", 5000))
	now := time.Now()
	sessions := []messages.SessionRecord{{ID: "old", WorktreeID: v.ID, UpdatedAt: now}, {ID: "new", WorktreeID: v.ID, UpdatedAt: now.Add(1)}, {ID: "other"}}
	got, err := f.registry.View(t.Context(), f.git, "fresh", sessions)
	if err != nil || got.Work == nil || got.Work.Untracked != 1 || got.Work.Changed != 0 || got.Work.DiskBytes < 5000 || got.Work.DiskFailed || got.Sessions != 2 || got.ActiveSession != "new" {
		t.Errorf("%+v, %+v, %v", got, got.Work, err)
	}
	for reference, kind := range map[string]messages.Kind{"": messages.NotFound, "x": messages.NotFound, v.ID[:3]: messages.NotFound} {
		if _, err := f.registry.View(t.Context(), f.git, reference, nil); messages.KindOf(err) != kind {
			t.Errorf("%q: %v", reference, err)
		}
	}
}

func TestOpen(t *testing.T) {
	f := newFixture(t)
	v := f.create(f.new("fresh"))
	f.write("state/broken.json", "{")
	f.write("state/other.json", `{"id":"another","path":"/x","common":"/y"}`)
	f.write("state/"+v.ID+".json.new", "half")
	r, err := Open(filepath.Join(f.dir, "state"))
	if err == nil || !strings.Contains(err.Error(), "broken.json") || !strings.Contains(err.Error(), "other.json") || len(r.all("")) != 1 {
		t.Errorf("%v, %+v", err, r.all(""))
	}
}

// A removal with UnusedSince checks again, right before it removes, that the worktree is still unused.
func TestRemoveUnused(t *testing.T) {
	f := newFixture(t)
	v := f.create(f.new("fresh"))
	used := v.CreatedAt.Add(time.Hour)
	f.sessions = []messages.SessionRecord{{ID: "s", WorktreeID: v.ID, UpdatedAt: used}}
	unused := messages.RemoveWorktree{Worktree: v.ID, Common: f.common, UnusedSince: used}
	if _, err := f.ask(unused); err == nil || err.Kind != messages.WrongState || !strings.Contains(err.Error(), "was used at") {
		t.Errorf("it was used: %v", err)
	}
	unused.UnusedSince = used.Add(1)
	lease := messages.LeaseWorktree{Worktree: v.ID, Holder: "s", Mode: messages.LeaseShared}
	if answer, failed := f.doLease(lease).(*messages.Error); failed {
		t.Fatal(answer)
	}
	if _, err := f.ask(unused); err == nil || err.Kind != messages.WrongState || !strings.Contains(err.Error(), "has a lease") {
		t.Errorf("it is leased: %v", err)
	}
	f.doLease(messages.EndLease{Worktree: v.ID, Holder: "s", How: messages.HolderStopped})
	f.write("project-fresh/new", "")
	if _, err := f.ask(unused); err == nil || !strings.Contains(err.Error(), "untracked") {
		t.Errorf("it has work: %v", err)
	}
	if len(f.stopped) > 0 {
		t.Errorf("sessions were stopped: %v", f.stopped)
	}
	os.Remove(filepath.Join(v.Path, "new"))
	if _, err := f.ask(unused); err != nil || f.exists("project-fresh") {
		t.Errorf("it is not used: %v", err)
	}
}
