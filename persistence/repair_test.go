package persistence

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/record"
	"betcode/persistence/internal/recovery"
	"betcode/persistence/internal/wal"
)

// inLogs makes a journal of several sessions whose newest groups are in a log, closed
// as by a kill, and returns what is in it and where its newest group begins.
func inLogs(t *testing.T) (f *fixture, want map[messages.SessionID][]messages.Event, newest int64) {
	t.Helper()
	f = makeFixture(t, t.TempDir())
	f.open()
	heads := map[int]messages.Seq{1: 3, 2: 3, 3: 3, 4: 3}
	f.commit(full(sid(1), 0), full(sid(2), 0), full(sid(3), 0))
	f.checkpoint()
	f.commit(begin(sid(4), 3))
	for i, n := range []int{1, 2, 1, 4, 3, 2, 1} {
		a := more(sid(n), heads[n], 1+i%3)
		if i%2 == 0 {
			a.Record = summary(sid(n), f.clock)
		}
		newest = f.store.log.Length()
		f.commit(a)
		heads[n] += messages.Seq(len(a.Events))
	}
	want = map[messages.SessionID][]messages.Event{}
	for n, head := range heads {
		want[sid(n)] = events(0, int(head))
	}
	f.store.options.steps = func(string) error { return errCrash }
	f.close()
	return f, want, newest
}

// copied is a copy of a closed journal.
func (f *fixture) copied(t *testing.T) *fixture {
	t.Helper()
	directory := filepath.Join(t.TempDir(), "journal")
	copyTree(t, f.options.Directory, directory)
	g := makeFixture(t, directory)
	g.damaged = true
	return g
}

// readable returns the events of a session that can be read.
func (f *fixture) readable(id messages.SessionID) (all []messages.Event) {
	f.Helper()
	for after := messages.Seq(0); ; {
		got, _, err := f.store.Salvaged(id, after, 0, 0)
		if err != nil || len(got) == 0 {
			return all
		}
		all, after = append(all, got...), got[len(got)-1].Seq
	}
}

// TestLogFlips flips each bit of a log, one at a time: it is read as it was.
func TestLogFlips(t *testing.T) {
	f, _, _ := inLogs(t)
	data, err := os.ReadFile(f.path(wal.Names[1]))
	if err != nil {
		t.Fatal(err)
	}
	tag := wal.TagOf(f.store.lineage)
	want := wal.Walk(bytes.Clone(data), tag, 1, record.SoundRows)
	data = data[:want.End]
	if len(want.Groups) < 8 {
		t.Fatalf("%d groups", len(want.Groups))
	}
	for bit := range 8 * len(data) {
		data[bit/8] ^= 1 << (bit % 8)
		got := wal.Walk(data, tag, 1, record.SoundRows)
		if len(got.Broken) > 0 || len(got.Gaps) > 0 || !slices.EqualFunc(got.Groups, want.Groups, sameGroup) {
			t.Fatalf("bit %d: %d groups of %d, %d broken, gaps %v", bit, len(got.Groups), len(want.Groups), len(got.Broken), got.Gaps)
		}
		data[bit/8] ^= 1 << (bit % 8)
	}
}

func sameGroup(a, b wal.Group) bool {
	return a.Tag == b.Tag && a.Number == b.Number && slices.Equal(a.Owners, b.Owners) && bytes.Equal(a.Rows, b.Rows)
}

// TestFlippedBitIsReported: the journal opens complete, and has a finding with the place of the bit.
func TestFlippedBitIsReported(t *testing.T) {
	f, want, _ := inLogs(t)
	for _, at := range []int64{2, 9, 24, 45, 90} {
		g := f.copied(t)
		g.smudge1(wal.Names[1], at)
		g.open()
		for id, events := range want {
			sameEvents(t, string(id), g.history(id), events)
		}
		found := g.store.Findings()
		if len(found) != 1 || found[0].File != wal.Names[1] || found[0].Crash || !strings.Contains(found[0].Outcome, "nothing is lost") {
			t.Errorf("byte %d: %v", at, found)
		}
		g.verify()
		g.close()
	}
}

