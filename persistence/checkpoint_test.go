package persistence

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
)

// chunks counts the chunks of a session in the active file.
func (f *fixture) chunks(number uint64) (n int) {
	f.Helper()
	f.store.active.View("test", func(tx *boltfile.Tx) error {
		return memtable.View{File: tx}.Each(record.BucketEvents, record.PrefixOf(number), func(_, _ []byte) error {
			n++
			return nil
		})
	})
	return n
}

// Nothing reaches the file before a checkpoint, and then the newest of each row
// only, the events of a session together.
func TestCheckpointMovesTheNewest(t *testing.T) {
	f := newFixture(t)
	f.commit(full(sid(1), 0))
	for head := messages.Seq(3); head < 60; head++ {
		f.commit(more(sid(1), head, 1))
	}
	f.commit(messages.Append{Session: sid(1), Expect: 60, Done: []string{"one"}})
	if n := f.chunks(1); n != 0 {
		t.Errorf("%d chunks before", n)
	}
	before := f.picture()
	f.checkpoint()
	if n := f.chunks(1); n != 1 {
		t.Errorf("%d chunks after", n)
	}
	if f.raw("bodies", record.NameKey(1, "one")) != nil || f.raw("bodies", record.NameKey(1, "two")) == nil {
		t.Error("the settled input is in the file, or the other is not")
	}
	same(t, "journal", f.picture(), before)
	if st := f.store.Stats(); st.LogBytes != 0 || st.Checkpoints != 1 {
		t.Errorf("%+v", st)
	}
}

// While a checkpoint is under way commits go to the other log, and reads see
// everything, at every step of it.
func TestCommitsGoOnDuringACheckpoint(t *testing.T) {
	f := newFixture(t)
	head := messages.Seq(3)
	f.commit(full(sid(1), 0), begin(sid(2), 1))
	var seen []string
	f.store.options.steps = func(step string) error {
		if step != "rows moved" {
			return nil
		}
		seen = append(seen, step)
		done := make(chan struct{})
		go func() { // in time, though the checkpoint waits for us
			defer close(done)
			f.commit(more(sid(1), head, 2))
			head += 2
			sameEvents(t, "meanwhile", f.history(sid(1)), events(0, int(head)))
		}()
		<-done
		return nil
	}
	for range 3 {
		f.checkpoint()
		sameEvents(t, "after", f.history(sid(1)), events(0, int(head)))
	}
	f.store.options.steps = nil
	if len(seen) != 3 {
		t.Errorf("%v", seen)
	}
	f.crash()
	sameEvents(t, "at last", f.history(sid(1)), events(0, int(head)))
}

// Many commit, read and checkpoint at once.
func TestCheckpointsAmongReaders(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.CheckpointBytes, o.Now = 16<<10, nil })
	const sessions, rounds = 4, 60
	var all sync.WaitGroup
	stop := make(chan struct{})
	for n := range sessions {
		f.commit(begin(sid(n+1), 0))
		all.Go(func() {
			for head := messages.Seq(0); head < rounds*3; head += 3 {
				f.commit(more(sid(n+1), head, 3))
				got, err := f.store.Events(sid(n+1), head, 0, 0)
				if err != nil || len(got) != 3 {
					t.Errorf("%d events after %d, %v", len(got), head, err)
				}
			}
		})
	}
	var others sync.WaitGroup
	others.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if f.store.CheckpointDue() {
				if err := f.store.Checkpoint(); err != nil {
					t.Error(err)
				}
			}
			for n := range sessions {
				head, err := f.store.Head(sid(n + 1))
				if l := f.load(sid(n + 1)); head > l.Record.Head || err != nil {
					t.Errorf("head %d, then %d, %v", head, l.Record.Head, err)
				}
			}
		}
	})
	all.Wait()
	close(stop)
	others.Wait()
	for n := range sessions {
		sameEvents(t, "history", f.history(sid(n+1)), events(0, rounds*3))
	}
}

