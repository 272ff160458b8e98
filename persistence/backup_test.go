package persistence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/upkeep"
)

func (f *fixture) backup(t *testing.T, link bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "backup")
	b, err := f.store.Backup(t.Context(), path, link)
	if err != nil {
		t.Fatalf("backup: %v", err)
	}
	if b.Files != len(f.store.manifest.Names()) || b.Lineage != f.store.Lineage() || b.Bytes == 0 || (b.LinkedBytes > 0) != link {
		t.Errorf("backup: %+v", b)
	}
	return path
}

// readBackup opens a backup as what it is and verifies it.
func readBackup(t *testing.T, path string) *fixture {
	t.Helper()
	f := makeFixture(t, path, func(o *Options) { o.ReadOnly = true })
	before := listing(t, path)
	f.open()
	f.verify()
	t.Cleanup(func() {
		f.close()
		if after := listing(t, path); after != before {
			t.Errorf("reading a backup changed it: %s, then %s", before, after)
		}
	})
	return f
}

func listing(t *testing.T, path string) (text string) {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, _ := e.Info()
		text += fmt.Sprintf("%s %d %v;", e.Name(), info.Size(), info.ModTime().UnixNano())
	}
	return text
}

func TestBackupIsTheJournal(t *testing.T) {
	for _, link := range []bool{false, true} {
		f := newFixture(t)
		f.story()
		want := f.picture()
		path := f.backup(t, link)
		f.commit(more(sid(2), 32, 5)) // the journal continues, the backup does not
		f.seal()
		g := readBackup(t, path)
		same(t, "backup", g.picture(), want)
		if err := g.store.Commit([]messages.Append{more(sid(2), 32, 1)})[0]; messages.KindOf(err) != messages.WrongState {
			t.Errorf("commit: %v", err)
		}
		wantKind(t, "seal", g.store.Seal(), messages.WrongState)
		_, err := g.store.Retain()
		wantKind(t, "retain", err, messages.WrongState)
	}
}

// A backup is one moment: while sessions write on, every backup has the history that each
// had then, and the journal's file does not grow for it.
func TestBackupWhileEverythingGoesOn(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.sealBeforeReading = 256 << 10 })
	const sessions = 4
	for n := 1; n <= sessions; n++ {
		f.commit(begin(sid(n), 0))
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for head := messages.Seq(0); ; head += 3 {
			select {
			case <-stop:
				return
			default:
			}
			var group []messages.Append // all of them, or none: heads are equal at any moment
			for n := 1; n <= sessions; n++ {
				group = append(group, more(sid(n), head, 3))
			}
			for _, err := range f.store.Commit(group) {
				if err != nil {
					t.Errorf("commit: %v", err)
				}
			}
		}
	})
	var last messages.Seq
	for range 8 {
		for now := last; now == last; now, _ = f.store.Head(sid(1)) {
			time.Sleep(time.Millisecond)
		}
		g := readBackup(t, f.backup(t, false))
		head, err := g.store.Head(sid(1))
		if err != nil || head < last {
			t.Errorf("head %d after %d, %v", head, last, err)
		}
		for n := 1; n <= sessions; n++ {
			sameEvents(t, "history", g.history(sid(n)), events(0, int(head)))
		}
		last = head
	}
	close(stop)
	wg.Wait()
}

func TestBackupGoesNowhereElse(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 3))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	started := filepath.Join(t.TempDir(), "b")
	if err := os.Mkdir(started+upkeep.Halfway, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		kind messages.Kind
	}{
		{"relative", messages.Invalid},
		{f.options.Directory, messages.Invalid},
		{f.path("backup"), messages.Invalid},
		{dir, messages.AlreadyExists},
		{filepath.Join(dir, "mine"), messages.Invalid},
		{filepath.Join(dir, "nowhere", "b"), messages.NotFound},
		{started, messages.AlreadyExists},
	} {
		_, err := f.store.Backup(t.Context(), c.path, false)
		wantKind(t, c.path, err, c.kind)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(t.TempDir(), "b")
	_, err := f.store.Backup(canceled, path, false)
	wantKind(t, "canceled", err, messages.Canceled)
	if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := f.store.Backup(t.Context(), t.TempDir(), false); err != nil { // empty is fine
		t.Error(err)
	}
	_, err = Open(Options{Directory: t.TempDir(), ReadOnly: true})
	wantKind(t, "no backup", err, messages.NotFound)
}

// A backup gets its name when it is complete.
func TestBackupThatFails(t *testing.T) {
	for _, step := range []string{"MANIFEST written", "MANIFEST renamed", "MANIFEST-2 renamed", "backup written"} {
		path := filepath.Join(t.TempDir(), "backup")
		failure := errors.New("the disk is full")
		armed := false
		f := newFixture(t, func(o *Options) {
			o.steps = func(s string) error {
				if _, err := os.Stat(path); armed && err == nil {
					t.Errorf("%s: it has its name already", s)
				}
				if armed && s == step {
					return failure
				}
				return nil
			}
		})
		f.commit(begin(sid(1), 3))
		armed = true
		_, err := f.store.Backup(t.Context(), path, false)
		if !errors.Is(err, failure) || messages.KindOf(err) != messages.Unavailable {
			t.Errorf("%s: %v", step, err)
		}
		if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		armed = false
		f.commit(more(sid(1), 3, 1))
	}
}

// A journal that is in use is not read by another process; two processes may read a
// journal that is not.
func TestReadOnlySharesWithReaders(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 3))
	_, err := Open(Options{Directory: f.options.Directory, ReadOnly: true})
	wantKind(t, "in use", err, messages.Unavailable)
	f.close()
	for range 2 {
		s, err := Open(Options{Directory: f.options.Directory, ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
	}
	_, err = Open(f.options)
	wantKind(t, "being read", err, messages.Unavailable)
	f.damaged = true
	f.options.ReadOnly = true
	f.open()
}