// smudge1 flips one bit of a byte.
func (f *fixture) smudge1(name string, at int64) {
	f.Helper()
	data, err := os.ReadFile(f.path(name))
	if err == nil {
		data[at] ^= 4
		err = os.WriteFile(f.path(name), data, 0o600)
	}
	if err != nil {
		f.Fatalf("%v", err)
	}
}

// TestDamagedLogs damages parts of a log before its newest group, with a fixed seed. The
// journal opens, and sessions are sound or listed as damaged; or it is refused, a repair
// reports the loss, changes nothing until it is asked to, and then the journal opens
// with everything else.
func TestDamagedLogs(t *testing.T) {
	f, want, newest := inLogs(t)
	r := rand.New(rand.NewPCG(13, 3))
	rounds, refused := 60, 0
	if testing.Short() {
		rounds = 20
	}
	for round := range rounds {
		length := 2 + r.Int64N(40)
		if round%4 == 0 {
			length = 40 + r.Int64N(400)
		}
		at := r.Int64N(newest)
		length = min(length, newest-at)
		what := fmt.Sprintf("round %d, %d bytes at %d", round, length, at)
		g := f.copied(t)
		g.smudge(wal.Names[1], at, length)
		s, err := Open(g.options)
		if err == nil {
			g.store = s
			g.keepsAll(t, what, want, nil)
			g.close()
			continue
		}
		refused++
		wantKind(t, what, err, messages.DataLoss)
		if e := fault.As(err); !strings.Contains(e.Hint, "journal repair") || !strings.Contains(e.Error(), "offset") || e.Details["file"] != wal.Names[1] {
			t.Fatalf("%s: %v, hint %q", what, e, e.Hint)
		}
		before := g.copied(t)
		os.Remove(before.path(boltfile.LockName))
		plan, err := Repair(t.Context(), RepairOptions{Directory: g.options.Directory})
		if err != nil || !plan.Needed || plan.Aside != "" {
			t.Fatalf("%s: %+v, %v", what, plan, err)
		}
		sameTree(t, before.options.Directory, g.options.Directory)
		done, err := Repair(t.Context(), RepairOptions{Directory: g.options.Directory, Apply: true})
		if err != nil || fmt.Sprint(done.Lost) != fmt.Sprint(plan.Lost) {
			t.Fatalf("%s: %+v, then %+v, %v", what, plan, done, err)
		}
		sameTree(t, before.options.Directory, done.Aside)
		g.open()
		g.keepsAll(t, what, want, &done.Lost)
		for range 2 {
			g.reopen()
			g.keepsAll(t, what+", opened again", want, &done.Lost)
		}
		g.close()
	}
	if refused == 0 || refused == rounds {
		t.Errorf("%d of %d rounds were refused", refused, rounds)
	}
}

// keepsAll checks that a journal has everything except the reported loss.
func (f *fixture) keepsAll(t *testing.T, what string, want map[messages.SessionID][]messages.Event, lost *recovery.Loss) {
	t.Helper()
	damaged := f.damagedIDs()
	for id, events := range want {
		got := f.readable(id)
		var ranges []recovery.LostRange
		named := false
		if lost != nil {
			for _, l := range lost.Sessions {
				if l.Session == id {
					named, ranges = true, l.Ranges
				}
			}
		}
		if named != slices.Contains(damaged, id) && (lost != nil || named) {
			t.Errorf("%s: %s is named %t, damaged %v", what, id, named, damaged)
		}
		if !slices.Contains(damaged, id) {
			if lost != nil && lost.Unread > 0 && len(got) < len(events) {
				sameEvents(t, what+": the beginning of "+string(id), got, events[:len(got)])
			} else {
				sameEvents(t, what+": "+string(id), got, events)
			}
			continue
		}
		for _, e := range got {
			if want := events[e.Seq-1]; !bytes.Equal(e.Bytes, want.Bytes) {
				t.Errorf("%s: %s: event %d is another one", what, id, e.Seq)
			}
		}
		if lost == nil {
			continue
		}
		gone := 0
		for _, r := range ranges {
			gone += int(r.To-r.From) + 1
		}
		if whole := len(got)+gone == len(events); !whole && lost.Unread == 0 || len(got)+gone > len(events) {
			t.Errorf("%s: %s has %d events of %d, and says %v is lost", what, id, len(got), len(events), ranges)
		}
	}
}
