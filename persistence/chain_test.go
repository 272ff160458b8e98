package persistence

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"betcode/messages"
)

// Whoever changes the past of a session, checksums and all, is found out, and
// where: it need not be noticed by any other check.
func TestChainNamesTheChunk(t *testing.T) {
	// rewrite puts events in place of those of a chunk, with the link that was
	// there and a checksum that is right.
	rewrite := func(b *bolt.Bucket, key []byte, change func([]byte) []byte) error {
		body, err := unstamp(key, b.Get(key))
		if err != nil {
			return err
		}
		stored, l, _ := unchain(body)
		return b.Put(key, stamp(key, l.chained(change(bytes.Clone(stored)))))
	}
	for _, c := range []struct {
		name  string
		spoil func(b *bolt.Bucket) error
		says  []string
	}{
		{"nothing", func(*bolt.Bucket) error { return nil }, nil},
		{"a bit", func(b *bolt.Bucket) error {
			return rewrite(b, pairKey(1, 7), func(events []byte) []byte { events[len(events)-1] ^= 1; return events })
		}, []string{"000002.journal: events/1/7: its hash"}},
		{"a bit of the first", func(b *bolt.Bucket) error {
			return rewrite(b, pairKey(1, 5), func(events []byte) []byte { events[9] ^= 1; return events })
		}, []string{"000002.journal: events/1/5: its hash"}},
		{"a bit of the last", func(b *bolt.Bucket) error {
			return rewrite(b, pairKey(1, 9), func(events []byte) []byte { events[9] ^= 1; return events })
		}, []string{"000002.journal: events/1/9: its hash"}},
		{"two in each other's place", func(b *bolt.Bucket) error {
			one, two := bytes.Clone(b.Get(pairKey(1, 6))), bytes.Clone(b.Get(pairKey(1, 7)))
			for _, swap := range []op{{key: pairKey(1, 6), value: two}, {key: pairKey(1, 7), value: one}} {
				body := swap.value[:len(swap.value)-checksumBytes]
				if err := b.Put(swap.key, stamp(swap.key, bytes.Clone(body))); err != nil {
					return err
				}
			}
			return nil
		}, []string{"events/1/6: its hash", "events/1/7: its hash"}},
		{
			"one missing", func(b *bolt.Bucket) error { return b.Delete(pairKey(1, 7)) },
			[]string{"events/1/8: it begins with event 8; the one before ended with 6", "events/1/8: its hash"},
		},
		{"a tail written anew", func(b *bolt.Bucket) error {
			rows, _ := chainEvents(1, []messages.Event{{Seq: 9, Bytes: []byte("another")}}, link{})
			return b.Put(rows[0].key, rows[0].value)
		}, []string{"sessions/1/cursor: the hash of the history up to event 9"}},
		{"a link removed", func(b *bolt.Bucket) error {
			body, _ := unstamp(pairKey(1, 9), b.Get(pairKey(1, 9)))
			stored, _, _ := unchain(body)
			return b.Put(pairKey(1, 9), stamp(pairKey(1, 9), bytes.Clone(stored)))
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
			file, err := openBolt("spoil", f.path(fileName(2)), bolt.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := file.db.Update(func(tx *bolt.Tx) error { return c.spoil(tx.Bucket(bucketEvents)) }); err != nil {
				t.Fatal(err)
			}
			file.close()
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
	if err := copyFile(t.Context(), other.path(fileName(2)), f.path(fileName(2))+"x"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(f.path(fileName(2))+"x", f.path(fileName(2))); err != nil {
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
		f.change("events", pairKey(1, last), func(value []byte) []byte {
			stored, _, _ := unchain(value[:len(value)-checksumBytes])
			return stamp(pairKey(1, last), bytes.Clone(stored))
		})
		f.change("sessions", rowKey(1, rowCursor), func(value []byte) []byte {
			e := *f.store.index.get(sid(1))
			e.chain, e.baseChain = link{}, link{}
			changed, err := encode(rowKey(1, rowCursor), storeCursor(&e, &messages.Cursor{}), nil)
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

func TestUnchain(t *testing.T) {
	key := pairKey(3, 5)
	rows, last := chainEvents(3, events(2, 3), link{1})
	if len(rows) != 1 || !bytes.Equal(rows[0].key, key) {
		t.Fatalf("rows %v", rows)
	}
	body, _ := unstamp(key, rows[0].value)
	stored, l, byEvent := unchain(body)
	want := link{1}
	for _, e := range events(2, 3) {
		want = want.after(3, e.Seq, e.Bytes)
	}
	if l != last || l != want || !byEvent || len(stored)+chainBytes != len(body) {
		t.Errorf("link %x of %x", l, last)
	}
	for n := range body { // cut anywhere it does not panic
		unchain(body[:n])
	}
	if _, l, _ := unchain([]byte(strings.Repeat("\xff", 30))); l != (link{}) {
		t.Error("a link out of nothing")
	}
}
