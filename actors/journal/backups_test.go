package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"betcode/messages"
)

// backupStore makes backups that are empty directories.
type backupStore struct {
	Upkeep
	failure error
}

func (s *backupStore) Backup(_ context.Context, path string, _ bool) (messages.JournalBackup, error) {
	if s.failure != nil {
		return messages.JournalBackup{}, s.failure
	}
	return messages.JournalBackup{Path: path}, os.Mkdir(path, 0o700)
}

func TestScheduledBackups(t *testing.T) {
	o := BackupOptions{Directory: filepath.Join(t.TempDir(), "backups"), Every: time.Hour, Keep: 2}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	if d := nextBackup(o, now); d != 0 {
		t.Errorf("the first is due in %s", d)
	}
	store := &backupStore{}
	for i := range 4 {
		if _, err := makeBackup(t.Context(), store, o, now.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
		if i == 0 { // another person's directory, and one that a crash left
			for _, name := range []string{"mine", "journal-20200101T000000Z.old", "journal-20200101T000000Z.unfinished"} {
				if err := os.Mkdir(filepath.Join(o.Directory, name), 0o700); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	found, err := ScheduledBackups(o.Directory)
	if err != nil || len(found) != 2 || !found[0].At.Equal(now.Add(3*time.Hour)) || !found[1].At.Equal(now.Add(2*time.Hour)) {
		t.Errorf("%v, %v", found, err)
	}
	entries, err := os.ReadDir(o.Directory)
	if err != nil || len(entries) != 4 {
		t.Errorf("%v, %v", entries, err)
	}
	if info, err := os.Stat(o.Directory); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	for after, want := range map[time.Duration]time.Duration{
		3 * time.Hour: time.Hour, 3*time.Hour + 20*time.Minute: 40 * time.Minute, 9 * time.Hour: 0, 0: 0, // the clock was set back
	} {
		if d := nextBackup(o, now.Add(after)); d != want {
			t.Errorf("%s later: due in %s, want %s", after, d, want)
		}
	}
	store.failure = errors.New("no space left on device")
	if _, err := makeBackup(t.Context(), store, o, now.Add(5*time.Hour)); !errors.Is(err, store.failure) {
		t.Errorf("%v", err)
	}
	if again, err := ScheduledBackups(o.Directory); err != nil || len(again) != 2 {
		t.Errorf("after a failure: %v, %v", again, err)
	}
}

func TestHealthTellsOfFailingBackups(t *testing.T) {
	var h BackupHealth
	if _, failing := h.View(); failing {
		t.Error("failing before the first")
	}
	h.note(time.Now(), errors.New("no space left on device"))
	if view, failing := h.View(); !failing || !view.Degraded() || view.Message != "no space left on device" {
		t.Errorf("%+v", view)
	}
	h.note(time.Now(), nil)
	if _, failing := h.View(); failing {
		t.Error("failing after one that was made")
	}
}

// The hint about damage names the newest backup, or how to have one.
func TestBackupIsOffered(t *testing.T) {
	o := BackupOptions{Directory: filepath.Join(t.TempDir(), "backups"), Every: time.Hour}
	var h BackupHealth
	h.Look(o)
	if got := h.Offer(); !strings.Contains(got, "config set journal.backup_every") {
		t.Error(got)
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, at := range []time.Time{now, now.Add(time.Hour)} {
		made, err := makeBackup(t.Context(), &backupStore{}, o, at)
		if err != nil {
			t.Fatal(err)
		}
		h.Look(o)
		if got := h.Offer(); !strings.Contains(got, "is of "+at.Format(time.RFC3339)) || !strings.HasSuffix(got, "restore --force "+made.Path) {
			t.Error(got)
		}
	}
}
