package blob

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"

	"betcode/messages/failpoint"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
)

// Spill moves the large values of rows into payloads, for a caller that is about to
// write these rows to a file. The order makes it safe: payloads are written, synced,
// renamed, and their names synced (Settle), before the transaction begins that refers to
// them (List). Until Release no sweep removes them.
//
// A crash in between leaves payloads without a reference: the next checkpoint finds
// the same ones, or a sweep removes them.
type Spill struct {
	to     *Directory
	pinned []record.Payload
	listed int                    // how many of them are listed
	fresh  []record.PayloadID     // written, and not renamed yet
	dirs   map[string]bool        // with names that are not durable yet
	refs   map[*record.Row][]byte // references in place of the values of rows
	logs   []*memtable.Table      // rows that may refer to payloads without another reference

	throttled bool // writing must not delay the syncs of commits
	alone     bool // it has the lock for writing
}

// Spill begins to write payloads. The caller releases it.
func (b *Directory) Spill() *Spill {
	return &Spill{to: b, dirs: map[string]bool{}, refs: map[*record.Row][]byte{}}
}

// ThrottledSpill is Spill for a writer that must not delay the syncs of commits.
func (b *Directory) ThrottledSpill() *Spill {
	s := b.Spill()
	s.throttled = true
	return s
}

// Behind sets the tables whose rows may refer to payloads that no file lists yet.
func (s *Spill) Behind(logs []*memtable.Table) { s.logs = logs }

// Rows moves the large values of a table out of line.
func (s *Spill) Rows(t *memtable.Table) error {
	s.logs = []*memtable.Table{t}
	err := t.Each(func(c *record.Row) error {
		value, err := s.Value(record.Buckets[c.Bucket], c.Key, c.Value)
		if err == nil && len(value) < len(c.Value) {
			s.refs[c] = value
		}
		return err
	})
	if err == nil {
		err = s.Settle()
	}
	return err
}

// Of returns the value of a row in the form of the file.
func (s *Spill) Of(c *record.Row) []byte {
	if ref, ok := s.refs[c]; ok {
		return ref
	}
	return c.Value
}

// Value returns the value of a key in the form of the file, and writes its payload if
// it is large. A damaged value is returned unchanged.
func (s *Spill) Value(bucket, key, value []byte) ([]byte, error) {
	if len(value) == 0 || !record.MayBePayload(bucket) {
		return value, nil
	}
	body, err := record.Unstamp(key, value)
	if err != nil {
		return value, nil //nolint:nilerr // a copy must not lose it
	}
	if id, length, out, err := record.Referenced(body); out {
		if err == nil {
			s.pin(record.Payload{ID: id, Length: int(length), Carried: !s.staged(id), Row: record.ListedRow(bucket, key)}) //nolint:gosec // it was the length of a slice
		}
		return value, nil
	}
	if len(value) <= record.PayloadBytes {
		return value, nil
	}
	id := record.PayloadID(sha256.Sum256(body))
	s.pin(record.Payload{ID: id, Length: len(body), Carried: false, Row: record.ListedRow(bucket, key)})
	if err := s.write(id, body); err != nil {
		return nil, err
	}
	ref, err := record.Reference(id, len(body))
	if err != nil {
		return nil, err
	}
	return record.Stamp(key, ref), nil
}

// staged reports whether the payload of a row was written for the logs, and is
// listed by no file yet.
func (s *Spill) staged(id record.PayloadID) bool {
	return slices.ContainsFunc(s.logs, func(t *memtable.Table) bool { return t.Refers(id) })
}

func (s *Spill) pin(p record.Payload) {
	s.to.mu.Lock()
	s.to.pins[p.ID]++
	s.to.mu.Unlock()
	s.pinned = append(s.pinned, p)
}

// write writes a payload under a temporary name. A payload that exists is compared
// first: a crash may have left it, and its damage would stay.
func (s *Spill) write(id record.PayloadID, payload []byte) error {
	path := s.to.Path(id)
	if s.dirs[filepath.Dir(path)] = true; slices.Contains(s.fresh, id) {
		return nil // another row has the same payload
	}
	if _, err := s.to.Read(id, uint64(len(payload))); err == nil {
		return nil
	}
	if !s.alone { // two spills that write the same payload would write to one file
		s.to.writing.Lock()
		s.alone = true
	}
	failpoint.Hit(failpoint.BlobBegun)
	if err := disk.MakeDirectory(s.to.directory); err != nil {
		return err
	}
	if err := disk.MakeDirectory(filepath.Dir(path)); err != nil {
		return err
	}
	s.fresh = append(s.fresh, id)
	create := disk.Create
	if s.throttled {
		create = disk.CreateThrottled
	}
	if err := create(path+disk.Unfinished, payload); err != nil {
		return err
	}
	failpoint.Hit(failpoint.BlobWritten)
	return s.to.Steps.At("payload written")
}

// Resolve returns the payload in the body of a value, or the one that the body refers to.
func (s *Spill) Resolve(body []byte) ([]byte, error) { return s.to.Resolve(body) }

// Settle renames the written payloads and makes them durable.
func (s *Spill) Settle() error {
	defer s.share()
	for len(s.fresh) > 0 {
		path := s.to.Path(s.fresh[0])
		if err := disk.SyncFile(path + disk.Unfinished); err != nil {
			return err
		}
		if err := os.Rename(path+disk.Unfinished, path); err != nil {
			return err
		}
		s.fresh = s.fresh[1:]
		failpoint.Hit(failpoint.BlobNamed)
		if err := s.to.Steps.At("payload named"); err != nil {
			return err
		}
	}
	for dir := range s.dirs {
		if err := disk.SyncDirectory(dir); err != nil {
			return err
		}
		delete(s.dirs, dir)
	}
	if len(s.pinned) == 0 {
		return nil
	}
	failpoint.Hit(failpoint.BlobsKept)
	return s.to.Steps.At("payloads kept")
}

// List writes into a file the list of the payloads that it refers to.
func (s *Spill) List(tx *boltfile.Tx) error {
	for ; s.listed < len(s.pinned); s.listed++ {
		if err := boltfile.ListPayload(tx, s.pinned[s.listed]); err != nil {
			return err
		}
	}
	return nil
}

// Bytes returns the bytes of the payloads that the file refers to and the previous one did not.
func (s *Spill) Bytes() (n int64) {
	for _, p := range s.pinned {
		if !p.Carried {
			n += int64(p.Length)
		}
	}
	return n
}

// share allows other spills to write.
func (s *Spill) share() {
	if s.alone {
		s.alone = false
		s.to.writing.Unlock()
	}
}

// Release ends the spill: the file refers to the payloads, or nothing will. Payloads
// that were not renamed are removed.
func (s *Spill) Release() {
	for _, id := range s.fresh {
		os.Remove(s.to.Path(id) + disk.Unfinished) // best effort: a sweep removes it otherwise
	}
	s.share()
	s.to.mu.Lock()
	defer s.to.mu.Unlock()
	for _, p := range s.pinned {
		if s.to.pins[p.ID]--; s.to.pins[p.ID] == 0 {
			delete(s.to.pins, p.ID)
		}
	}
	s.pinned, s.fresh = nil, nil
}
