package persistence

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/record"
)

// spoil damages a journal file through bbolt itself, without the store's rules for rows.
func spoil(file *boltfile.File, change func(tx *bolt.Tx) error) error {
	return file.Update("spoil", func(tx *boltfile.Tx) error {
		return change(tx.Cursor(record.BucketEvents).(*bolt.Cursor).Bucket().Tx())
	})
}

// spoil changes the active file.
func (f *fixture) spoil(change func(tx *bolt.Tx) error) error { return spoil(f.store.active, change) }

// change rewrites one value without the store's knowledge.
func (f *fixture) change(bucket string, key []byte, change func(value []byte) []byte) {
	f.Helper()
	f.checkpoint()
	err := f.spoil(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte(bucket))
		value := b.Get(key)
		if value == nil {
			return errors.New("there is no such key")
		}
		return b.Put(key, change(bytes.Clone(value)))
	})
	if err != nil {
		f.Fatalf("change %s: %v", record.Describe([]byte(bucket), key), err)
	}
}

func (f *fixture) raw(bucket string, key []byte) (value []byte) {
	f.Helper()
	f.checkpoint()
	f.store.active.View("read", func(tx *boltfile.Tx) error {
		value = bytes.Clone(tx.Get([]byte(bucket), key))
		return nil
	})
	return value
}

// A damaged record is reported with its name, and affects its session alone.
func TestDamagedRecords(t *testing.T) {
	cut := func(v []byte) []byte { return v[:len(v)/2] }
	flip := func(v []byte) []byte { v[len(v)/3] ^= 0x10; return v }
	load := func(f *fixture) error { _, err := f.store.Load(sid(1)); return err }
	first := func(f *fixture) error { _, err := f.store.Events(sid(1), 0, 0, 0); return err }
	seen := func(f *fixture) error { _, _, err := f.store.Seen(sid(1), "idem"); return err }
	pending := func(f *fixture) error { _, err := f.store.Pending(""); return err }
	for _, c := range []struct {
		name, bucket string
		key          []byte
		read         func(f *fixture) error
	}{
		{"ids/", "ids", []byte(sid(1)), load},
		{"sessions/1/record", "sessions", record.RowKey(1, record.RowSession), load},
		{"sessions/1/cursor", "sessions", record.RowKey(1, record.RowCursor), load},
		{"runs/1/1", "runs", record.PairKey(1, 1), load},
		{`inputs/1/"one"`, "inputs", record.NameKey(1, "one"), load},
		{`bodies/1/"one"`, "bodies", record.NameKey(1, "one"), load},
		{`permissions/1/"p1"`, "permissions", record.NameKey(1, "p1"), load},
		{`permissions/1/"p1"`, "permissions", record.NameKey(1, "p1"), pending},
		{`keys/1/"idem"`, "keys", record.NameKey(1, "idem"), seen},
		{"events/1/3", "events", record.PairKey(1, 3), first},
	} {
		for how, spoil := range map[string]func([]byte) []byte{"cut": cut, "flipped": flip} {
			t.Run(strings.ReplaceAll(c.name, "/", " ")+" "+how, func(t *testing.T) {
				f := newFixture(t)
				f.damaged = true
				f.commit(full(sid(1), 0), full(sid(2), 0))
				f.change(c.bucket, c.key, spoil)
				f.reopen()
				err := c.read(f)
				wantKind(t, "read", err, messages.DataLoss)
				if !strings.Contains(err.Error(), c.name) {
					t.Errorf("it says %q, not %q", err, c.name)
				}
				f.unharmed(sid(2))
				report, err := f.store.Verify(t.Context(), nil)
				if err != nil || report.OK() || !strings.Contains(report.Problems[0].String(), c.name) {
					t.Errorf("verify: %v, %v", report.Problems, err)
				}
			})
		}
	}
}

