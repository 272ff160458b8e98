package spool

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"betcode/messages"
)

// eventually waits until what is true.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

func quiet(t testing.TB, count *atomic.Int64) {
	t.Helper()
	before := count.Load()
	time.Sleep(3 * pollInterval)
	if now := count.Load(); now != before {
		t.Fatalf("%d notices about nothing", now-before)
	}
}

// both runs a test with the system's notices and without.
func both(t *testing.T, test func(t *testing.T, w *Watcher)) {
	for name, w := range map[string]*Watcher{"notices": NewWatcher(), "polling": newWatcher(nil)} {
		t.Run(name, func(t *testing.T) { test(t, w) })
		w.Close()
	}
}

func TestWatcher(t *testing.T) {
	both(t, func(t *testing.T, w *Watcher) {
		f := newFile(t)
		var count atomic.Int64
		watch, err := w.Add(f.path, func() { count.Add(1) })
		if err != nil {
			t.Fatal(err)
		}
		if count.Load() != 1 {
			t.Fatalf("%d notices at once, want 1", count.Load())
		}
		quiet(t, &count)
		for n := range int64(3) {
			f.write("line\n")
			eventually(t, "a notice of a write", func() bool { return count.Load() > n+1 })
		}
		quiet(t, &count)
		watch.Remove()
		time.Sleep(2 * pollInterval)
		f.write("line\n")
		quiet(t, &count)
		watch.Remove()
	})
}

func TestWatcherTellsOfRemoval(t *testing.T) {
	both(t, func(t *testing.T, w *Watcher) {
		f := newFile(t)
		var count atomic.Int64
		watch, err := w.Add(f.path, func() { count.Add(1) })
		if err != nil {
			t.Fatal(err)
		}
		os.Remove(f.path)
		eventually(t, "a notice of the removal", func() bool { return count.Load() > 1 })
		f.f.Close()
		watch.Remove()

		// The system may give the next file the same descriptor.
		other := newFile(t)
		watch, err = w.Add(other.path, func() {})
		if err != nil {
			t.Fatal(err)
		}
		watch.Remove()
	})
}

func TestTwoWatchesOfOneFile(t *testing.T) {
	both(t, func(t *testing.T, w *Watcher) {
		f := newFile(t)
		var one, two atomic.Int64
		first, _ := w.Add(f.path, func() { one.Add(1) })
		second, _ := w.Add(f.path, func() { two.Add(1) })
		f.write("line\n")
		eventually(t, "both notices", func() bool { return one.Load() > 1 && two.Load() > 1 })
		first.Remove()
		before := two.Load()
		f.write("line\n")
		eventually(t, "a notice to the one that is left", func() bool { return two.Load() > before })
		second.Remove()
	})
}

func TestManyFiles(t *testing.T) {
	both(t, func(t *testing.T, w *Watcher) {
		const files, lines = 200, 20
		dir := t.TempDir()
		var total atomic.Int64
		for i := range files {
			path := filepath.Join(dir, fmt.Sprint(i))
			f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			r, err := Open(path, 0, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			// Like a run's worker: one reader at a time, and it looks again after a notice
			// while reading.
			notices := make(chan struct{}, 1)
			done := make(chan struct{})
			go func() {
				defer close(done)
				for seen := 0; seen < lines; {
					<-notices
					b, err := r.Next(0)
					if err != nil {
						t.Error(err)
						return
					}
					seen += len(b.Lines)
					total.Add(int64(len(b.Lines)))
				}
			}()
			watch, err := w.Add(path, func() {
				select {
				case notices <- struct{}{}:
				default:
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { watch.Remove(); <-done }()
			go func() {
				for j := range lines {
					fmt.Fprintf(f, "%d %d\n", i, j)
					time.Sleep(time.Duration(i%7) * time.Millisecond)
				}
			}()
		}
		eventually(t, "every line", func() bool { return total.Load() == files*lines })
	})
}

func TestClosedWatcher(t *testing.T) {
	both(t, func(t *testing.T, w *Watcher) {
		f := newFile(t)
		watch, err := w.Add(f.path, func() {})
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Add(f.path+"2", func() {})
		wantKind(t, err, messages.NotFound)
		w.Close()
		w.Close()
		watch.Remove()
		_, err = w.Add(f.path, func() {})
		wantKind(t, err, messages.WrongState)
	})
}
