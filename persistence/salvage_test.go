package persistence

import (
	"slices"
	"testing"

	bolt "go.etcd.io/bbolt"

	"betcode/messages"
	"betcode/persistence/internal/record"
)

func (f *fixture) damagedIDs() (ids []messages.SessionID) {
	f.Helper()
	all, err := f.store.Damaged()
	if err != nil {
		f.Fatalf("damaged: %v", err)
	}
	for _, d := range all {
		if d.Record.Phase != messages.PhaseDamaged || d.Err == nil || d.Err.Hint == "" {
			f.Errorf("%s: phase %s, error %v", d.Record.ID, d.Record.Phase, d.Err)
		}
		ids = append(ids, d.Record.ID)
	}
	slices.Sort(ids)
	return ids
}

// TestDamagedSessionsAreListed damages each kind of record and expects the session
// among the damaged, not among the sound, with its sound events readable.
func TestDamagedSessionsAreListed(t *testing.T) {
	for _, c := range []struct {
		bucket string
		key    []byte
		load   bool // the damage shows only when the session is loaded
	}{
		{"sessions", record.RowKey(1, record.RowSession), false},
		{"sessions", record.RowKey(1, record.RowCursor), false},
		{"runs", record.PairKey(1, 1), true},
		{"inputs", record.NameKey(1, "one"), true},
		{"permissions", record.NameKey(1, "p1"), true},
	} {
		t.Run(c.bucket, func(t *testing.T) {
			f := newFixture(t)
			f.damaged = true
			f.commit(full(sid(1), 0), full(sid(2), 0))
			f.change(c.bucket, c.key, func(v []byte) []byte { v[len(v)/3] ^= 0x10; return v })
			f.reopen()
			if c.load {
				_, err := f.store.Load(sid(1))
				wantKind(t, "load", err, messages.DataLoss)
			}
			if got := f.damagedIDs(); !slices.Equal(got, []messages.SessionID{sid(1)}) {
				t.Errorf("damaged: %v", got)
			}
			if n, first := f.store.DamagedSessions(); n != 1 || first != sid(1) {
				t.Errorf("%d damaged, first %s", n, first)
			}
			listed, total, err := f.store.Sessions("", "", 0, 0)
			if err != nil || total != 1 || len(listed) != 1 || listed[0].ID != sid(2) {
				t.Errorf("sound: %v of %d, %v", listed, total, err)
			}
			got, gap, err := f.store.Salvaged(sid(1), 0, 0, 0)
			if err != nil || gap != nil {
				t.Errorf("salvage: %v, %v", gap, err)
			}
			sameEvents(t, "what can be read", got, events(0, 3))
			if found, err := f.store.Resolve("@last", ""); found != sid(2) || err != nil {
				t.Errorf("@last is %s, %v", found, err)
			}
			f.commit(messages.Append{Session: sid(1), Delete: true})
			if got := f.damagedIDs(); len(got) != 0 {
				t.Errorf("damaged after the deletion: %v", got)
			}
			f.unharmed(sid(2))
		})
	}
}

// TestSalvagedHistoryNamesItsGap reads around a missing and a damaged chunk, and
// around one in a sealed file.
func TestSalvagedHistoryNamesItsGap(t *testing.T) {
	f := newFixture(t)
	f.damaged = true
	f.commit(begin(sid(1), 3), full(sid(2), 0))
	for head := messages.Seq(3); head < 15; head += 3 {
		f.checkpoint()
		f.commit(more(sid(1), head, 3))
	}
	f.checkpoint()
	drop := func(last uint64) {
		t.Helper()
		err := f.spoil(func(tx *bolt.Tx) error { return tx.Bucket(record.BucketEvents).Delete(record.PairKey(1, last)) })
		if err != nil {
			t.Fatal(err)
		}
	}
	drop(6)
	f.change("events", record.PairKey(1, 9), func(v []byte) []byte { v[3] ^= 1; return v })
	whole := func(when string) {
		t.Helper()
		got, gap, err := f.store.Salvaged(sid(1), 0, 0, 0)
		sameEvents(t, when+": before the gap", got, events(0, 3))
		if gap != nil || err != nil {
			t.Errorf("%s: %v, %v", when, gap, err)
		}
		got, gap, err = f.store.Salvaged(sid(1), 3, 0, 0)
		if err != nil || gap == nil || gap.From != 4 || gap.To != 9 || gap.Reason == "" {
			t.Errorf("%s: gap %+v, %v", when, gap, err)
		}
		sameEvents(t, when+": behind the gap", got, events(9, 6))
	}
	whole("in the active file")
	f.seal()
	whole("in a sealed file")
	f.commit(more(sid(1), 15, 2))
	whole2, gap, err := f.store.Salvaged(sid(1), 15, 0, 0)
	sameEvents(t, "after the seal", whole2, events(15, 2))
	if gap != nil || err != nil {
		t.Errorf("after the seal: %v, %v", gap, err)
	}
	f.checkpoint()
	drop(17)
	if got, gap, err := f.store.Salvaged(sid(1), 15, 0, 0); len(got) != 0 || gap == nil || gap.From != 16 || gap.To != 0 || err != nil {
		t.Errorf("at the end: %v, %+v, %v", got, gap, err)
	}
	if got, gap, err := f.store.Salvaged(sid(1), 17, 0, 0); len(got) != 0 || gap != nil || err != nil {
		t.Errorf("behind the end: %v, %+v, %v", got, gap, err)
	}
}
