package persistence

import (
	"bytes"
	"context"
	"os"
	"testing"

	bolt "go.etcd.io/bbolt"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/record"
)

// A change of a session's past is found, even with right checksums, and
// where: it need not be noticed by any other check.
func TestChainNamesTheChunk(t *testing.T) {
	// rewrite puts events in place of those of a chunk, with the link that was
	// there and a checksum that is right.
	rewrite := func(b *bolt.Bucket, key []byte, change func([]byte) []byte) error {
		body, err := record.Unstamp(key, b.Get(key))
		if err != nil {
			return err
		}
		stored, l, _ := record.Unchain(body)
		return b.Put(key, record.Stamp(key, l.Chained(change(bytes.Clone(stored)))))
	}
	for _, c := range []struct {
		name  string
		spoil func(b *bolt.Bucket) error
		says  []string
	}{
		{"nothing", func(*bolt.Bucket) error { return nil }, nil},
		{"a bit", func(b *bolt.Bucket) error {
			return rewrite(b, record.PairKey(1, 7), func(events []byte) []byte { events[len(events)-1] ^= 1; return events })
		}, []string{"000002.journal: events/1/7: its hash"}},
		{"a bit of the first", func(b *bolt.Bucket) error {
			return rewrite(b, record.PairKey(1, 5), func(events []byte) []byte { events[9] ^= 1; return events })
		}, []string{"000002.journal: events/1/5: its hash"}},
		{"a bit of the last", func(b *bolt.Bucket) error {
			return rewrite(b, record.PairKey(1, 9), func(events []byte) []byte { events[9] ^= 1; return events })
		}, []string{"000002.journal: events/1/9: its hash"}},
		{"two in each other's place", func(b *bolt.Bucket) error {
			one, two := bytes.Clone(b.Get(record.PairKey(1, 6))), bytes.Clone(b.Get(record.PairKey(1, 7)))
			for _, swap := range []op{{key: record.PairKey(1, 6), value: two}, {key: record.PairKey(1, 7), value: one}} {
				body := swap.value[:len(swap.value)-record.ChecksumBytes]
				if err := b.Put(swap.key, record.Stamp(swap.key, bytes.Clone(body))); err != nil {
					return err
				}
			}
			return nil
		}, []string{"events/1/6: its hash", "events/1/7: its hash"}},
		{
			"one missing", func(b *bolt.Bucket) error { return b.Delete(record.PairKey(1, 7)) },
			[]string{"events/1/8: it begins with event 8; the one before ended with 6", "events/1/8: its hash"},
		},
		{"a tail written anew", func(b *bolt.Bucket) error {
			rows, _ := record.ChainEvents(1, []messages.Event{{Seq: 9, Bytes: []byte("another")}}, record.Link{})
			return b.Put(rows[0].Key, rows[0].Value)
		}, []string{"sessions/1/cursor: the hash of the history up to event 9"}},
		{"a link removed", func(b *bolt.Bucket) error {
			body, _ := record.Unstamp(record.PairKey(1, 9), b.Get(record.PairKey(1, 9)))
			stored, _, _ := record.Unchain(body)
			return b.Put(record.PairKey(1, 9), record.Stamp(record.PairKey(1, 9), bytes.Clone(stored)))
		}, []string{"sessions/1/cursor: the hash of the history up to event 9"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.damaged = c.says != nil
			f.commit(begin(sid(1), 4), begin(sid(2), 3))
			f.seal()
			for head := messages.Seq(4); head < 9; head++ {
				f.commit(more(sid(1), head, 1))
				f.checkpoint() // a chunk each
			}
			f.seal()
			f.commit(more(sid(1), 9, 2))
			f.close()
			file, err := boltfile.Open("spoil", f.path(boltfile.Name(2)), boltfile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := spoil(file, func(tx *bolt.Tx) error { return c.spoil(tx.Bucket(record.BucketEvents)) }); err != nil {
				t.Fatal(err)
			}
			file.Close()
			f.open()
			report, err := f.store.Verify(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Problems) < len(c.says) || (c.says == nil && len(report.Problems) > 0) {
				t.Errorf("problems %v", report.Problems)
			}
			for _, says := range c.says {
				f.finds(says)
			}
			if len(c.says) == 1 && len(report.Problems) != 1 {
				t.Errorf("one change, %d problems: %v", len(report.Problems), report.Problems)
			}
		})
	}
}

// A file in place of another, from another copy of the same journal, does not
// fit its neighbours.
func TestChainAcrossFiles(t *testing.T) {
	f := newFixture(t)
	f.damaged = true
	f.commit(begin(sid(1), 4))
	f.seal()
	other := makeFixture(t, t.TempDir())
	copyTree(t, f.options.Directory, other.options.Directory)
	other.open()
	foreign := more(sid(1), 4, 3)
	foreign.Events[2].Bytes = []byte("what never was")
	other.commit(foreign)
	other.seal()
	other.close()
	f.commit(more(sid(1), 4, 3))
	f.seal()
	f.commit(more(sid(1), 7, 1))
	f.close()
	if err := disk.CopyFile(t.Context(), other.path(boltfile.Name(2)), f.path(boltfile.Name(2))+"x"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(f.path(boltfile.Name(2))+"x", f.path(boltfile.Name(2))); err != nil {
		t.Fatal(err)
	}
	f.open()
	f.finds("000003.journal: sessions/1/cursor: the hash of the history up to event 7 is not the one")
}

// A chain begins where an older build wrote last, and after what it wrote in
// between.
func TestChainBeginsAnew(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 3))
	f.checkpoint()
	f.commit(more(sid(1), 3, 3))
	older := func(last uint64) { // what an older build would have written
		f.change("events", record.PairKey(1, last), func(value []byte) []byte {
			stored, _, _ := record.Unchain(value[:len(value)-record.ChecksumBytes])
			return record.Stamp(record.PairKey(1, last), bytes.Clone(stored))
		})
		f.change("sessions", record.RowKey(1, record.RowCursor), func(value []byte) []byte {
			e := *f.store.index.get(sid(1))
			e.chain, e.baseChain = record.Link{}, record.Link{}
			changed, err := record.Encode(record.RowKey(1, record.RowCursor), record.StoreCursor(e.position(), &messages.Cursor{}), nil)
			if err != nil {
				t.Fatal(err)
			}
			return changed
		})
		f.reopen()
	}
	older(6)
	f.commit(more(sid(1), 6, 2))
	f.checkpoint()
	f.commit(more(sid(1), 8, 2))
	f.verify()
	older(10)
	f.verify()
	f.seal()
	f.commit(more(sid(1), 10, 2))
	report, err := f.store.Verify(t.Context(), nil)
	if err != nil || !report.OK() || report.Files[0].Chained != 5 || report.Files[1].Chained != 2 {
		t.Errorf("%+v, %v", report, err)
	}
}
