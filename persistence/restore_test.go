package persistence

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/upkeep"
)

// restored restores a backup into a state directory of its own.
func restored(t *testing.T, backup string, change ...func(*RestoreOptions)) (RestoreOptions, Restored, error) {
	t.Helper()
	state := t.TempDir()
	o := RestoreOptions{
		Backup: backup, Directory: filepath.Join(state, "journal"), RunsDirectory: filepath.Join(state, "runs"),
		Now: func() time.Time { return epoch }, NewLineage: func() string { return "a new lineage" },
	}
	for _, c := range change {
		c(&o)
	}
	r, err := Restore(t.Context(), o)
	return o, r, err
}

func TestRestore(t *testing.T) {
	f := newFixture(t)
	f.story()
	want := f.picture()
	path := f.backup(t, true)
	before := listing(t, path)
	o, r, err := restored(t, path)
	if err != nil {
		t.Fatal(err)
	}
	if r.Lineage != "a new lineage" || r.From != f.store.Lineage() || r.Files != 2 || r.Sessions != 2 || r.Aside != nil {
		t.Errorf("restored: %+v", r)
	}
	if after := listing(t, path); after != before {
		t.Errorf("the backup was changed")
	}
	g := makeFixture(t, o.Directory)
	g.open()
	defer g.finish()
	got := g.picture()
	if got.Lineage != "a new lineage" {
		t.Errorf("lineage %s", got.Lineage)
	}
	for i, s := range got.Sessions {
		if run := s.Run; run != nil {
			if run.Directory != filepath.Join(o.RunsDirectory, string(s.Record.ID), "2") || run.Process.BootID != upkeep.RestoredBoot ||
				run.Launcher != (messages.ProcessIdentity{}) || run.Token == want.Sessions[i].Run.Token || run.State != want.Sessions[i].Run.State {
				t.Errorf("run: %+v", run)
			}
			got.Sessions[i].Run = want.Sessions[i].Run
		}
		if busy := s.Record.Turn || len(s.Inputs) > 0; (s.Record.Waiting == messages.WaitsRestored) != busy {
			t.Errorf("busy: %v, waiting: %q", busy, s.Record.Waiting)
		}
		if hasRun := s.Record.Run > 0; s.Record.Restored != hasRun {
			t.Errorf("run %d: to compare with the transcript: %v", s.Record.Run, s.Record.Restored)
		}
		got.Sessions[i].Record.Waiting, got.Sessions[i].Record.Restored = want.Sessions[i].Record.Waiting, false
	}
	got.Lineage = want.Lineage
	same(t, "journal", got, want)
	g.commit(more(sid(2), 32, 1)) // and it accepts appends
	g.seal()
	g.commit(more(sid(2), 33, 1))
}

func TestRestoreOnlyWhereNothingIs(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 3))
	path := f.backup(t, false)
	o, _, err := restored(t, path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(o.RunsDirectory, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	again := func(replace bool) (Restored, error) {
		_, r, err := restored(t, path, func(p *RestoreOptions) { o.Replace = replace; *p = o })
		return r, err
	}
	_, err = again(false)
	wantKind(t, "without force", err, messages.AlreadyExists)
	g := makeFixture(t, o.Directory)
	g.open()
	g.commit(more(sid(1), 3, 4))
	_, err = again(true)
	wantKind(t, "while it is used", err, messages.Unavailable)
	g.close()
	r, err := again(true)
	if err != nil || len(r.Aside) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	if len(r.Lost) != 1 || r.Lost[0].Session != sid(1) || r.Lost[0].Kept != 3 || r.Lost[0].Events() != 4 || r.Replaced != "a new lineage" {
		t.Errorf("lost: %+v", r)
	}
	for _, aside := range r.Aside {
		if strings.Contains(aside, "journal.replaced-") {
			old := makeFixture(t, aside)
			old.open()
			sameEvents(t, "the old one", old.history(sid(1)), events(0, 7))
			old.finish()
		} else if _, err := os.Stat(filepath.Join(aside, "x")); err != nil {
			t.Error(err)
		}
	}
	g.open()
	sameEvents(t, "the new one", g.history(sid(1)), events(0, 3))
	g.finish()
}

func TestRestoreOfADamagedBackup(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 30), begin(sid(2), 30))
	f.seal()
	f.commit(more(sid(1), 30, 2))
	path := f.backup(t, false)
	data, err := os.ReadFile(filepath.Join(path, boltfile.Name(1)))
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(data), "event 17 of a session")
	data[at]++
	if err := os.WriteFile(filepath.Join(path, boltfile.Name(1)), data, 0o600); err != nil {
		t.Fatal(err)
	}
	_, r, err := restored(t, path)
	wantKind(t, "restore", err, messages.DataLoss)
	if len(r.Problems) == 0 {
		t.Error("no problem is reported")
	}
	o, r, err := restored(t, path, func(o *RestoreOptions) { o.Damaged = true })
	if err != nil || len(r.Problems) == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	g := makeFixture(t, o.Directory)
	g.open()
	defer g.close()
	if e, err := g.store.Events(sid(1), 30, 0, 0); len(e) != 2 || err != nil {
		t.Errorf("%d, %v", len(e), err)
	}
}

// TestRestoresInOneSecond checks that restores with the same clock move earlier journals aside under different names.
func TestRestoresInOneSecond(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 3))
	path := f.backup(t, false)
	o, _, err := restored(t, path)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]bool{}
	for range 3 {
		if err := os.MkdirAll(filepath.Join(o.RunsDirectory, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
		_, r, err := restored(t, path, func(p *RestoreOptions) { o.Replace = true; *p = o })
		if err != nil {
			t.Fatal(err)
		}
		for _, aside := range r.Aside {
			kept[aside] = true
		}
	}
	for aside := range kept {
		if entries, err := os.ReadDir(aside); err != nil || len(entries) == 0 {
			t.Errorf("%s: %d entries, %v", aside, len(entries), err)
		}
	}
	if len(kept) != 6 {
		t.Errorf("moved aside: %q", slices.Sorted(maps.Keys(kept)))
	}
}
