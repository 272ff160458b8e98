package persistence

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// formats are the golden journals of the formats before this one.
var formats = []string{"format1", "format1-chained", "format2", "format3"}

// A journal of an older format is kept as it was before it is changed, and a crash
// at any step of that leaves one that opens.
func TestMigrationIsKeptAndSurvivesACrash(t *testing.T) {
	for _, name := range formats {
		t.Run(name, func(t *testing.T) {
			golden := filepath.Join("testdata", name, "journal")
			pictures := t.TempDir()
			var steps []string
			f := makeFixture(t, t.TempDir())
			copyTree(t, golden, f.options.Directory)
			f.options.steps = func(step string) error {
				steps = append(steps, fmt.Sprintf("%02d %s", len(steps), step))
				copyTree(t, f.options.Directory, filepath.Join(pictures, steps[len(steps)-1]))
				return nil
			}
			f.open()
			f.options.steps, f.store.options.steps, f.store.blobs.Steps = nil, nil, nil
			defer f.finish()
			want := f.picture()
			if len(steps) < 4 {
				t.Fatalf("steps: %v", steps)
			}
			sameTree(t, golden, f.path(formerDirectory))
			for _, step := range steps {
				g := makeFixture(t, filepath.Join(pictures, step))
				g.open()
				same(t, step, g.picture(), want)
				g.commit(heavy(sid(7), 0, 1))
				g.seal()
				g.finish()
				sameTree(t, golden, g.path(formerDirectory)) // whatever became of the journal since
			}
			f.retain(0)
			f.clock = time.Now().Add(formerAge + time.Hour)
			f.retain(0)
			if _, err := os.Stat(f.path(formerDirectory)); !os.IsNotExist(err) {
				t.Errorf("the former journal is never removed: %v", err)
			}
		})
	}
}

// sameTree checks that a directory has the files of another.
func sameTree(t *testing.T, want, got string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(want), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		a, err := os.ReadFile(filepath.Join(want, name))
		if err != nil {
			return err
		}
		if b, err := os.ReadFile(filepath.Join(got, name)); err != nil || string(a) != string(b) {
			t.Errorf("%s is another one, or gone: %v", name, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Without space for the copy nothing is changed.
func TestMigrationWithoutRoom(t *testing.T) {
	golden := filepath.Join("testdata", "format2", "journal")
	f := makeFixture(t, t.TempDir())
	copyTree(t, golden, f.options.Directory)
	f.options.steps = func(step string) error {
		if step == "former copied" {
			return errCrash
		}
		return nil
	}
	if _, err := Open(f.options); err == nil {
		t.Fatal("it opens")
	}
	sameTree(t, golden, f.options.Directory)
	f.options.steps = nil
	f.open()
	f.finish()
}
