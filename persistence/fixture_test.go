package persistence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"betcode/messages"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tb is what a fixture needs of a test; rapid's T has it as well.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// fixture is a journal in a directory of its own. When the test is over it is
// verified from end to end, unless the test damaged it.
type fixture struct {
	tb
	options Options
	store   *Store
	clock   time.Time
	damaged bool
	size    int64 // of the active file, when a test noted it
}

var epoch = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func newFixture(t testing.TB, change ...func(*Options)) *fixture {
	t.Helper()
	f := makeFixture(t, t.TempDir(), change...)
	f.open()
	t.Cleanup(f.finish)
	return f
}

func makeFixture(t tb, directory string, change ...func(*Options)) *fixture {
	f := &fixture{tb: t, clock: epoch}
	f.options = Options{
		Directory:        directory,
		InitialMmapBytes: 64 << 20,
		growBytes:        64 << 10,
		Now:              func() time.Time { f.clock = f.clock.Add(time.Second); return f.clock },
		NewLineage:       func() string { return "5f1d9d36-0000-4000-8000-000000000001" },
	}
	for _, c := range change {
		c(&f.options)
	}
	return f
}

func (f *fixture) open() {
	f.Helper()
	var err error
	if f.store, err = Open(f.options); err != nil {
		f.Fatalf("open: %v", err)
	}
}

func (f *fixture) close() {
	f.Helper()
	if err := f.store.Close(); err != nil {
		f.Fatalf("close: %v", err)
	}
}

func (f *fixture) reopen() {
	f.Helper()
	f.close()
	f.open()
}

func (f *fixture) finish() {
	f.Helper()
	if !f.damaged {
		f.verify()
		f.reopen() // compare again, without the state in memory
		f.verify()
	}
	f.close()
}

func (f *fixture) verify() {
	f.Helper()
	report, err := f.store.Verify(context.Background(), nil)
	if err != nil {
		f.Errorf("verify: %v", err)
	}
	for _, p := range report.Problems {
		f.Errorf("verify: %v", p)
	}
}

func (f *fixture) seal() {
	f.Helper()
	if err := f.store.Seal(); err != nil {
		f.Fatalf("seal: %v", err)
	}
}

// checkpoint moves what is in the logs into the active file.
func (f *fixture) checkpoint() {
	f.Helper()
	if err := f.store.Checkpoint(); err != nil {
		f.Fatalf("checkpoint: %v", err)
	}
}

// crash opens the journal again without having closed it: what a process leaves
// that is killed.
func (f *fixture) crash() {
	f.Helper()
	f.store.options.steps = func(string) error { return errCrash }
	f.store.Close()
	f.store.options.steps = nil
	f.open()
}

// half begins a checkpoint that fails when it is nearly done: from here on there
// are rows in both logs. The next one may be tried at once, as a second later:
// appends to logs that are full are not refused for it.
func (f *fixture) half() {
	f.Helper()
	f.store.options.steps = func(step string) error {
		if step == "rows moved" {
			return errCrash
		}
		return nil
	}
	_ = f.store.Checkpoint()
	f.store.options.steps = nil
	f.store.retries.Store(&retries{})
}

var errCrash = errors.New("a crash")

// commit commits appends that must be accepted.
func (f *fixture) commit(appends ...messages.Append) {
	f.Helper()
	for i, err := range f.store.Commit(appends) {
		if err != nil {
			f.Fatalf("append %d to %s: %v", i, appends[i].Session, err)
		}
	}
}

func (f *fixture) load(id messages.SessionID) messages.SessionLoaded {
	f.Helper()
	loaded, err := f.store.Load(id)
	if err != nil {
		f.Fatalf("load %s: %v", id, err)
	}
	return loaded
}

// history reads all events of a session, in small portions.
func (f *fixture) history(id messages.SessionID) []messages.Event { return f.since(id, 0) }

// since is history behind an event.
func (f *fixture) since(id messages.SessionID, after messages.Seq) []messages.Event {
	f.Helper()
	var all []messages.Event
	for {
		portion, err := f.store.Events(id, after+messages.Seq(len(all)), 7, 0)
		if err != nil {
			f.Fatalf("events of %s after %d: %v", id, int(after)+len(all), err)
		}
		if len(portion) == 0 {
			return all
		}
		all = append(all, portion...)
	}
}

func (f *fixture) path(name string) string { return filepath.Join(f.options.Directory, name) }

// sid is a session id that reads like one.
func sid(n int) messages.SessionID {
	return messages.SessionID(fmt.Sprintf("%08x-1111-4222-8333-444455556666", n*0x1f1f1f1f%0x7fffffff))
}

// events makes n events that follow a number.
func events(after messages.Seq, n int) []messages.Event {
	list := make([]messages.Event, n)
	for i := range list {
		seq := after + messages.Seq(i) + 1
		list[i] = messages.Event{Seq: seq, Bytes: fmt.Appendf(nil, "event %d of a session, with some bytes to it", seq)}
	}
	return list
}

func summary(id messages.SessionID, at time.Time) *messages.SessionRecord {
	return &messages.SessionRecord{ID: id, WorkingDirectory: "/src", Phase: messages.PhaseActive, CreatedAt: epoch, UpdatedAt: at}
}

// begin is the first append of a session, with n events.
func begin(id messages.SessionID, n int) messages.Append {
	return messages.Append{Session: id, Record: summary(id, epoch), Events: events(0, n)}
}

// more appends n events after a number.
func more(id messages.SessionID, after messages.Seq, n int) messages.Append {
	return messages.Append{Session: id, Expect: after, Events: events(after, n)}
}

// same compares as the journal promises: an empty slice is nil, a time is a
// moment.
func same(t tb, what string, got, want any) {
	t.Helper()
	wholeBytes := cmp.FilterValues(func(a, b []byte) bool { return len(a)+len(b) > 0 }, cmp.Comparer(bytes.Equal))
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), wholeBytes, cmpopts.IgnoreUnexported(messages.SessionLoaded{})); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func wantKind(t tb, what string, err error, kind messages.Kind) {
	t.Helper()
	if err == nil || messages.KindOf(err) != kind {
		t.Errorf("%s: got %v, want %v", what, err, kind)
	}
}

// copyTree copies the files of a directory.
func copyTree(t tb, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatalf("copy: %v", err)
	}
}

// sameEvents is same for histories, which may be long.
func sameEvents(t tb, what string, got, want []messages.Event) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d events, want %d", what, len(got), len(want))
		return
	}
	for i := range want {
		if got[i].Seq != want[i].Seq || !bytes.Equal(got[i].Bytes, want[i].Bytes) {
			t.Errorf("%s: event %d is %d %.100q, want %d %.100q", what, i, got[i].Seq, got[i].Bytes, want[i].Seq, want[i].Bytes)
			return
		}
	}
}
