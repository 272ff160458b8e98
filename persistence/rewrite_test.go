package persistence

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/manifest"
	"betcode/persistence/internal/record"
)

// greedy is a journal whose files are rewritten at once, and for little garbage.
func greedy(o *Options) { o.RewriteRate, o.rewriteLeast = -1, 1 }

// give trims a session's history up to an event.
func (f *fixture) give(n int, to messages.Seq) {
	f.Helper()
	record := f.load(sid(n)).Record
	record.Past.LowWater = to
	f.commit(messages.Append{Session: sid(n), Expect: record.Head, Record: &record})
}

func (f *fixture) reclaim(rewritten, swept int) {
	f.Helper()
	done, err := f.store.Reclaim(context.Background(), -1)
	if err != nil || done.Rewritten != rewritten || done.Swept != swept || done.Damaged != nil {
		f.Errorf("%+v, %v; want %d rewritten, %d swept", done, err, rewritten, swept)
	}
}

// Trimmed and deleted events are removed when they are more than half of a file; the
// others are read unchanged.
func TestRewriteDropsGarbage(t *testing.T) {
	f := newFixture(t, greedy)
	f.commit(big(sid(1), 0, "one"), big(sid(2), 0, "two"), heavy(sid(3), 0, 2))
	f.seal()
	f.commit(big(sid(1), 40, "more"), big(sid(2), 40, "more"))
	f.seal()
	f.commit(more(sid(1), 80, 3))
	f.reclaim(0, 0)
	sealed := f.store.Stats().SealedBytes
	two, one := f.history(sid(2)), f.history(sid(1))
	f.give(1, 30)
	f.reclaim(0, 0) // not the half of it
	f.commit(messages.Append{Session: sid(3), Delete: true})
	if st := f.store.Stats(); st.GarbageBytes < 2*record.PayloadBytes || st.Files[0].Garbage == 0 || st.Files[1].Garbage != 0 {
		t.Errorf("%+v", st)
	}
	if done, err := f.store.Reclaim(t.Context(), 4096); err != nil || done.Waiting != 1 || done.Rewritten != 0 {
		t.Errorf("without room: %+v, %v", done, err)
	}
	f.reclaim(1, 2)
	f.give(1, 55)
	f.give(2, 60)
	f.reclaim(1, 0) // what is left of the first; the other has not lost the half
	for _, then := range []func(){func() {}, f.verify, f.reopen, f.seal, f.crash, func() { f.reclaim(0, 0) }} {
		then()
		for n, want := range map[int][]messages.Event{1: one[55:], 2: two[60:]} {
			got, err := f.store.Events(sid(n), 0, 0, 0)
			for len(got) > 0 && len(got) < len(want) && err == nil {
				var next []messages.Event
				next, err = f.store.Events(sid(n), got[len(got)-1].Seq, 0, 0)
				got = append(got, next...)
			}
			if err != nil {
				t.Errorf("session %d: %v", n, err)
			}
			sameEvents(t, "events", got, want)
		}
	}
	st := f.store.Stats()
	if st.Files[0].Name != "000001-2.journal" || st.Files[0].Bytes > sealed/4 || st.Files[0].Garbage != 0 {
		t.Errorf("%+v", st.Files)
	}
	data, err := os.ReadFile(f.path(st.Files[0].Name))
	if err != nil || bytes.Contains(data, []byte("payload 1 ")) || bytes.Contains(data, []byte("two")) {
		t.Errorf("something is left: %v", err)
	}
}

// Readers of a file that is rewritten read on, and commits go on.
func TestRewriteUnderReaders(t *testing.T) {
	f := newFixture(t, greedy, func(o *Options) { o.Now = nil })
	f.commit(big(sid(1), 0, "one"), big(sid(2), 0, "two"), big(sid(3), 0, "three"))
	f.seal()
	f.commit(messages.Append{Session: sid(2), Delete: true}, messages.Append{Session: sid(3), Delete: true})
	want := f.history(sid(1))
	stop, idle := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(idle)
		for head := messages.Seq(40); ; head += 2 {
			select {
			case <-stop:
				return
			default:
			}
			f.commit(more(sid(1), head, 2))
			sameEvents(t, "events", f.history(sid(1))[:40], want)
		}
	}()
	f.reclaim(1, 0)
	if _, err := f.store.Verify(t.Context(), func(FileReport) {
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		f.store.options.rewriteLeast = 0 // the whole file again
		if err := f.store.replace(short, f.store.manifest.Sealed[0], manifest.SealedFile{Name: "000001-9.journal"}); messages.KindOf(err) != messages.Canceled {
			t.Errorf("a file is replaced under who reads all: %v", err)
		}
	}); err != nil {
		t.Error(err)
	}
	close(stop)
	<-idle
}

