package boltfile

import (
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
)

// largeValues writes the large values of rows as files of their own.
type largeValues interface {
	// Of returns the value of a row in the form of the file.
	Of(c *record.Row) []byte
	// List writes into the file the list of the payloads that it refers to.
	List(tx *Tx) error
}

// MoveRows writes frozen rows into a file: the newest version of each row, and the events of each
// session together.
func MoveRows(tx *Tx, o *memtable.Overlay, large largeValues) error {
	tx.dense(record.BucketEvents)
	if err := tx.SetNumbers(max(tx.Numbers(), o.Numbers)); err != nil {
		return err
	}
	joined := record.Joiner{Put: tx.bolt.Bucket(record.BucketEvents).Put}
	err := o.Frozen.Each(func(c *record.Row) error {
		bucket, value := record.Buckets[c.Bucket], large.Of(c)
		if c.Bucket == record.CodeBodies {
			if err := unlistPayload(tx, record.BucketBodies, c.Key); err != nil {
				return err
			}
		}
		switch {
		case value == nil:
			return tx.Remove(bucket, c.Key)
		case c.Bucket == record.CodeEvents:
			return joined.Add(c.Key, value)
		}
		return tx.Put(bucket, c.Key, value)
	})
	if err == nil {
		err = joined.Flush()
	}
	if err == nil {
		err = large.List(tx)
	}
	if err != nil {
		return err
	}
	return PutCheckpoint(tx, o.Last)
}
