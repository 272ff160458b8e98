package spool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"betcode/messages"
)

// raw returns everything that was written to the spool at path, from Raw.
func raw(t testing.TB, path string) []byte {
	t.Helper()
	var all []byte
	if err := Raw(context.Background(), path, func(b []byte) error { all = append(all, b...); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// Whatever is written and archived in whatever steps: all of it can be read, and a reader
// behind the archived part is not affected.
func TestArchiveHoldsEverything(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "spool")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, "stdout")
		var written []byte
		file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			rt.Fatal(err)
		}
		defer file.Close()
		check := func() {
			if got := raw(t, path); !bytes.Equal(got, written) {
				rt.Fatalf("%d bytes, %d were written", len(got), len(written))
			}
		}
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			line := append(bytes.Repeat([]byte{'x'}, rapid.IntRange(0, 200_000).Draw(rt, "line")), '\n')
			if _, err := file.Write(line); err != nil {
				rt.Fatal(err)
			}
			written = append(written, line...)
			if to := rapid.Int64Range(0, int64(len(written)-1)).Draw(rt, "to"); rapid.Bool().Draw(rt, "seal") {
				if err := Seal(path, to); err != nil {
					rt.Fatal(err)
				}
				r, err := Open(path, int64(len(written)), Options{})
				if err != nil {
					rt.Fatal(err)
				}
				r.Close()
			}
			check()
		}
		for range 2 {
			if err := Finish(path); err != nil {
				rt.Fatal(err)
			}
			check()
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			rt.Fatal("the spool is still there")
		}
	})
}

// A crash at any step of archiving loses nothing, and the next time finishes it.
func TestCrashWhileArchiving(t *testing.T) {
	crash := errors.New("crash")
	for _, step := range []string{"written", "synced", "renamed", "archived"} {
		t.Run(step, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "stdout")
			content := noise(300_000)
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := Seal(path, 100_000); err != nil {
				t.Fatal(err)
			}
			err := finish(path, func(at string) error {
				if at == step {
					return crash
				}
				return nil
			})
			if !errors.Is(err, crash) {
				t.Fatalf("%v", err)
			}
			if !bytes.Equal(raw(t, path), content) {
				t.Error("something is missing after the crash")
			}
			if err := Finish(path); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(raw(t, path), content) {
				t.Error("something is missing")
			}
			left, err := os.ReadDir(filepath.Dir(path))
			if err != nil || len(left) != 2 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

func TestRawTellsWhatIsNotThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stdout")
	none := func([]byte) error { t.Error("something is passed on"); return nil }
	wantKind(t, Raw(t.Context(), path, none), messages.NotFound)
	wantKind(t, Raw(t.Context(), filepath.Join(path, "below"), none), messages.NotFound)
	if err := os.WriteFile(path+".5-9.zst", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wantKind(t, Raw(t.Context(), path, none), messages.DataLoss)
	if err := os.WriteFile(path+".0-5.zst", []byte("no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantKind(t, Raw(t.Context(), path, none), messages.DataLoss)
}

func TestSweep(t *testing.T) {
	root, now := t.TempDir(), time.Now()
	path := func(n int) string { return filepath.Join(root, "session", fmt.Sprint(n), "stdout") }
	for n := range 5 {
		if err := os.MkdirAll(filepath.Dir(path(n)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path(n), noise(10_000), 0o600); err != nil {
			t.Fatal(err)
		}
		var err error
		if n == 0 { // the oldest is alive
			err = Seal(path(n), 8192)
		} else {
			err = Finish(path(n))
		}
		if err != nil {
			t.Fatal(err)
		}
		files, _ := filepath.Glob(path(n) + ".*")
		at := now.Add(time.Duration(n-5) * time.Hour)
		if err := os.Chtimes(files[0], at, at); err != nil {
			t.Fatal(err)
		}
	}
	kept := func() (all []int) {
		for n := range 5 {
			if files, _ := filepath.Glob(path(n) + ".*"); len(files) > 0 {
				all = append(all, n)
			}
		}
		return all
	}
	pattern := filepath.Join(root, "*", "*", "stdout")
	for _, c := range []struct {
		before time.Time
		bytes  int64
		want   string
	}{
		{now.Add(-24 * time.Hour), 1 << 20, "[0 1 2 3 4]"},
		{now.Add(-3*time.Hour - time.Minute), 1 << 20, "[0 2 3 4]"},
		{now.Add(-24 * time.Hour), 30_000, "[0 3 4]"},
		{now, 1 << 20, "[0]"},
	} {
		if err := Sweep(pattern, c.before, c.bytes); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(kept()); got != c.want {
			t.Errorf("kept %s, want %s", got, c.want)
		}
	}
}
