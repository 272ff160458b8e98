package persistence

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
)

// TestRepairOfTheManifest: a manifest that is lost is made again, with nothing lost.
func TestRepairOfTheManifest(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"removed": os.Remove,
		"garbled": func(path string) error { return os.WriteFile(path, []byte("{"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			f := makeFixture(t, filepath.Join(t.TempDir(), "journal"))
			f.open()
			f.commit(full(sid(1), 0), heavy(sid(2), 0, 1))
			f.seal()
			f.commit(more(sid(1), 3, 2))
			f.seal()
			f.commit(more(sid(1), 5, 2))
			want, manifest := f.picture(), *f.store.manifest
			f.store.options.steps = func(string) error { return errCrash }
			f.close()
			if err := f.eachCopy(spoil); err != nil {
				t.Fatal(err)
			}
			_, err := Open(f.options)
			wantKind(t, "open", err, messages.DataLoss)
			if !strings.Contains(fault.As(err).Hint, "journal repair") {
				t.Errorf("hint %q", fault.As(err).Hint)
			}
			done, err := Repair(t.Context(), RepairOptions{Directory: f.options.Directory, Apply: true})
			if err != nil || !done.Needed || len(done.Lost.Sessions) > 0 || done.Lost.Unread > 0 || done.Sessions != 2 {
				t.Fatalf("%+v, %v", done, err)
			}
			f.open()
			same(t, "journal", f.picture(), want)
			if got := f.store.manifest.Names(); !slices.Equal(got, manifest.Names()) {
				t.Errorf("files %v, want %v", got, manifest.Names())
			}
			f.finish()
			again, err := Repair(t.Context(), RepairOptions{Directory: f.options.Directory, Apply: true})
			if err != nil || again.Needed || again.Aside != "" {
				t.Errorf("a sound journal: %+v, %v", again, err)
			}
		})
	}
}

// TestRepairThatIsRefused: damage that cannot be repaired is an error.
func TestRepairThatIsRefused(t *testing.T) {
	f := newFixture(t)
	f.damaged = true
	f.commit(full(sid(1), 0))
	_, err := Repair(t.Context(), RepairOptions{Directory: f.options.Directory})
	wantKind(t, "in use", err, messages.Unavailable)
	_, err = Repair(t.Context(), RepairOptions{Directory: t.TempDir()})
	wantKind(t, "no journal", err, messages.NotFound)
	f.seal()
	f.seal()
	f.close()
	if err := os.Remove(f.path(boltfile.Name(2))); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err = Repair(t.Context(), RepairOptions{Directory: f.options.Directory, Apply: true})
		wantKind(t, "a file is missing", err, messages.DataLoss)
		if e := fault.As(err); strings.Contains(e.Hint, "journal repair") || !strings.Contains(e.Error(), boltfile.Name(2)) {
			t.Errorf("%v, hint %q", e, e.Hint)
		}
		_ = f.eachCopy(os.Remove)
	}
	f.options.Directory = t.TempDir()
	f.open()
	f.close()
}