// A disk without space stops checkpoints: commits go on until the logs are full, are
// refused then, and the file is not tried at each. With space again commits continue, and
// everything that was accepted is there.
func TestLogsAreBounded(t *testing.T) {
	tries, space := 0, false
	f := newFixture(t, func(o *Options) { o.CheckpointBytes = 8 << 10 })
	f.options.Now = func() time.Time { return f.clock } // does not advance
	f.reopen()
	f.commit(begin(sid(1), 1))
	f.store.options.steps = func(step string) error {
		if step == "rows moved" && !space {
			tries++
			return fmt.Errorf("write: %w", syscall.ENOSPC)
		}
		return nil
	}
	head, err := messages.Seq(1), error(nil)
	for err == nil {
		if err = f.store.Commit([]messages.Append{more(sid(1), head, 1)})[0]; err == nil {
			head++
		}
		if head > 10000 {
			t.Fatal("it never ends")
		}
	}
	wantKind(t, "full", err, messages.Unavailable)
	if e := fault.As(err); !errors.Is(e, syscall.ENOSPC) || e.Code != messages.StorageError || e.Hint == "" {
		t.Errorf("%+v", e)
	}
	if tries != 1 || f.store.CheckpointDue() || f.store.Stats().CheckpointFailure == "" {
		t.Errorf("%d tries, due %v", tries, f.store.CheckpointDue())
	}
	for range 10 {
		wantKind(t, "still full", f.store.Commit([]messages.Append{more(sid(1), head, 1)})[0], messages.Unavailable)
	}
	if tries != 1 {
		t.Errorf("%d tries", tries)
	}
	sameEvents(t, "what was accepted", f.history(sid(1)), events(0, int(head)))
	f.clock = f.clock.Add(checkpointRetryLeast)
	if !f.store.CheckpointDue() {
		t.Error("not due after a while")
	}
	f.crash() // and a daemon that starts on a full disk can read
	sameEvents(t, "after a crash", f.history(sid(1)), events(0, int(head)))
	space = true
	f.commit(more(sid(1), head, 1))
	sameEvents(t, "with space again", f.history(sid(1)), events(0, int(head)+1))
}

// A copy of the files of a journal that was not closed can be read in place, and
// restored, with what is in its logs.
func TestCopyWithLogs(t *testing.T) {
	f := newFixture(t)
	f.commit(full(sid(1), 0), begin(sid(2), 2))
	f.checkpoint()
	f.commit(more(sid(1), 3, 4), begin(sid(3), 1))
	want := f.picture()
	copied := t.TempDir() + "/copy"
	copyTree(t, f.options.Directory, copied)
	os.Remove(copied + "/" + boltfile.LockName)
	g := readBackup(t, copied)
	same(t, "copy", g.picture(), want)
	to := t.TempDir()
	done, err := Restore(t.Context(), RestoreOptions{Backup: copied, Directory: to + "/journal", RunsDirectory: to + "/runs"})
	if err != nil || done.Sessions != 3 {
		t.Fatalf("%+v, %v", done, err)
	}
	h := makeFixture(t, to+"/journal")
	h.open()
	defer h.finish()
	sameEvents(t, "restored", h.history(sid(1)), events(0, 7))
	h.commit(more(sid(3), 1, 1), begin(sid(4), 1))
}

// A group whose rows are what there was anyway puts nothing, but has a number: the file
// must record that number before the log of the group is overwritten.
func TestGroupWithoutRows(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 1))
	f.reopen()
	f.commit(messages.Append{Session: sid(1), Expect: 1, Record: summary(sid(1), epoch)})
	if o := f.store.overlay.Load(); !o.Live.Empty() {
		t.Fatal("it put something: this is a test of nothing")
	}
	f.crash()
	f.commit(more(sid(1), 1, 1))
	f.crash()
	sameEvents(t, "history", f.history(sid(1)), events(0, 2))
}

// A log that is full of such groups can be turned like any other.
func TestLogFullOfGroupsWithoutRows(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.CheckpointBytes = 1 << 10 })
	f.commit(begin(sid(1), 1))
	f.checkpoint()
	for range 100 {
		f.commit(messages.Append{Session: sid(1), Expect: 1, Record: summary(sid(1), epoch)})
	}
	if !f.store.overlay.Load().Live.Empty() {
		t.Fatal("they put something: this is a test of nothing")
	}
	f.commit(more(sid(1), 1, 1))
	f.crash()
	sameEvents(t, "history", f.history(sid(1)), events(0, 2))
}
