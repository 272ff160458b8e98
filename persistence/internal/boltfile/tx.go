package boltfile

import (
	"io"

	bolt "go.etcd.io/bbolt"

	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
)

// fillPercent is how full the split pages of a dense bucket are left. bbolt's default leaves
// more space, because sessions grow in the middle of the bucket of events.
const fillPercent = 0.9

// Tx is one transaction of a journal file. Buckets are those of [record.Buckets]; all but the
// list of payloads exist.
type Tx struct{ bolt *bolt.Tx }

// Get returns the value of a key, nil if there is none. It is valid as long as the
// transaction.
func (t *Tx) Get(bucket, key []byte) []byte { return t.bolt.Bucket(bucket).Get(key) }

// Cursor returns an iterator over a bucket.
func (t *Tx) Cursor(bucket []byte) memtable.Cursor { return t.bolt.Bucket(bucket).Cursor() }

// Put stores a value.
func (t *Tx) Put(bucket, key, value []byte) error {
	return t.bolt.Bucket(bucket).Put(key, value)
}

// dense fills the pages of a bucket more than bbolt's default, in this transaction.
func (t *Tx) dense(bucket []byte) { t.bolt.Bucket(bucket).FillPercent = fillPercent }

// PutDense stores a value in a bucket whose pages are filled densely from then on.
func (t *Tx) PutDense(bucket, key, value []byte) error {
	b := t.bolt.Bucket(bucket)
	b.FillPercent = fillPercent
	return b.Put(key, value)
}

// Remove deletes a key.
func (t *Tx) Remove(bucket, key []byte) error { return t.bolt.Bucket(bucket).Delete(key) }

// Each calls fn for every key of a bucket, in order.
func (t *Tx) Each(bucket []byte, fn func(key, value []byte) error) error {
	return t.bolt.Bucket(bucket).ForEach(fn)
}

// Make makes a bucket of a file that is no journal, unless it exists.
func (t *Tx) Make(bucket []byte) error {
	_, err := t.bolt.CreateBucketIfNotExists(bucket)
	return err
}

// Has reports whether there is a bucket.
func (t *Tx) Has(bucket []byte) bool { return t.bolt.Bucket(bucket) != nil }

// Numbers returns the newest session number of the file.
func (t *Tx) Numbers() uint64 { return t.bolt.Bucket(record.BucketIDs).Sequence() }

// SetNumbers stores the newest session number.
func (t *Tx) SetNumbers(newest uint64) error {
	return t.bolt.Bucket(record.BucketIDs).SetSequence(newest)
}

// Size returns the size of the file as the transaction sees it.
func (t *Tx) Size() int64 { return t.bolt.Size() }

// ID returns the number of the transaction, or of the newest one if it only reads.
func (t *Tx) ID() uint64 { return uint64(t.bolt.ID()) } //nolint:gosec // it counts up

// CopyTo writes the file as the transaction sees it.
func (t *Tx) CopyTo(w io.Writer) (int64, error) { return t.bolt.WriteTo(w) }
