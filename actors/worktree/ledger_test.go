package worktree

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"betcode/messages"
)

const (
	keyOne = "11111111-1111-4111-8111-111111111111"
	keyTwo = "22222222-2222-4222-8222-222222222222"
)

// under is a caller with a key.
func under(key, digest string) messages.By {
	return messages.By{Client: "c", Key: key, Digest: []byte(digest)}
}

// plainAnswer is the answer of a change, whether or not it was made before.
func plainAnswer(answer any) any {
	if again, ok := answer.(Again); ok {
		return again.Reply
	}
	return answer
}

// keyedChanges are the changes with an entry in the ledger, each on a fresh fixture. The worktree is called w, the repository is registered.
func keyedChanges(f *fixture) map[string]func() messages.WorktreeRequest {
	by := under(keyOne, "one")
	name := "renamed"
	worktree := func() string { return f.registry.all("")[0].ID }
	repository := func() string { return f.repositories.sorted()[0].ID }
	registered := func() string {
		if all := f.repositories.sorted(); len(all) == 0 {
			f.register(messages.RepositorySettings{})
		}
		return repository()
	}
	return map[string]func() messages.WorktreeRequest{
		"remove": func() messages.WorktreeRequest {
			return messages.RemoveWorktree{By: by, Worktree: worktree(), Common: f.common}
		},
		"switch": func() messages.WorktreeRequest {
			return messages.SwitchWorktree{By: by, Worktree: worktree(), Common: f.common}
		},
		"setup": func() messages.WorktreeRequest {
			return messages.SetupWorktree{By: by, Worktree: worktree(), Common: f.common}
		},
		"register": func() messages.WorktreeRequest {
			return messages.RegisterRepository{By: by, Directory: f.main, Common: f.common, Main: f.main}
		},
		"update": func() messages.WorktreeRequest {
			return messages.UpdateRepository{By: by, Repo: registered(), Name: &name, Common: f.common}
		},
		"unregister": func() messages.WorktreeRequest {
			return messages.UnregisterRepository{By: by, Repo: registered(), Worktrees: true, Common: f.common}
		},
		"branch": func() messages.WorktreeRequest {
			return messages.CreateBranch{By: by, Repo: registered(), Name: "topic", Common: f.common, Main: f.main}
		},
		"delete": func() messages.WorktreeRequest {
			repo := registered()
			f.run(f.main, "branch", "topic")
			return messages.DeleteBranch{By: by, Repo: repo, Name: "topic", Common: f.common}
		},
	}
}

// A change under a key is made once: a repeated request gets the same answer, also from the next daemon and after other changes.
// If a daemon dies in the middle of it, the repeated request finishes it.
func TestKeys(t *testing.T) {
	deaths := map[string][]step{
		"remove": {stepRemoving, stepRemoved}, "switch": nil, "setup": nil, "register": nil, "update": nil,
		"unregister": {stepRemoving, stepRemoved}, "branch": nil, "delete": nil,
	}
	for name, steps := range deaths {
		for _, at := range append(steps, "", stepAnswer) {
			t.Run(fmt.Sprint(name, " ", at), func(t *testing.T) {
				t.Parallel()
				f := newFixture(t)
				f.trusted, f.setup.Commands = true, []string{"true"}
				f.create(f.new("w"))
				finishSetup(f)
				f.sessions = []messages.SessionRecord{{ID: "s", WorktreeID: f.registry.all("")[0].ID}}
				m := keyedChanges(f)[name]()
				f.dieAt(at)
				first, err := f.ask(m)
				if at == "" && err != nil || at != "" && err == nil {
					t.Fatalf("%+v, %v", first, err)
				}
				f.reached = nil
				f.restart()
				second, err := f.ask(m)
				if err != nil {
					t.Fatalf("again: %v", err)
				}
				if _, repeated := second.(Again); repeated != (at == "") {
					t.Errorf("answered again as %T", second)
				}
				if at == "" && !reflect.DeepEqual(roundTrip(t, first), plainAnswer(second)) {
					t.Errorf("answered\n%+v, then\n%+v", first, plainAnswer(second))
				}
				stops := len(f.stopped)
				f.restart()
				third, err := f.ask(m)
				if err != nil || !reflect.DeepEqual(roundTrip(t, plainAnswer(second)), plainAnswer(third)) || len(f.stopped) != stops {
					t.Errorf("answered\n%+v, then\n%+v, %v", second, third, err)
				}
				checkMade(f, name, plainAnswer(third))
			})
		}
	}
}