// unharmed checks that a session made with full can still be used.
func (f *fixture) unharmed(id messages.SessionID) {
	f.Helper()
	if !f.load(id).Found {
		f.Errorf("%s is not found", id)
	}
	head, err := f.store.Head(id)
	if err != nil {
		f.Errorf("%v", err)
	}
	f.commit(more(id, head, 2))
	sameEvents(f, "the other's events", f.history(id), events(0, int(head)+2))
	pending, _ := f.store.Pending("")
	unfinished, err := f.store.Unfinished()
	listed, _, err2 := f.store.Sessions("", "", 0, 0)
	if len(pending) == 0 || len(unfinished) == 0 || len(listed) == 0 || errors.Join(err, err2) != nil {
		f.Errorf("pending %v, unfinished %v, listed %v, %v", pending, unfinished, listed, errors.Join(err, err2))
	}
}

func TestDamagedSessionCanBeDeletedAndSealed(t *testing.T) {
	f := newFixture(t)
	f.commit(full(sid(1), 0), full(sid(2), 0), full(sid(3), 0))
	f.change("sessions", record.RowKey(1, record.RowSession), func(v []byte) []byte { return v[:5] })
	f.change("ids", []byte(sid(3)), func(v []byte) []byte { return v[:5] })
	f.reopen()
	f.seal() // loses nothing, not even what is damaged
	f.reopen()
	for _, id := range []messages.SessionID{sid(1), sid(3)} {
		_, err := f.store.Load(id)
		wantKind(t, "load", err, messages.DataLoss)
		if found, err := f.store.Resolve(string(id), ""); found != id || err != nil {
			t.Errorf("resolve: %s, %v", found, err)
		}
		wantKind(t, "append", f.store.Commit([]messages.Append{more(id, 3, 1)})[0], messages.DataLoss)
	}
	f.commit(messages.Append{Session: sid(1), Delete: true}, messages.Append{Session: sid(3), Delete: true})
	f.unharmed(sid(2))
	f.damaged = true // the rows of sid(3) have no session now
}

func TestMissingChunk(t *testing.T) {
	f := newFixture(t)
	f.damaged = true
	f.commit(begin(sid(1), 3), full(sid(2), 0))
	f.checkpoint()
	f.commit(more(sid(1), 3, 3))
	f.checkpoint()
	f.commit(more(sid(1), 6, 3))
	f.checkpoint()
	f.spoil(func(tx *bolt.Tx) error { return tx.Bucket(record.BucketEvents).Delete(record.PairKey(1, 6)) })
	got, err := f.store.Events(sid(1), 0, 0, 0)
	sameEvents(t, "up to the hole", got, events(0, 3))
	if err != nil {
		t.Errorf("up to the hole: %v", err)
	}
	_, err = f.store.Events(sid(1), 3, 0, 0)
	wantKind(t, "in the hole", err, messages.DataLoss)
	if !strings.Contains(err.Error(), "event 4 is missing") {
		t.Errorf("in the hole: %v", err)
	}
	got, err = f.store.Events(sid(1), 6, 0, 0)
	sameEvents(t, "beyond the hole", got, events(6, 3))
	if err != nil {
		t.Errorf("beyond the hole: %v", err)
	}
	if report, _ := f.store.Verify(t.Context(), nil); report.OK() {
		t.Error("verify finds nothing")
	}
	f.unharmed(sid(2))
}

// pageWith returns the number of the last page that holds a text.
func (f *fixture) pageWith(text []byte) int64 {
	f.Helper()
	f.checkpoint()
	data, err := os.ReadFile(f.path(f.store.active.Name))
	if err != nil {
		f.Fatalf("%v", err)
	}
	at := bytes.LastIndex(data, text)
	if at < 0 {
		f.Fatalf("no page has %q", text)
	}
	for page := at / boltfile.PageSize; page > 1; page-- { // to the head of one that is longer
		if head := data[page*boltfile.PageSize:]; number(head, 0) == uint64(page) && page+int(head[12]) >= at/boltfile.PageSize {
			return int64(page)
		}
	}
	f.Fatalf("page %d is nobody's", at/boltfile.PageSize)
	return 0
}

// scribble overwrites a page of the active file, under the store.
func (f *fixture) scribble(page int64, with byte) {
	f.Helper()
	file, err := os.OpenFile(f.path(f.store.active.Name), os.O_WRONLY, 0)
	if err != nil {
		f.Fatalf("%v", err)
	}
	defer file.Close()
	if _, err := file.WriteAt(bytes.Repeat([]byte{with}, boltfile.PageSize), page*boltfile.PageSize); err != nil {
		f.Fatalf("%v", err)
	}
}

