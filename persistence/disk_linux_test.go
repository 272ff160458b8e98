package persistence

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"betcode/messages"
	"betcode/persistence/internal/fault"
)

// descriptor returns the number of the only open file with a path.
func descriptor(t *testing.T, path string) int {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	found := -1
	for _, entry := range open {
		if at, err := os.Readlink("/proc/self/fd/" + entry.Name()); err != nil || at != path {
			continue
		}
		if found != -1 {
			t.Fatalf("%s is open twice", path)
		}
		if found, err = strconv.Atoi(entry.Name()); err != nil {
			t.Fatal(err)
		}
	}
	if found == -1 {
		t.Fatalf("%s is not open", path)
	}
	return found
}

// instead puts another file in place of an open one, by its descriptor, and returns how to put it back.
func (f *fixture) instead(t *testing.T, fd int, path string) (back func()) {
	t.Helper()
	saved, err := syscall.Dup(fd)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Dup3(int(other.Fd()), fd, syscall.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	other.Close()
	return func() {
		if err := syscall.Dup3(saved, fd, syscall.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		syscall.Close(saved)
	}
}

// When the disk took a group, or the pages of a checkpoint, and then fails to sync, its
// content is unknown: nothing more is written, and the next Open finds what was committed
// before.
func TestSyncFails(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 3))
	back := f.instead(t, int(f.store.log.Current().Fd()), "/dev/null") // takes everything and cannot be synced
	err := f.store.Commit([]messages.Append{more(sid(1), 3, 3)})[0]
	back()
	f.doubtful(t, err)
	back = f.instead(t, descriptor(t, f.path(f.store.active.Name)), "/dev/null")
	err = f.store.Checkpoint()
	back()
	f.doubtful(t, err)
}

// doubtful checks what follows a sync that failed, and opens the journal again.
// The session has had three events.
func (f *fixture) doubtful(t *testing.T, err error) {
	t.Helper()
	before := f.store.index.get(sid(1)).head
	wantKind(t, "commit", err, messages.Unavailable)
	wantKind(t, "the next", f.store.Commit([]messages.Append{more(sid(1), before, 3)})[0], messages.Unavailable)
	wantKind(t, "seal", f.store.Seal(), messages.Unavailable)
	_, err = f.store.Load(sid(1))
	wantKind(t, "load", err, messages.Unavailable)
	_, err = f.store.Backup(t.Context(), t.TempDir(), false)
	wantKind(t, "backup", err, messages.Unavailable)
	sameEvents(t, "what was seen", f.history(sid(1)), events(0, int(before)))
	f.reopen()
	sameEvents(t, "events", f.history(sid(1)), events(0, int(before)))
	f.commit(more(sid(1), before, 3))
}

// A journal that was opened again after a failed sync has what was committed, and goes
// on. It stays closed as long as it cannot be written, and permanently if events are
// lost.
func TestReopen(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 3))
	back := f.instead(t, int(f.store.log.Current().Fd()), "/dev/null")
	err := f.store.Commit([]messages.Append{more(sid(1), 3, 3)})[0]
	back()
	wantKind(t, "commit", err, messages.Unavailable)
	lineage := f.store.Lineage()
	for range 2 { // the second time nothing fails
		if err := f.store.Reopen(); err != nil {
			t.Fatal(err)
		}
		sameEvents(t, "what was committed", f.history(sid(1)), events(0, 3))
	}
	f.commit(more(sid(1), 3, 3))
	sameEvents(t, "events", f.history(sid(1)), events(0, 6))
	if f.store.Lineage() != lineage {
		t.Error("it is another journal")
	}
	aside := t.TempDir()
	if err := f.eachCopy(func(path string) error { return os.Rename(path, filepath.Join(aside, filepath.Base(path))) }); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "without its manifest", f.store.Reopen(), messages.DataLoss)
	wantKind(t, "commit", f.store.Commit([]messages.Append{more(sid(1), 6, 1)})[0], messages.Unavailable)
	if err := f.eachCopy(func(path string) error { return os.Rename(filepath.Join(aside, filepath.Base(path)), path) }); err != nil {
		t.Fatal(err)
	}
	if err := f.store.Reopen(); err != nil {
		t.Fatal(err)
	}
	sameEvents(t, "events", f.history(sid(1)), events(0, 6))
	f.store.index.entries[sid(1)].head += 5 // as if more had been acknowledged
	wantKind(t, "events are gone", f.store.Reopen(), messages.DataLoss)
	f.store.index.entries[sid(1)].head -= 5
	if err := f.store.Reopen(); err != nil {
		t.Fatal(err)
	}
}

