package worktree

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/messages"
)

func (f *fixture) register(s messages.RepositorySettings) messages.RepositoryView {
	f.Helper()
	answer, err := f.ask(messages.RegisterRepository{Directory: f.main, Settings: s, Common: f.common, Main: f.main})
	if err != nil {
		f.Fatal(err)
	}
	return answer.(messages.RepositoryView)
}

// The registry outlives the daemon; a repository is in it once, and names are unique.
func TestRegister(t *testing.T) {
	f := newFixture(t)
	v := f.register(messages.RepositorySettings{})
	if v.Settings.Name != "project" || v.Path != f.main || v.ID == "" || v.CreatedAt.IsZero() {
		t.Errorf("%+v", v)
	}
	f.restart()
	if _, err := f.ask(messages.RegisterRepository{Common: f.common, Main: f.main}); err == nil || err.Kind != messages.AlreadyExists || err.Details["repo_id"] != v.ID || err.Hint == "" {
		t.Errorf("again: %v", err)
	}
	other, failed := f.repositories.add(f.deps.Now(), messages.RegisterRepository{Common: "/x/project/.git", Main: "/x/project"})
	if failed != nil || other.Settings.Name != "project-2" {
		t.Errorf("%+v, %v", other, failed)
	}
	name := "project-2"
	if _, err := f.ask(messages.UpdateRepository{Repo: v.ID, Name: &name, Common: f.common}); err == nil || err.Kind != messages.AlreadyExists {
		t.Errorf("a name that is taken: %v", err)
	}
	for _, reference := range []string{v.ID, v.ID[:8], "project", f.main} {
		if found, err := f.repositories.View(reference, f.registry); err != nil || found.ID != v.ID {
			t.Errorf("%q is %+v, %v", reference, found, err)
		}
	}
	if _, err := f.repositories.View("none", f.registry); messages.KindOf(err) != messages.NotFound {
		t.Error(err)
	}
	f.create(f.new("fresh"))
	f.write("project-fresh/new", "x")
	if _, err := f.ask(messages.UnregisterRepository{Repo: v.ID, Worktrees: true, Common: f.common}); err == nil || err.Kind != messages.WrongState || len(f.repositories.sorted()) != 2 {
		t.Errorf("work would be lost: %v", err)
	}
	if err := os.Remove(filepath.Join(f.dir, "project-fresh/new")); err != nil {
		t.Fatal(err)
	}
	if answer, err := f.ask(messages.UnregisterRepository{Repo: v.ID, Worktrees: true, Common: f.common}); err == nil && answer != (messages.RepositoryUnregistered{Worktrees: 1}) || err != nil && err.Kind != messages.WrongState {
		t.Errorf("%+v, %v", answer, err)
	}
	f.restart()
	if all := f.repositories.sorted(); len(all) != 1 || all[0].ID != other.ID || f.exists("project-fresh") || !f.exists("project/README") {
		t.Errorf("%+v", all)
	}
}

