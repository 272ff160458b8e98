package persistence

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"slices"

	bolt "go.etcd.io/bbolt"

	"betcode/messages/failpoint"
	storev1 "betcode/proto/betcode/store/v1"
)

// spill moves the large values of rows out of line, for one who is about to write
// these rows to a file. The order is what makes it safe: payloads are written,
// synced, named, and their names synced (settle), before the transaction begins
// that refers to them (list). Until it is over nobody sweeps them (release).
//
// A crash in between leaves payloads that nobody refers to: the same ones are
// found again when the log is moved again, or swept.
type spill struct {
	to     *blobs
	pinned []spilled
	listed int              // of them, the first so many
	fresh  []blobID         // written, and not named yet
	dirs   map[string]bool  // with names that are not on disk yet
	refs   map[*cell][]byte // what stands for the value of a row
	logs   []*table         // rows that may refer to what no file refers to yet

	gently bool // others shall not notice that it writes
	alone  bool // it holds the blobs' lock for writing
}

// spilled is one payload that a file will refer to.
type spilled struct {
	id      blobID
	length  int
	carried bool   // a row of the file before referred to it
	row     []byte // who refers to it: the bucket's number and the key
}

// listKey is the key of a row's reference in a file's list: so what a row does
// not refer to any more can be taken off it, though others do.
func listKey(id blobID, row []byte) []byte { return append(id[:], row...) }

func listedRow(bucket, key []byte) []byte { return append([]byte{bucketCode(bucket)}, key...) }

func (b *blobs) spill() *spill {
	return &spill{to: b, dirs: map[string]bool{}, refs: map[*cell][]byte{}}
}

// rows moves out of line what is too large of a table.
func (s *spill) rows(t *table) error {
	s.logs = []*table{t}
	err := t.each(func(c *cell) error {
		value, err := s.value(buckets[c.bucket], c.key, c.value)
		if err == nil && len(value) < len(c.value) {
			s.refs[c] = value
		}
		return err
	})
	if err == nil {
		err = s.settle()
	}
	return err
}

// of returns the value of a row as it goes into the file.
func (s *spill) of(c *cell) []byte {
	if ref, ok := s.refs[c]; ok {
		return ref
	}
	return c.value
}

// value returns the value of a key as it goes into the file, and writes its
// payload where that is too large. A value that is damaged stays as it is.
func (s *spill) value(bucket, key, value []byte) ([]byte, error) {
	if len(value) == 0 || !spillable(bucket) {
		return value, nil
	}
	body, err := unstamp(key, value)
	if err != nil {
		return value, nil //nolint:nilerr // here is not where it should be lost
	}
	if id, length, out, err := referenced(body); out {
		if err == nil {
			s.pin(spilled{id, int(length), !s.staged(id), listedRow(bucket, key)}) //nolint:gosec // it was the length of a slice
		}
		return value, nil
	}
	if len(value) <= blobBytes {
		return value, nil
	}
	id := blobID(sha256.Sum256(body))
	s.pin(spilled{id, len(body), false, listedRow(bucket, key)})
	if err := s.write(id, body); err != nil {
		return nil, err
	}
	ref, err := reference(id, len(body))
	if err != nil {
		return nil, err
	}
	return stamp(key, ref), nil
}

// staged reports whether a payload that a row refers to was written for the logs,
// and is in no file yet.
func (s *spill) staged(id blobID) bool {
	return slices.ContainsFunc(s.logs, func(t *table) bool { return slices.Contains(t.outside, id) })
}

func (s *spill) pin(p spilled) {
	s.to.mu.Lock()
	s.to.pins[p.id]++
	s.to.mu.Unlock()
	s.pinned = append(s.pinned, p)
}

