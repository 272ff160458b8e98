package persistence

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
)

// ages makes a journal of five files, each with events of session 1; session 2
// begins in the third and session 3 in the active one.
func (f *fixture) ages() {
	f.Helper()
	f.commit(full(sid(1), 0))
	for i := range 4 {
		head := messages.Seq(3 + i*10)
		f.commit(more(sid(1), head, 10))
		if i == 2 {
			f.commit(begin(sid(2), 6))
		}
		f.seal()
	}
	f.commit(more(sid(1), 43, 2), begin(sid(3), 2))
}

func (f *fixture) retain(want int) {
	f.Helper()
	if dropped, err := f.store.Retain(); dropped != want || err != nil {
		f.Errorf("%d dropped, %v; want %d", dropped, err, want)
	}
}

// from reads a session's history from its low-water mark on.
func (f *fixture) from(n int, low, head messages.Seq) {
	f.Helper()
	if mark, err := f.store.LowWater(sid(n)); mark != low || err != nil {
		f.Errorf("low water of %d: %d, %v; want %d", n, mark, err, low)
	}
	for _, after := range []messages.Seq{0, low / 2, low, min(low+1, head), head} {
		got, err := f.store.Events(sid(n), after, 0, 0)
		if err != nil {
			f.Errorf("events after %d: %v", after, err)
		}
		first := max(after, low)
		for len(got) > 0 && messages.Seq(len(got))+first < head { // the next file
			next, err := f.store.Events(sid(n), first+messages.Seq(len(got)), 0, 0)
			if err != nil || len(next) == 0 {
				f.Fatalf("events: %v", err)
			}
			got = append(got, next...)
		}
		want := events(first, int(head-first))
		for i := range got { // full writes other bytes
			if got[i].Seq <= 3 && i < len(want) {
				want[i].Bytes = got[i].Bytes
			}
		}
		sameEvents(f, fmt.Sprintf("session %d after %d", n, after), got, want)
	}
}

func TestRetainByBytes(t *testing.T) {
	f := newFixture(t)
	f.ages()
	loaded := f.load(sid(1))
	f.retain(0) // 20 GiB is not reached
	f.from(1, 0, 45)
	sealed := f.store.Stats()
	f.store.options.RetainBytes = sealed.SealedBytes - 1
	f.retain(1)
	f.retain(0)
	for _, then := range []func(){func() {}, f.reopen} {
		then()
		f.from(1, 13, 45)
		f.from(2, 0, 6)
		f.from(3, 0, 2)
	}
	f.store.options.RetainBytes = 1
	f.retain(3)
	for _, then := range []func(){func() {}, f.reopen, f.verify} {
		then()
		f.from(1, 43, 45)
		f.from(2, 6, 6)
		f.from(3, 0, 2)
	}
	got := f.load(sid(1))
	same(t, "what the session lives on", got, func() messages.SessionLoaded { return loaded }())
	f.seal()
	f.store.options.RetainBytes = 1
	f.retain(1)
	f.from(1, 45, 45)
	f.commit(more(sid(1), 45, 1))
	f.from(1, 45, 46)
	if names, _ := filepath.Glob(f.path("*.journal")); len(names) != 1 {
		t.Errorf("files: %v", names)
	}
}

func TestRetainByAge(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.RetainAge = 24 * time.Hour })
	f.ages()
	f.retain(0)
	f.clock = f.clock.Add(24*time.Hour - 5*time.Second)
	for range 10 { // one after another expires
		f.store.Retain()
		if f.store.Stats().SealedFiles == 2 {
			break
		}
	}
	f.from(2, 0, 6)
	f.clock = f.clock.Add(time.Hour)
	f.retain(2)
	f.from(1, 43, 45)
	if st := f.store.Stats(); st.Dropped != 4 || st.RetainAge != 24*time.Hour || len(st.Files) != 1 {
		t.Errorf("stats: %+v", st)
	}
}

// A file that is being read or copied is not dropped.
func TestRetainWaitsForReaders(t *testing.T) {
	f := newFixture(t)
	f.ages()
	f.store.options.RetainBytes = 1
	if _, err := f.store.Verify(t.Context(), func(FileReport) { f.retain(0) }); err != nil {
		t.Fatal(err)
	}
	f.from(1, 0, 45) // opens them all
	f.retain(4)
	f.from(1, 43, 45)
}

func TestCrashWhileRetaining(t *testing.T) {
	pictures := t.TempDir()
	var steps []string
	f := newFixture(t)
	f.ages()
	directory := f.options.Directory
	f.store.options.steps = func(step string) error {
		steps = append(steps, fmt.Sprintf("%02d %s", len(steps), step))
		copyTree(t, directory, filepath.Join(pictures, steps[len(steps)-1]))
		return nil
	}
	f.store.options.RetainBytes = f.store.Stats().SealedBytes / 2
	dropped, err := f.store.Retain()
	if err != nil || dropped < 2 || len(steps) != 4+dropped {
		t.Fatalf("%d dropped, steps %v, %v", dropped, steps, err)
	}
	for i, step := range steps {
		t.Run(step, func(t *testing.T) {
			g := makeFixture(t, filepath.Join(pictures, step))
			g.open()
			defer g.finish()
			low := messages.Seq(0)
			if i > 1 { // a copy of the manifest is renamed
				low = messages.Seq(3 + dropped*10)
			}
			g.from(1, low, 45)
			g.from(3, 0, 2)
			names := g.store.manifest.Names()
			files, _ := filepath.Glob(g.path("*.journal*"))
			if len(files) != len(names) || (low > 0) != !slices.Contains(names, boltfile.Name(1)) {
				t.Errorf("files %v, names %v", files, names)
			}
			g.seal()
			g.from(1, low, 45)
		})
	}
}

// Files that do not belong to this journal are not removed.
func TestFilesOfOthersStay(t *testing.T) {
	f := newFixture(t)
	f.ages()
	f.store.options.RetainBytes = 1
	f.retain(4)
	other := makeFixture(t, t.TempDir(), func(o *Options) { o.NewLineage = func() string { return "another" } })
	other.open()
	other.close()
	f.close()
	if err := os.Rename(other.path(boltfile.Name(1)), f.path(boltfile.Name(1))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.path(boltfile.Name(2)), []byte("not a journal"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.open()
	for _, n := range []uint64{1, 2} {
		if _, err := os.Stat(f.path(boltfile.Name(n))); err != nil {
			t.Error(err)
		}
	}
}

// Events that a session has trimmed are not found any more, at once and after a restart,
// whichever file it is in; what was dropped counts as well.
func TestLowWaterMark(t *testing.T) {
	f := newFixture(t)
	f.ages()
	given := func(to messages.Seq) {
		record := f.load(sid(1)).Record
		record.Past.LowWater = to
		f.commit(messages.Append{Session: sid(1), Expect: record.Head, Record: &record})
	}
	given(15)
	f.from(1, 15, 45)
	f.from(2, 0, 6)
	f.reopen()
	f.from(1, 15, 45)
	given(44)
	f.seal()
	f.from(1, 44, 45)
	given(45)
	if events, err := f.store.Events(sid(1), 3, 0, 0); len(events) != 0 || err != nil {
		t.Errorf("nothing is left, and %d events are found, %v", len(events), err)
	}
	f.verify()
}