// A kill at any step leaves the journal unchanged; the next attempt succeeds.
func TestCrashAtEveryStepOfARewrite(t *testing.T) {
	pictures := t.TempDir()
	var steps []string
	f := newFixture(t, greedy)
	f.commit(heavy(sid(1), 0, 3), big(sid(2), 0, "two"))
	f.seal()
	f.commit(more(sid(1), 3, 2), more(sid(2), 40, 2))
	f.give(1, 2)
	f.give(2, 41)
	directory := f.options.Directory
	note := func(step string) error {
		steps = append(steps, fmt.Sprintf("%02d %s", len(steps), step))
		copyTree(t, directory, filepath.Join(pictures, steps[len(steps)-1]))
		return nil
	}
	f.store.options.steps = note
	f.reclaim(1, 2)
	f.store.options.steps = nil
	if len(steps) < 6 {
		t.Fatalf("steps: %v", steps)
	}
	after := func(n int, low messages.Seq) []messages.Event {
		got, err := f.store.Events(sid(n), low, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	one, two := after(1, 2), after(2, 41)
	for _, step := range steps {
		t.Run(step, func(t *testing.T) {
			g := makeFixture(t, filepath.Join(pictures, step), greedy)
			g.open()
			defer g.finish()
			for _, then := range []func(){func() {}, func() { g.store.Reclaim(t.Context(), -1) }, g.reopen} {
				then()
				for n, want := range map[int][]messages.Event{1: one, 2: two} {
					got, err := g.store.Events(sid(n), 0, 0, 0)
					if err != nil {
						t.Error(err)
					}
					sameEvents(t, "events", got, want)
				}
			}
			names, _ := filepath.Glob(g.path("*.journal*"))
			if len(names) != 2 || !slices.Contains(g.store.manifest.Names(), "000001-1.journal") {
				t.Errorf("files %v, %v", names, g.store.manifest.Names())
			}
			if left := g.payloads(); len(left) != 2 { // the third event's, and the input's
				t.Errorf("payloads %v", left)
			}
		})
	}
}

// A damaged file is not rewritten, nor is one for which there is no space; the others are.
func TestRewriteOfADamagedFile(t *testing.T) {
	f := newFixture(t, greedy)
	f.damaged = true
	for n := range 2 {
		f.commit(big(sid(n+1), 0, "some text"), begin(sid(n+3), 3))
		f.seal()
	}
	f.commit(messages.Append{Session: sid(1), Delete: true}, messages.Append{Session: sid(2), Delete: true})
	f.store.options.maxBytes = 4 * boltfile.PageSize
	_, err := f.store.Reclaim(t.Context(), -1)
	wantKind(t, "no room", err, messages.Unavailable)
	f.store.options.maxBytes = 0
	path := f.path(boltfile.Name(1))
	f.close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(data, []byte("some text"))
	data[at] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f.open()
	done, err := f.store.Reclaim(t.Context(), -1)
	if err != nil || done.Rewritten != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	wantKind(t, "the damage", done.Damaged, messages.DataLoss)
	if !strings.Contains(done.Damaged.Error(), "events/1/") {
		t.Errorf("it says %v", done.Damaged)
	}
	sameEvents(t, "the others", f.history(sid(4)), events(0, 3))
}

// Work in the background is throttled, and ends when its context ends.
func TestRewriteIsPaced(t *testing.T) {
	p := throttle{ctx: t.Context(), rate: 1 << 30}
	began := time.Now()
	for range 64 {
		if err := p.pass(throttleBytes); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(began); took < 60*time.Millisecond {
		t.Errorf("64 MiB at 1 GiB/s took %s", took)
	}
	f := newFixture(t, greedy)
	f.commit(big(sid(1), 0, "one"))
	f.seal()
	f.commit(messages.Append{Session: sid(1), Delete: true})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.store.Reclaim(ctx, -1)
	wantKind(t, "nobody wants it", err, messages.Canceled)
	if names, _ := filepath.Glob(f.path("*.journal*")); len(names) != 2 {
		t.Errorf("left: %v", names)
	}
	f.reclaim(1, 0)
}
