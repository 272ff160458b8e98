package persistence

import (
	"bytes"
	"errors"
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
