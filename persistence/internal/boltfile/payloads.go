package boltfile

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/record"
	storev1 "betcode/proto/betcode/store/v1"
)

// ListPayload adds a payload to the list of the file. The sequence of the bucket counts
// the entries, so a list with missing entries is recognised.
func ListPayload(tx *Tx, p record.Payload) error {
	b, err := tx.bolt.CreateBucketIfNotExists(record.BucketPayloads)
	if err != nil {
		return err
	}
	key := record.ListKey(p.ID, p.Row)
	if b.Get(key) != nil {
		return nil
	}
	value, err := record.Encode(key, &storev1.Payload{
		Version: record.RecordVersion, Length: uint64(p.Length), Carried: p.Carried, //nolint:gosec // of a slice
	}, nil)
	if err != nil {
		return err
	}
	return errors.Join(b.Put(key, value), b.SetSequence(b.Sequence()+1))
}

// unlistPayload removes the reference of a row that is about to be replaced or deleted.
func unlistPayload(tx *Tx, bucket, key []byte) error {
	list := tx.bolt.Bucket(record.BucketPayloads)
	value := tx.Get(bucket, key)
	if list == nil || value == nil {
		return nil
	}
	body, err := record.Unstamp(key, value)
	if err != nil {
		return nil //nolint:nilerr // its reference is unknown
	}
	id, _, out, err := record.Referenced(body)
	listed := record.ListKey(id, record.ListedRow(bucket, key))
	if err != nil || !out || list.Get(listed) == nil {
		return nil //nolint:nilerr // the same
	}
	return errors.Join(list.Delete(listed), list.SetSequence(list.Sequence()-1))
}

// EachPayload calls do for the payloads that a file refers to and whose names
// begin with a prefix.
func EachPayload(op string, tx *Tx, prefix []byte, do func(record.Payload) error) error {
	b := tx.bolt.Bucket(record.BucketPayloads)
	if b == nil {
		return nil
	}
	c, last := b.Cursor(), record.PayloadID{}
	for key, value := c.Seek(prefix); key != nil && strings.HasPrefix(string(key), string(prefix)); key, value = c.Next() {
		var p storev1.Payload
		if err := record.Decode(op, record.BucketPayloads, key, value, &p); err != nil {
			return err
		}
		found := record.Payload{Length: int(p.GetLength()), Carried: p.GetCarried()} //nolint:gosec // of a slice, once
		if copy(found.ID[:], key) < len(found.ID) {
			return record.DamagedKey(op, record.BucketPayloads, key, errors.New("it is no hash"))
		}
		if found.ID == last {
			continue
		}
		last = found.ID
		if err := do(found); err != nil {
			return err
		}
	}
	return nil
}

// EachPayloadIn is EachPayload for a file that is not open and not written to.
func EachPayloadIn(op, path string, do func(record.Payload) error) error {
	f, err := Open(op, path, Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer f.Close()
	return f.View(op, func(tx *Tx) error { return EachPayload(op, tx, nil, do) })
}

// CheckList compares the list of payloads with its own count.
func CheckList(op string, tx *Tx) error {
	b := tx.bolt.Bucket(record.BucketPayloads)
	if b == nil {
		return nil // an older file, or one without large values
	}
	if n := uint64(b.Stats().KeyN); n != b.Sequence() { //nolint:gosec // a count
		return fault.DamagedFile(op, filepath.Base(tx.bolt.DB().Path()), fmt.Errorf("it lists %d payloads of %d", n, b.Sequence()))
	}
	return nil
}

// WeighPayloads counts the bytes of payloads that were added since the file was new.
func (f *File) WeighPayloads(op string) error {
	return f.View(op, func(tx *Tx) error {
		total := int64(0)
		err := EachPayload(op, tx, nil, func(p record.Payload) error {
			if !p.Carried {
				total += int64(p.Length)
			}
			return nil
		})
		f.PayloadBytes.Store(total)
		return err
	})
}