// write writes a payload under a name that is not its own yet. One that is there
// is looked at: a crash may have left it, and damage would be kept for ever.
func (s *spill) write(id blobID, payload []byte) error {
	path := s.to.path(id)
	if s.dirs[filepath.Dir(path)] = true; slices.Contains(s.fresh, id) {
		return nil // another row says the same
	}
	if _, err := s.to.read(id, uint64(len(payload))); err == nil {
		return nil
	}
	if !s.alone { // two that write the same would write to one file
		s.to.writing.Lock()
		s.alone = true
	}
	failpoint.Hit(failpoint.BlobBegun)
	if err := makeDirectory(s.to.directory); err != nil {
		return err
	}
	if err := makeDirectory(filepath.Dir(path)); err != nil {
		return err
	}
	s.fresh = append(s.fresh, id)
	create := createFile
	if s.gently {
		create = createGently
	}
	if err := create(path+unfinished, payload); err != nil {
		return err
	}
	failpoint.Hit(failpoint.BlobWritten)
	return s.to.steps.at("payload written")
}

// settle makes what was written durable, under its name.
func (s *spill) settle() error {
	defer s.share()
	for len(s.fresh) > 0 {
		path := s.to.path(s.fresh[0])
		if err := syncFile(path + unfinished); err != nil {
			return err
		}
		if err := os.Rename(path+unfinished, path); err != nil {
			return err
		}
		s.fresh = s.fresh[1:]
		failpoint.Hit(failpoint.BlobNamed)
		if err := s.to.steps.at("payload named"); err != nil {
			return err
		}
	}
	for dir := range s.dirs {
		if err := syncDirectory(dir); err != nil {
			return err
		}
		delete(s.dirs, dir)
	}
	if len(s.pinned) == 0 {
		return nil
	}
	failpoint.Hit(failpoint.BlobsKept)
	return s.to.steps.at("payloads kept")
}

// list says in a file which payloads it refers to.
func (s *spill) list(tx *bolt.Tx) error {
	for ; s.listed < len(s.pinned); s.listed++ {
		if err := listBlob(tx, s.pinned[s.listed]); err != nil {
			return err
		}
	}
	return nil
}

// listBlob notes that a file refers to a payload. The sequence of the bucket is
// how many there are: so a list that lost a part of itself is known for one.
func listBlob(tx *bolt.Tx, p spilled) error {
	b, err := tx.CreateBucketIfNotExists(bucketBlobs)
	if err != nil {
		return err
	}
	key := listKey(p.id, p.row)
	if b.Get(key) != nil {
		return nil
	}
	value, err := encode(key, &storev1.Payload{
		Version: recordVersion, Length: uint64(p.length), Carried: p.carried, //nolint:gosec // of a slice
	}, nil)
	if err != nil {
		return err
	}
	return errors.Join(b.Put(key, value), b.SetSequence(b.Sequence()+1))
}

// unlistBlob notes that a row, which is about to be replaced or deleted, does not
// refer to its payload any more, if it does now.
func unlistBlob(tx *bolt.Tx, bucket, key []byte) error {
	list := tx.Bucket(bucketBlobs)
	value := tx.Bucket(bucket).Get(key)
	if list == nil || value == nil {
		return nil
	}
	body, err := unstamp(key, value)
	if err != nil {
		return nil //nolint:nilerr // nobody knows what it referred to
	}
	id, _, out, err := referenced(body)
	listed := listKey(id, listedRow(bucket, key))
	if err != nil || !out || list.Get(listed) == nil {
		return nil //nolint:nilerr // the same
	}
	return errors.Join(list.Delete(listed), list.SetSequence(list.Sequence()-1))
}

// bytes returns how much the file refers to that the one before did not.
func (s *spill) bytes() (n int64) {
	for _, p := range s.pinned {
		if !p.carried {
			n += int64(p.length)
		}
	}
	return n
}

// share lets others write.
func (s *spill) share() {
	if s.alone {
		s.alone = false
		s.to.writing.Unlock()
	}
}

// release says that the file refers to the payloads, or that nobody will. What
// was not given its name is removed.
func (s *spill) release() {
	for _, id := range s.fresh {
		os.Remove(s.to.path(id) + unfinished) // or a sweep does
	}
	s.share()
	s.to.mu.Lock()
	defer s.to.mu.Unlock()
	for _, p := range s.pinned {
		if s.to.pins[p.id]--; s.to.pins[p.id] == 0 {
			delete(s.to.pins, p.id)
		}
	}
	s.pinned, s.fresh = nil, nil
}
