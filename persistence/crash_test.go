package persistence

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	berrors "go.etcd.io/bbolt/errors"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
	"betcode/persistence/internal/wal"
)

// Each step of making a journal and of sealing one leaves a directory that
// opens, with everything that was there before the step.
func TestCrashAtEveryStep(t *testing.T) {
	pictures := t.TempDir()
	var steps []string
	f := newFixture(t, func(o *Options) {
		directory := o.Directory
		o.steps = func(step string) error {
			steps = append(steps, fmt.Sprintf("%02d %s", len(steps), step))
			copyTree(t, directory, filepath.Join(pictures, steps[len(steps)-1]))
			return nil
		}
	})
	created := len(steps)
	f.commit(full(sid(1), 0), begin(sid(2), 4))
	f.commit(messages.Append{Session: sid(2), Delete: true})
	f.seal()
	sealed := len(steps)
	f.commit(more(sid(1), 3, 2))
	f.seal()
	if created == 0 || len(steps) < 3*created {
		t.Fatalf("steps: %v", steps)
	}
	f.options.steps = nil
	for i, step := range steps {
		t.Run(step, func(t *testing.T) {
			g := makeFixture(t, filepath.Join(pictures, step))
			g.open()
			defer g.finish()
			switch want := f.load(sid(1)); {
			case i < created:
				if _, total, err := g.store.Sessions("", "", 0, 0); total != 0 || err != nil {
					t.Errorf("%d sessions, %v", total, err)
				}
			case i < sealed:
				want.Record.Head = 3
				same(t, "session", g.load(sid(1)), want)
				sameEvents(t, "events", g.history(sid(1)), events(0, 3))
			default:
				same(t, "session", g.load(sid(1)), want)
				sameEvents(t, "events", g.history(sid(1)), events(0, 5))
			}
			entries, _ := os.ReadDir(g.options.Directory)
			known := slices.Concat(g.store.manifest.Names(), manifest.Names, wal.Names, []string{boltfile.LockName})
			for _, e := range entries {
				if !slices.Contains(known, e.Name()) {
					t.Errorf("%s is left", e.Name())
				}
			}
			if i >= created { // and the journal accepts appends
				head, _ := g.store.Head(sid(1))
				g.commit(more(sid(1), head, 3))
				g.seal()
				g.commit(more(sid(1), head+3, 3))
				sameEvents(t, "later", g.history(sid(1)), events(0, int(head)+6))
			}
		})
	}
}

// A step that fails leaves the journal as it was and in use, unless it failed where it is
// unknown which manifest a crash would leave.
func TestSealThatFails(t *testing.T) {
	var fail string
	failure := errors.New("no more of this disk")
	f := newFixture(t, func(o *Options) {
		o.steps = func(step string) error {
			if fail != "" && strings.HasSuffix(step, fail) {
				return failure
			}
			return nil
		}
	})
	f.commit(begin(sid(1), 3))
	head := messages.Seq(3)
	for _, fail = range []string{"journal built", "journal renamed", "MANIFEST written", "MANIFEST-2 written"} {
		before, _ := os.ReadDir(f.options.Directory)
		err := f.store.Seal()
		wantKind(t, fail, err, messages.Unavailable)
		if !errors.Is(err, failure) || fault.As(err).Code != messages.StorageError {
			t.Errorf("%s: %v", fail, err)
		}
		after, _ := os.ReadDir(f.options.Directory)
		for _, e := range after {
			if !slices.ContainsFunc(before, func(b os.DirEntry) bool { return b.Name() == e.Name() }) && e.Name() != manifest.Name+disk.Unfinished {
				t.Errorf("%s: %s is left", fail, e.Name())
			}
		}
		f.commit(more(sid(1), head, 2))
		head += 2
	}
	fail = "MANIFEST renamed"
	wantKind(t, fail, f.store.Seal(), messages.Unavailable)
	fail = ""
	err := f.store.Commit([]messages.Append{more(sid(1), head, 1)})[0]
	wantKind(t, "commit", err, messages.Unavailable)
	wantKind(t, "seal", f.store.Seal(), messages.Unavailable)
	_, err = f.store.Load(sid(1))
	wantKind(t, "load", err, messages.Unavailable)
	sameEvents(t, "what was seen before", f.history(sid(1)), events(0, int(head)))
	f.reopen()
	sameEvents(t, "events", f.history(sid(1)), events(0, int(head)))
	f.commit(more(sid(1), head, 1))
	f.seal()
}

// A disk that is full fails the whole group, and only that group.
func TestCommitWithoutSpace(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.maxBytes = 65 << 20 }) // the mapping counts
	f.commit(begin(sid(1), 3), begin(sid(2), 1))
	huge := more(sid(1), 3, 1)
	huge.Events[0].Bytes = make([]byte, 80<<20)
	results := f.store.Commit([]messages.Append{more(sid(2), 1, 1), more(sid(2), 1, 1), huge})
	wantKind(t, "innocent", results[0], messages.Unavailable)
	wantKind(t, "stale", results[1], messages.Aborted)
	wantKind(t, "huge", results[2], messages.Unavailable)
	if e := fault.As(results[0]); e.Code != messages.StorageError || e.Hint == "" {
		t.Errorf("code %q, hint %q", e.Code, e.Hint)
	}
	sameEvents(t, "events", f.history(sid(1)), events(0, 3))
	f.commit(more(sid(1), 3, 1), more(sid(2), 1, 1))
}

// When the file is closed under it, a commit fails with an error.
func TestCommitToAClosedFile(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 3))
	f.store.log.Current().Close()
	err := f.store.Commit([]messages.Append{more(sid(1), 3, 1)})[0]
	wantKind(t, "commit", err, messages.Unavailable)
	sameEvents(t, "events", f.history(sid(1)), events(0, 3))
	f.store.Close()
	f.open()
	f.commit(more(sid(1), 3, 1))
}

func TestWhichFailuresLeaveDoubt(t *testing.T) {
	for _, c := range []struct {
		err   error
		doubt bool
	}{
		{&os.PathError{Op: "write", Err: syscall.ENOSPC}, false},
		{errors.New("file resize error: no space left on device"), false},
		{berrors.ErrMaxSizeReached, false},
		{syscall.EIO, true}, // as fdatasync returns it
		{errors.New("file sync error: input/output error"), true},
	} {
		if boltfile.Unclean(&boltfile.CommitError{Err: c.err}) != c.doubt {
			t.Errorf("%v: want doubt %v", c.err, c.doubt)
		}
	}
}
