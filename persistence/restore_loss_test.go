package persistence

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// presentCopy is a journal as a process leaves it that is killed, which a backup is to
// replace.
func presentCopy(t *testing.T, f *fixture, backup string) RestoreOptions {
	t.Helper()
	state := t.TempDir()
	o := RestoreOptions{
		Backup: backup, Directory: filepath.Join(state, "journal"), RunsDirectory: filepath.Join(state, "runs"), Replace: true,
	}
	copyTree(t, f.options.Directory, o.Directory)
	return o
}

// A restore reports what is newer than the backup: sessions that continued, and new ones.
func TestRestoreReportsTheLoss(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 3), begin(sid(2), 2))
	path := f.backup(t, false)
	f.commit(more(sid(2), 2, 5), begin(sid(3), 1))
	o := presentCopy(t, f, path) // what is newer is in its logs alone
	now := epoch
	o.Now = func() time.Time { now = now.Add(time.Hour); return now }
	r, err := Restore(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	lost := map[any]uint64{}
	for _, l := range r.Lost {
		if lost[l.Session] = l.Events(); l.Damaged {
			t.Errorf("%+v", l)
		}
	}
	if len(lost) != 2 || lost[sid(2)] != 5 || lost[sid(3)] != 1 || r.Unread != nil || r.Replaced != r.From {
		t.Errorf("%+v", r)
	}
	r, err = Restore(t.Context(), o)
	if err != nil || len(r.Lost) != 0 || r.Replaced == r.From {
		t.Errorf("nothing is newer: %+v, %v", r, err)
	}
}

// A journal that cannot be opened is replaced all the same.
func TestRestoreOverWhatCannotBeRead(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 3))
	path := f.backup(t, false)
	o := presentCopy(t, f, path)
	for _, name := range []string{"MANIFEST", "MANIFEST-2"} {
		if err := os.WriteFile(filepath.Join(o.Directory, name), []byte("nonsense"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Restore(t.Context(), o)
	if err != nil || r.Unread == nil || len(r.Lost) != 0 || r.Replaced != "" {
		t.Errorf("%+v, %v", r, err)
	}
}