// The same where large payloads were on their way: what was put out of line stays
// until it is known whether the file refers to it, and nothing is swept before.
func TestReopenWithPayloads(t *testing.T) {
	f := newFixture(t)
	f.commit(heavy(sid(1), 0, 3))
	want := f.picture()
	back := f.instead(t, descriptor(t, f.path(f.store.active.Name)), "/dev/null")
	err := f.store.Checkpoint()
	back()
	wantKind(t, "checkpoint", err, messages.Unavailable)
	_, err = f.store.Sweep(t.Context())
	wantKind(t, "sweep", err, messages.Unavailable)
	_, err = f.store.Reclaim(t.Context(), -1)
	wantKind(t, "reclaim", err, messages.Unavailable)
	if err := f.store.Reopen(); err != nil {
		t.Fatal(err)
	}
	f.sweep(0)
	same(t, "journal", f.picture(), want)
	f.commit(heavy(sid(1), 3, 1))
	f.checkpoint()
	f.sweep(1) // the input's, which is another now
	sameEvents(t, "events", f.history(sid(1)), heavy(sid(1), 0, 4).Events)
}

const limitedWriter = "BETCODE_TEST_LIMITED_WRITER"

// The system stops the journal's files from growing, at many sizes; a seal and a backup
// fail as well. When they may grow again, commits continue.
func TestFileSizeLimit(t *testing.T) {
	if directory := os.Getenv(limitedWriter); directory != "" {
		writeWithinLimits(t, directory)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFileSizeLimit$", "-test.v")
	cmd.Env = append(os.Environ(), limitedWriter+"="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "refused at") {
		t.Errorf("%v\n%s", err, out)
	}
}

func writeWithinLimits(t *testing.T, directory string) {
	signal.Ignore(syscall.SIGXFSZ)
	limit := func(n uint64) {
		var l syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
			t.Fatal(err)
		}
		if l.Cur = n; n == 0 {
			l.Cur = l.Max
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
			t.Fatal(err)
		}
	}
	f := makeFixture(t, directory)
	f.open()
	f.commit(begin(sid(1), 3))
	head := messages.Seq(3)
	for round := range 12 {
		limit(uint64(f.store.active.Size()) + uint64(round)*7000)
		for refused := false; !refused; {
			a := more(sid(1), head, 5)
			a.Events[0].Bytes = make([]byte, 3000*round)
			switch err := f.store.Commit([]messages.Append{a})[0]; {
			case err == nil:
				head += 5
			case messages.KindOf(err) == messages.Unavailable && fault.As(err).Code == messages.StorageError:
				refused = true
			default:
				t.Fatalf("commit: %v", err)
			}
		}
		fmt.Println("refused at", head)
		limit(4096)
		wantKind(t, "seal", f.store.Seal(), messages.Unavailable)
		_, err := f.store.Backup(t.Context(), t.TempDir(), false)
		wantKind(t, "backup", err, messages.Unavailable)
		limit(0)
		f.commit(more(sid(1), head, 1))
		head++
		if got, err := f.store.Head(sid(1)); got != head || err != nil {
			t.Fatalf("head %d, %v, want %d", got, err, head)
		}
		switch round % 3 {
		case 0:
			f.seal()
		case 1:
			f.reopen()
		}
	}
	f.finish()
}
