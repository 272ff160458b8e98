package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"betcode/messages"
)

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
	if _, err := f.ask(messages.SwitchWorktree{Worktree: v.ID, Common: f.common}); err == nil || err.Kind != messages.WrongState || err.Hint != "Remove it: betcode worktree remove fresh" {
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
