package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"betcode/messages"
)

func TestKept(t *testing.T) {
	since := time.Unix(1000, 0)
	for name, c := range map[string]struct {
		change func(*messages.WorktreeView)
		want   string
	}{
		"not needed": {func(*messages.WorktreeView) {}, ""},
		"used":       {func(w *messages.WorktreeView) { w.LastUsed = since }, "used"},
		"changed":    {func(w *messages.WorktreeView) { w.Work.Changed = 1 }, "work"},
		"untracked":  {func(w *messages.WorktreeView) { w.Work.Untracked = 2 }, "work"},
		"unpushed":   {func(w *messages.WorktreeView) { w.Work.Unpushed = 3 }, "work"},
		"not known":  {func(w *messages.WorktreeView) { w.Work = nil }, "unknown"},
		"creating":   {func(w *messages.WorktreeView) { w.State = messages.WorktreeCreating }, "creating"},
		"leased":     {func(w *messages.WorktreeView) { w.Leases = []messages.WorktreeLease{{Holder: "a"}} }, "leased"},
		"lease ended": {func(w *messages.WorktreeView) {
			w.Leases = []messages.WorktreeLease{{Holder: "a", Ended: true}}
		}, ""},
		"setup":        {func(w *messages.WorktreeView) { w.Setup.Status = messages.SetupRunning }, "its setup runs"},
		"stale":        {func(w *messages.WorktreeView) { w.State, w.Work = messages.WorktreeStale, nil }, ""},
		"setup failed": {func(w *messages.WorktreeView) { w.Setup.Status = messages.SetupFailed }, ""},
	} {
		w := messages.WorktreeView{State: messages.WorktreeReady, Work: &messages.WorktreeWork{Ahead: 1}, LastUsed: since.Add(-1)}
		c.change(&w)
		if got := Kept(w, since); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// unusedWorktree makes a worktree that was last used a year ago.
func unusedWorktree(f *fixture, branch string) messages.WorktreeView {
	f.Helper()
	v := f.create(f.new(branch))
	if _, err := f.registry.update(v.ID, func(r *record) { r.CreatedAt = time.Now().AddDate(-1, 0, 0) }); err != nil {
		f.Fatal(err)
	}
	return v
}

// retireAll removes the worktrees that the daemon would retire, after a change between search and removal. It returns the refusals.
func retireAll(f *fixture, between func()) (found int, refused []*messages.Error) {
	f.Helper()
	d := *f.deps
	d.Registry, d.Git = f.registry, f.git
	removals := findRetirable(f.Context(), d, time.Now().AddDate(0, 0, -30))
	between()
	for _, m := range removals {
		if _, err := f.ask(m); err != nil {
			refused = append(refused, err)
		}
	}
	return len(removals), refused
}

// The daemon by itself removes unused worktrees that it has made, and nothing else. The audit log has an entry for each.
func TestRetire(t *testing.T) {
	year := time.Now().AddDate(-1, 0, 0)
	for name, c := range map[string]struct {
		before, between func(f *fixture, v messages.WorktreeView)
		found, removed  bool
	}{
		"unused": {found: true, removed: true},
		"used": {before: func(f *fixture, v messages.WorktreeView) {
			f.registry.update(v.ID, func(r *record) { r.SwitchedTo = time.Now() })
		}},
		"untracked file": {before: func(f *fixture, _ messages.WorktreeView) { f.write("project-old/new", "x") }},
		"commit": {before: func(f *fixture, v messages.WorktreeView) {
			f.write("project-old/README", "x")
			f.run(v.Path, "commit", "-q", "-a", "-m", "more")
		}},
		"session": {before: func(f *fixture, v messages.WorktreeView) {
			f.sessions = []messages.SessionRecord{{ID: "s", WorktreeID: v.ID, UpdatedAt: year}}
		}},
		"subagent that has ended": {before: func(f *fixture, v messages.WorktreeView) {
			f.sessions = []messages.SessionRecord{{ID: "s", WorktreeID: v.ID, UpdatedAt: year, Subagent: &messages.SubagentRecord{Status: messages.SubagentCompleted}}}
		}, found: true, removed: true},
		"repository that git ignores": {before: func(f *fixture, v messages.WorktreeView) {
			f.write("project-old/ignored/nested/README", "x")
			f.run(filepath.Join(v.Path, "ignored", "nested"), "init", "-q")
		}, found: true},
		"file that git ignores": {before: func(f *fixture, _ messages.WorktreeView) { f.write("project-old/ignored", "x") }, found: true, removed: true},
		"stale":                 {before: func(_ *fixture, v messages.WorktreeView) { os.RemoveAll(v.Path) }},
		"directory of others": {before: func(f *fixture, v messages.WorktreeView) {
			f.run(f.main, "worktree", "move", v.Path, v.Path+"-moved")
			f.run(f.main, "worktree", "add", "-q", v.Path, "-b", "theirs")
		}, found: true},
		"link": {before: func(_ *fixture, v messages.WorktreeView) {
			os.Rename(v.Path, v.Path+"-moved")
			os.Symlink(v.Path+"-moved", v.Path)
		}, found: true},
		"link above": {between: func(f *fixture, _ messages.WorktreeView) {
			moved := f.dir + "-moved"
			f.Cleanup(func() { os.Remove(f.dir); os.Rename(moved, f.dir) })
			os.Rename(f.dir, moved)
			os.Symlink(moved, f.dir)
		}, found: true},
		"file meanwhile": {between: func(f *fixture, _ messages.WorktreeView) { f.write("project-old/new", "x") }, found: true},
		"session meanwhile": {between: func(f *fixture, v messages.WorktreeView) {
			f.sessions = []messages.SessionRecord{{ID: "s", WorktreeID: v.ID, UpdatedAt: year}}
		}, found: true},
		"session is about to begin": {between: func(f *fixture, v messages.WorktreeView) {
			if _, err := f.registry.Admit("start session", v.ID, "s"); err != nil {
				f.Error(err)
			}
		}, found: true},
		"lease": {between: func(f *fixture, v messages.WorktreeView) { f.take(lease(v, "s", messages.LeaseShared)) }, found: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			v := unusedWorktree(f, "old")
			if c.before != nil {
				c.before(f, v)
			}
			found, refused := retireAll(f, func() {
				if c.between != nil {
					c.between(f, v)
				}
			})
			_, err := f.registry.find("test", v.ID)
			if removed := err != nil; (found == 1) != c.found || removed != c.removed || removed != (len(f.audited) == 1) {
				t.Errorf("found %d, removed %v, refused %v, audited %v", found, removed, refused, f.audited)
			}
			if c.found && !c.removed && len(refused) != 1 {
				t.Errorf("refused %v", refused)
			}
			if !c.removed && err == nil && f.registry.all("")[0].State != messages.WorktreeReady {
				t.Errorf("left as %v", f.registry.all(""))
			}
		})
	}
}

// A removal does not follow a link to another worktree, nor does the rest of an interrupted one.
func TestRemoveOnlyOurs(t *testing.T) {
	f := newFixture(t)
	v, other := f.create(f.new("old")), f.create(f.new("other"))
	remove := messages.RemoveWorktree{Worktree: v.ID, Common: f.common}
	moved := v.Path + "-moved"
	swap := func() {
		if err := errors.Join(os.Rename(v.Path, moved), os.Symlink(other.Path, v.Path)); err != nil {
			t.Fatal(err)
		}
	}
	restore := func() {
		if err := errors.Join(os.Remove(v.Path), os.Rename(moved, v.Path)); err != nil {
			t.Fatal(err)
		}
	}
	swap()
	for _, force := range []bool{false, true} {
		remove.Force = force
		if _, err := f.ask(remove); err == nil || !strings.Contains(err.Error(), "symbolic link") || !f.exists("project-other/README") {
			t.Errorf("through a link, forced %v: %v", force, err)
		}
	}
	restore()
	remove.Force = false
	f.dieAt(stepRemoving)
	f.ask(remove)
	f.reached = nil
	swap()
	f.restart()
	if !f.exists("project-other/README") || !f.exists("project-old-moved/README") {
		t.Error("the end of a removal follows a link")
	}
	restore()
	f.restart()
	if f.exists("project-old") {
		t.Error("the removal is not ended")
	}
}

// A session behind a symbolic link is in its worktree, and so under its leases.
func TestWorktreeBehindLink(t *testing.T) {
	f := newFixture(t)
	v := f.create(f.new("fresh"))
	link := filepath.Join(f.dir, "link")
	if err := os.Symlink(v.Path, link); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{v.Path: v.ID, link: v.ID, filepath.Join(link, "a"): v.ID, f.main: "", "": "", f.dir + "/none": ""} {
		if got := f.registry.Of(dir); got != want {
			t.Errorf("%q: %q, want %q", dir, got, want)
		}
	}
}

// A session that begins during the second check is refused; one that has begun keeps the worktree. A removal that a daemon did not
// finish is finished at its next start, and the audit log has an entry for it.
func TestRetireRaces(t *testing.T) {
	f := newFixture(t)
	v := unusedWorktree(f, "old")
	f.reached = func(at step) error {
		if at == stepRemoving {
			if _, err := f.registry.Admit("start session", v.ID, "late"); err == nil {
				t.Error("a session begins in a worktree that is being removed")
			}
			if _, err := f.registry.Enter("fork session", v.ID, "late"); err == nil {
				t.Error("a fork begins in a worktree that is being removed")
			}
			f.sessions = []messages.SessionRecord{{ID: "early", WorktreeID: v.ID}}
		}
		return nil
	}
	if _, refused := retireAll(f, func() {}); len(refused) != 1 || f.registry.all("")[0].State != messages.WorktreeReady {
		t.Errorf("refused %v, left %+v", refused, f.registry.all(""))
	}
	f.sessions = nil
	for _, at := range []step{stepRemoving, stepRemoved} {
		f.dieAt(at)
		retireAll(f, func() {})
		f.reached = nil
		f.audited = nil
		f.restart()
		if len(f.registry.all("")) != 0 || len(f.audited) != 1 || f.exists("project-old") {
			t.Errorf("%s: left %+v, audited %v", at, f.registry.all(""), f.audited)
		}
		f.run(f.main, "branch", "-D", "old")
		unusedWorktree(f, "old")
	}
	if _, err := os.Lstat(filepath.Join(f.main, "README")); err != nil {
		t.Error(err)
	}
}