// finishSetup runs the setup that a creation has begun.
func finishSetup(f *fixture) {
	f.setUp(f.Context(), f.registry.all("")[0].ID)
}

// roundTrip is an answer as the ledger returns it.
func roundTrip(t *testing.T, answer any) any {
	t.Helper()
	r := Registry{ledger: ledger{dir: t.TempDir()}}
	if err := r.StoreAnswer(under(keyTwo, ""), "", "", answer.(messages.Reply), time.Now()); err != nil {
		t.Fatal(err)
	}
	_, _, got, err := r.repeated("", under(keyTwo, ""))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// checkMade checks that a change was made once.
func checkMade(f *fixture, name string, answer any) {
	f.Helper()
	views, repositories := f.registry.Plain("", nil), f.repositories.sorted()
	switch name {
	case "remove":
		if len(views) != 0 || answer.(messages.WorktreeRemoved).SessionsClosed != 1 {
			f.Errorf("%+v, left %+v", answer, views)
		}
	case "switch":
		if !views[0].Active || answer.(messages.WorktreeSwitched).Previous != "" {
			f.Errorf("%+v, %+v", answer, views)
		}
	case "setup":
		if f.registry.all("")[0].SetupKey != keyOne {
			f.Errorf("%+v", f.registry.all(""))
		}
	case "register":
		if len(repositories) != 1 || repositories[0].ID != keyOne {
			f.Errorf("%+v", repositories)
		}
	case "update":
		if repositories[0].Settings.Name != "renamed" {
			f.Errorf("%+v", repositories)
		}
	case "unregister":
		if len(repositories)+len(views) != 0 || answer.(messages.RepositoryUnregistered).Worktrees != 1 {
			f.Errorf("%+v, left %+v, %+v", answer, repositories, views)
		}
	case "branch":
		if commit := f.run(f.main, "rev-parse", "topic"); answer.(messages.BranchView).Commit != commit {
			f.Errorf("%+v, at %s", answer, commit)
		}
	case "delete":
		if left := f.run(f.main, "branch", "--list", "topic"); left != "" {
			f.Errorf("left %s", left)
		}
	}
}

// A key is for one request. An error is not stored.
func TestUsedKeys(t *testing.T) {
	f := newFixture(t)
	creation := f.new("fresh")
	creation.By = under(keyTwo, "creation")
	w := f.create(creation)
	remove := messages.RemoveWorktree{By: under(keyOne, "one"), Worktree: w.ID, Common: f.common}
	f.write("project-fresh/new", "x")
	if _, err := f.ask(remove); err == nil || err.Kind != messages.WrongState {
		t.Fatalf("with work: %v", err)
	}
	if err := os.Remove(filepath.Join(w.Path, "new")); err != nil {
		t.Fatal(err)
	}
	for name, by := range map[string]messages.By{"that made it": under(keyTwo, "two")} {
		other := remove
		other.By = by
		if _, err := f.ask(other); err == nil || err.Code != messages.KeyReused {
			t.Errorf("under the key %s: %v", name, err)
		}
	}
	if _, err := f.ask(remove); err != nil {
		t.Fatalf("tried again: %v", err)
	}
	other := messages.SwitchWorktree{By: under(keyOne, "other"), Worktree: w.ID, Common: f.common}
	if _, err := f.ask(other); err == nil || err.Code != messages.KeyReused {
		t.Errorf("another request under the key: %v", err)
	}
	if answer, err := f.registry.Repeated("remove worktree", remove); err != nil || answer != (messages.WorktreeRemoved{}) {
		t.Errorf("%+v, %v", answer, err)
	}
}

// The ledger drops old requests, and the oldest above its limit.
func TestLedgerBounds(t *testing.T) {
	l := ledger{dir: t.TempDir()}
	now := time.Now()
	for n := range maxRequests + 3 {
		if err := l.put(request{Key: fmt.Sprint("k", n), Began: now.Add(time.Duration(n) * time.Second)}); err != nil {
			t.Fatal(err)
		}
	}
	for n, want := range map[int]bool{0: false, 2: false, 3: true, maxRequests + 2: true} {
		if _, known, err := l.find(fmt.Sprint("k", n)); known != want || err != nil {
			t.Errorf("k%d: %v, %v", n, known, err)
		}
	}
	again := ledger{dir: l.dir}
	if err := again.open(now.Add(requestsKept + 1000*time.Second)); err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(l.dir); err != nil || len(files) != len(again.kept) || len(files) != maxRequests+3-1001 {
		t.Errorf("%d files, %d known, %v", len(files), len(again.kept), err)
	}
}
