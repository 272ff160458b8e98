package persistence

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/record"
)

func TestVerifyReports(t *testing.T) {
	f := newFixture(t)
	f.commit(full(sid(1), 0), begin(sid(2), 5))
	f.seal()
	f.commit(more(sid(1), 3, 4), messages.Append{Session: sid(2), Delete: true})
	called := 0
	report, err := f.store.Verify(t.Context(), func(FileReport) { called++ })
	if err != nil || !report.OK() {
		t.Fatalf("%v, %v", report.Problems, err)
	}
	if len(report.Files) != 2 || report.Sessions != 1 || report.Files[0].Events != 8 || report.Files[1].Events != 4 ||
		report.Files[0].Keys == 0 || report.Files[0].Bytes == 0 {
		t.Errorf("report: %+v", report)
	}
}

func TestVerifyCanBeCanceled(t *testing.T) {
	f := newFixture(t)
	head := messages.Seq(0)
	f.commit(begin(sid(1), 0))
	for range 5 {
		a := more(sid(1), head, 1000)
		for i := range a.Events {
			a.Events[i].Bytes = bytes.Repeat([]byte{1}, record.ChunkBytes)
		}
		f.commit(a)
		head += 1000
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := f.store.Verify(ctx, func(FileReport) { cancel() })
	wantKind(t, "verify", err, messages.Canceled)
	f.commit(more(sid(1), head, 1)) // the journal accepts appends
}

// Verify finds each kind of damage that no reading of one session finds.
func TestVerifyFinds(t *testing.T) {
	drop := func(bucket string, key []byte) func(tx *bolt.Tx) error {
		return func(tx *bolt.Tx) error { return tx.Bucket([]byte(bucket)).Delete(key) }
	}
	move := func(bucket string, from, to []byte) func(tx *bolt.Tx) error {
		return func(tx *bolt.Tx) error {
			b := tx.Bucket([]byte(bucket))
			body, err := record.Unstamp(from, b.Get(from))
			if err != nil {
				return err
			}
			value := record.Stamp(to, bytes.Clone(body))
			if err := b.Delete(from); err != nil {
				return err
			}
			return b.Put(to, value)
		}
	}
	for _, c := range []struct {
		name, says string
		spoil      func(tx *bolt.Tx) error
	}{
		{"no record", "has 1 rows of 2", drop("sessions", record.RowKey(1, record.RowSession))},
		{"no cursor", "has 1 rows of 2", drop("sessions", record.RowKey(1, record.RowCursor))},
		{"no body", "without its body", drop("bodies", record.NameKey(1, "one"))},
		{"no identity", "is of no session", drop("ids", []byte(sid(1)))},
		{"foreign run", "is of no session", move("runs", record.PairKey(1, 1), record.PairKey(77, 1))},
		{"last events missing", "events 4 to 6 are there, 4 to 9", drop("events", record.PairKey(1, 9))},
		{"first events missing", "events 7 to 9 are there, 4 to 9", drop("events", record.PairKey(1, 6))},
		{"events of nobody", "is of no session", move("events", record.PairKey(1, 9), record.PairKey(77, 9))},
		{"events misnumbered", "begins with event 8", move("events", record.PairKey(1, 9), record.PairKey(1, 10))},
		{"two of one number", "has the same number", func(tx *bolt.Tx) error {
			key := []byte(sid(1))
			body, err := record.Unstamp(key, tx.Bucket(record.BucketIDs).Get(key))
			if err != nil {
				return err
			}
			return tx.Bucket(record.BucketIDs).Put([]byte("x"), record.Stamp([]byte("x"), bytes.Clone(body)))
		}},
		{"number never given", "was never given", func(tx *bolt.Tx) error { return tx.Bucket(record.BucketIDs).SetSequence(0) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.damaged = true
			f.commit(full(sid(1), 0), full(sid(2), 0))
			f.seal()
			f.commit(more(sid(1), 3, 3))
			f.checkpoint()
			f.commit(more(sid(1), 6, 3))
			f.checkpoint()
			if err := f.spoil(c.spoil); err != nil {
				t.Fatal(err)
			}
			f.reopen()
			f.finds(c.says)
		})
	}
}

func (f *fixture) finds(says string) {
	f.Helper()
	report, err := f.store.Verify(context.Background(), nil)
	if err != nil {
		f.Errorf("%v", err)
	}
	for _, p := range report.Problems {
		if strings.Contains(p.String(), says) {
			return
		}
	}
	f.Errorf("verify says %v, not %q", report.Problems, says)
}

func TestVerifyFindsDamagedSealedFile(t *testing.T) {
	f := newFixture(t)
	f.damaged = true
	f.commit(big(sid(1), 0, "premier"))
	page := f.pageWith([]byte("premier"))
	f.seal()
	f.commit(more(sid(1), 40, 1))
	data, err := os.OpenFile(f.path(boltfile.Name(1)), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	data.WriteAt(make([]byte, boltfile.PageSize), page*boltfile.PageSize)
	data.Close()
	f.finds("000001.journal: ")
	_, err = f.store.Events(sid(1), 39, 0, 0)
	wantKind(t, "events", err, messages.DataLoss)
	if got, err := f.store.Events(sid(1), 40, 0, 0); len(got) != 1 || err != nil {
		t.Errorf("the active file: %d, %v", len(got), err)
	}
	f.close()
	if err := os.Truncate(f.path(boltfile.Name(1)), 3*boltfile.PageSize); err != nil {
		t.Fatal(err)
	}
	_, err = Open(f.options)
	wantKind(t, "open", err, messages.DataLoss)
	os.RemoveAll(f.options.Directory)
	f.open()
}

// Some damage only bbolt's own check finds: pages that are neither used nor free.
func TestVerifyFindsLostPages(t *testing.T) {
	f := newFixture(t)
	f.damaged = true
	f.commit(begin(sid(1), 3))
	f.commit(more(sid(1), 3, 3))
	path := f.path(f.store.active.Name)
	f.close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	newest := data[:boltfile.PageSize]
	if other := data[boltfile.PageSize : 2*boltfile.PageSize]; number(other, 64) > number(newest, 64) {
		newest = other
	}
	freelist := data[number(newest, 48)*boltfile.PageSize:]
	freelist[10], freelist[11] = 0, 0 // its length
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f.open()
	f.finds("unreachable unfreed")
}

// number reads one of the numbers of a bbolt page.
func number(page []byte, at int) uint64 { return binary.LittleEndian.Uint64(page[at:]) }

// The sessions in memory must equal those in the file.
func TestVerifyComparesMemory(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 3))
	right := f.store.index.get(sid(1))
	wrong := *right
	wrong.head++
	f.store.index.entries[sid(1)] = &wrong
	f.finds("remembered as 4")
	f.store.index.entries[sid(1)] = right
}