// big is an append whose events fill pages of their own.
func big(id messages.SessionID, after messages.Seq, text string) messages.Append {
	a := more(id, after, 40)
	for i := range a.Events {
		a.Events[i].Bytes = append(bytes.Repeat([]byte{byte(i)}, 900), text...)
	}
	if after == 0 {
		a.Record = summary(id, epoch)
	}
	return a
}

// bbolt panics on an invalid page. Only the sessions on that page may be affected.
func TestDamagedPage(t *testing.T) {
	for name, with := range map[string]byte{"zeroed": 0, "overwritten": 0xff} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.damaged = true
			f.commit(big(sid(1), 0, "premier"), big(sid(2), 0, "second"), full(sid(3), 0))
			f.scribble(f.pageWith([]byte("premier")), with)
			_, err := f.store.Events(sid(1), 39, 0, 0)
			wantKind(t, "read", err, messages.DataLoss)
			results := f.store.Commit([]messages.Append{more(sid(3), 3, 1), big(sid(1), 40, "premier"), big(sid(2), 40, "second")})
			wantKind(t, "append to the damaged", results[1], messages.DataLoss)
			if results[0] != nil || results[2] != nil {
				t.Errorf("the others: %v, %v", results[0], results[2])
			}
			err = f.store.Commit([]messages.Append{big(sid(1), 40, "premier")})[0]
			wantKind(t, "append again", err, messages.DataLoss)
			f.unharmed(sid(3))
			// The page may hold the second's oldest events as well.
			if got, err := f.store.Events(sid(2), 30, 0, 0); len(got) != 50 || err != nil {
				t.Errorf("the second has %d more events, %v", len(got), err)
			}
			report, err := f.store.Verify(t.Context(), nil)
			if report.OK() || err != nil {
				t.Errorf("verify: %v, %v", report, err)
			}
			f.seal() // live state has pages of its own
			f.unharmed(sid(3))
		})
	}
}

// A file that becomes shorter under the mapping must not kill the process.
func TestFileCutUnderTheStore(t *testing.T) {
	f := newFixture(t)
	f.damaged = true
	f.commit(big(sid(1), 0, "premier"), big(sid(2), 0, "second"))
	f.checkpoint()
	if err := os.Truncate(f.path(f.store.active.Name), 4*boltfile.PageSize); err != nil {
		t.Fatal(err)
	}
	_, err := f.store.Events(sid(1), 39, 0, 0)
	wantKind(t, "events", err, messages.DataLoss)
	_, err = f.store.Load(sid(2))
	wantKind(t, "load", err, messages.DataLoss)
	_, _, err = f.store.Sessions("", "", 0, 0)
	wantKind(t, "sessions", err, messages.DataLoss)
	_, err = f.store.Unfinished()
	wantKind(t, "unfinished", err, messages.DataLoss)
	for _, err := range f.store.Commit([]messages.Append{more(sid(1), 40, 1), more(sid(2), 40, 1)}) {
		wantKind(t, "append", err, messages.DataLoss)
	}
	wantKind(t, "seal", f.store.Seal(), messages.DataLoss)
	if report, err := f.store.Verify(t.Context(), nil); report.OK() || err != nil {
		t.Errorf("verify: %v, %v", report, err)
	}
	f.close()
	_, err = Open(f.options)
	wantKind(t, "open", err, messages.DataLoss)
	os.RemoveAll(f.options.Directory)
	f.open()
}

// Both copies of the head of the file are lost: bbolt panics while it holds locks.
func TestMetaPagesLost(t *testing.T) {
	f := newFixture(t)
	f.damaged = true
	f.commit(full(sid(1), 0))
	f.checkpoint()
	f.scribble(0, 0)
	f.scribble(1, 0)
	for range 2 {
		_, err := f.store.Load(sid(1))
		wantKind(t, "load", err, messages.DataLoss)
		wantKind(t, "append", f.store.Commit([]messages.Append{more(sid(1), 3, 1)})[0], messages.DataLoss)
	}
	f.close()
	_, err := Open(f.options)
	wantKind(t, "open", err, messages.DataLoss)
	os.RemoveAll(f.options.Directory)
	f.open()
}