func TestSettingsRefused(t *testing.T) {
	f := newFixture(t)
	for _, s := range []messages.RepositorySettings{
		{Name: "a/b"},
		{Name: ".."},
		{Name: "-x"},
		{Mode: "other"},
		{Mode: messages.PlaceLocal, Subfolder: "../out"},
		{Mode: messages.PlaceLocal, Subfolder: "/abs"},
		{Mode: messages.PlaceLocal, Subfolder: ".git/x"},
		{Mode: messages.PlaceLocal, Subfolder: "a/.GIT"},
		{Mode: messages.PlaceLocal, Subfolder: "."},
		{Mode: messages.PlaceLocal, Subfolder: "a\nb"},
		{Mode: messages.PlaceCustom},
		{Mode: messages.PlaceCustom, Path: "relative"},
		{Mode: messages.PlaceCustom, Path: "/" + strings.Repeat("a", maxPlace)},
		{Mode: messages.PlaceCustom, Path: filepath.Join(f.dir, "guarded")},
	} {
		if _, err := f.ask(messages.RegisterRepository{Settings: s, Common: f.common, Main: f.main}); err == nil || err.Kind != messages.Invalid && err.Kind != messages.Denied || err.Hint == "" {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if all := f.repositories.sorted(); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

// The mode of a repository determines where its worktrees are made.
func TestPlaces(t *testing.T) {
	f := newFixture(t)
	v := f.register(messages.RepositorySettings{Name: "named", Mode: messages.PlaceLocal, Ignore: true})
	for n, c := range []struct {
		mode messages.PlaceMode
		path string
	}{
		{messages.PlaceLocal, filepath.Join(f.main, ".worktrees")},
		{messages.PlaceGlobal, filepath.Join(f.dir, "betcode-worktrees", "named")},
		{messages.PlaceCustom, filepath.Join(f.dir, "custom", "deep")},
	} {
		custom := filepath.Join(f.dir, "custom", "deep")
		if _, err := f.ask(messages.UpdateRepository{Repo: v.ID, Mode: &c.mode, Path: &custom, Common: f.common}); err != nil {
			t.Fatal(err)
		}
		branch := fmt.Sprint("b", n)
		if w := f.create(f.new(branch)); w.Path != filepath.Join(c.path, branch) {
			t.Errorf("%s: %s", c.mode, w.Path)
		}
	}
	if left := f.run(f.main, "status", "--porcelain"); left != "" {
		t.Errorf("the local directory is not ignored: %s", left)
	}
	if content, err := os.ReadFile(filepath.Join(f.common, "info", "exclude")); err != nil || strings.Count(string(content), "/.worktrees/\n") != 1 {
		t.Errorf("%s, %v", content, err)
	}
}

// An agent replaces the directory and the exclude file by links: nothing is made or written behind them.
func TestPlaceBehindLink(t *testing.T) {
	f := newFixture(t)
	f.register(messages.RepositorySettings{Mode: messages.PlaceLocal, Subfolder: "trees", Ignore: true})
	f.write("victim/file", "precious")
	exclude := filepath.Join(f.common, "info", "exclude")
	for _, c := range [][2]string{{filepath.Join(f.dir, "victim"), filepath.Join(f.main, "trees")}, {filepath.Join(f.dir, "victim", "file"), exclude}} {
		if err := os.RemoveAll(c[1]); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(c[0], c[1]); err != nil {
			t.Fatal(err)
		}
		if _, err := f.ask(f.new("fresh")); err == nil {
			t.Errorf("a worktree is made behind %s", c[1])
		}
		if err := os.Remove(c[1]); err != nil {
			t.Fatal(err)
		}
	}
	if content, err := os.ReadFile(filepath.Join(f.dir, "victim", "file")); err != nil || string(content) != "precious" {
		t.Errorf("%s, %v", content, err)
	}
	if entries, err := os.ReadDir(filepath.Join(f.dir, "victim")); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestBranches(t *testing.T) {
	f := newFixture(t)
	create := func(name, start string) (any, *messages.Error) {
		return f.ask(messages.CreateBranch{Name: name, Start: start, Common: f.common, Main: f.main})
	}
	answer, err := create("topic", "")
	if b, ok := answer.(messages.BranchView); err != nil || !ok || b.Name != "topic" || b.Subject != "first" || b.Commit != f.run(f.main, "rev-parse", "main") || b.Head || b.Worktree {
		t.Errorf("%+v, %v", answer, err)
	}
	if _, err := create("topic", ""); err == nil || err.Kind != messages.AlreadyExists || err.Hint == "" {
		t.Errorf("again: %v", err)
	}
	if _, err := create("other", "nothing"); err == nil || err.Kind != messages.NotFound || err.Hint == "" {
		t.Errorf("no start: %v", err)
	}
	f.run(f.main, "update-ref", "refs/remotes/origin/far", "main")
	f.run(f.main, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/far")
	w := f.create(f.new("tree"))
	all, failed := Branches(t.Context(), f.git, f.common, true)
	var names []string
	for _, b := range all {
		names = append(names, fmt.Sprintf("%s:%t:%t:%t", b.Name, b.Head, b.Worktree, b.Remote))
	}
	if got := strings.Join(names, " "); failed != nil || got != "main:true:true:false topic:false:false:false tree:false:true:false origin/far:false:false:true" {
		t.Errorf("%s, %v", got, failed)
	}
	if all, _ := Branches(t.Context(), f.git, f.common, false); len(all) != 3 {
		t.Errorf("%+v", all)
	}
	remove := func(name string, force bool) *messages.Error {
		_, err := f.ask(messages.DeleteBranch{Name: name, Force: force, Common: f.common})
		return err
	}
	if err := remove("tree", true); err == nil || err.Kind != messages.WrongState || err.Details["path"] != w.Path {
		t.Errorf("checked out: %v", err)
	}
	f.run(w.Path, "checkout", "-q", "topic")
	f.run(w.Path, "commit", "-q", "--allow-empty", "-m", "second")
	f.run(w.Path, "checkout", "-q", "tree")
	if err := remove("topic", false); err == nil || err.Kind != messages.WrongState || !strings.Contains(err.Error(), "1 commit neither pushed") || err.Hint == "" {
		t.Errorf("a commit would be lost: %v", err)
	}
	if err := remove("topic", true); err != nil {
		t.Error(err)
	}
	if err := remove("topic", true); err == nil || err.Kind != messages.NotFound {
		t.Errorf("again: %v", err)
	}
	if _, err := Branch(t.Context(), f.git, f.common, "top"); messages.KindOf(err) != messages.NotFound {
		t.Errorf("the beginning of a name: %v", err)
	}
	for _, name := range []string{"", "-f", "a..b", "a b"} {
		if CheckBranch("x", name, "") == nil {
			t.Errorf("%q is a name", name)
		}
	}
	if CheckBranch("x", "a", "--all") == nil {
		t.Error("an option is a start")
	}
}

// A scan is bounded, follows no links, and stops at repositories.
func TestScan(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/.git", "a/inner/.git", "b/c/.git", "b/.hidden/x/.git", "node_modules/m/.git", "deep/1/2/3/4/.git", "elsewhere/.git"} {
		if err := os.MkdirAll(filepath.Join(dir, "top", name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(filepath.Join(dir, "top", "elsewhere"), filepath.Join(dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(dir, "top", "link")); err != nil {
		t.Fatal(err)
	}
	top := filepath.Join(dir, "top")
	for depth, want := range map[int]string{0: "a b/c", 1: "a", 5: "a b/c deep/1/2/3/4"} {
		found, more, err := Scan(t.Context(), top, depth)
		for n := range found {
			found[n], _ = filepath.Rel(top, found[n])
		}
		if got := strings.Join(found, " "); err != nil || more || got != want {
			t.Errorf("depth %d: %s, %v, %v", depth, got, more, err)
		}
	}
	for _, wrong := range []string{filepath.Join(top, "link"), filepath.Join(top, "none")} {
		if _, _, err := Scan(t.Context(), wrong, 1); messages.KindOf(err) != messages.Invalid {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if _, _, err := Scan(t.Context(), top, maxScanDepth+1); messages.KindOf(err) != messages.Invalid {
		t.Error(err)
	}
	for n := range maxScanHits + 5 {
		if err := os.MkdirAll(filepath.Join(dir, "many", fmt.Sprint(n), ".git"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if found, more, err := Scan(t.Context(), filepath.Join(dir, "many"), 1); err != nil || !more || len(found) != maxScanHits {
		t.Errorf("%d found, %v, %v", len(found), more, err)
	}
}
