package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"betcode/messages"
)

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
