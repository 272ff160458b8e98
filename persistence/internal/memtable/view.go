package memtable

import (
	"bytes"

	"betcode/persistence/internal/record"
)

// source is the journal file under a view: one read transaction.
type source interface {
	// Get returns the value of a key, nil if there is none. It is valid as long as the
	// transaction.
	Get(bucket, key []byte) []byte
	// Cursor returns an iterator over a bucket.
	Cursor(bucket []byte) Cursor
}

// Cursor iterates over the keys of one bucket of a journal file.
type Cursor interface {
	Seek(key []byte) (k, v []byte)
	Next() (k, v []byte)
}

// Payloads reads values that are stored as files of their own.
type Payloads interface {
	// Resolve returns the payload in the body of a value, or the one that the body refers to.
	Resolve(body []byte) ([]byte, error)
}

// View is the rows of a journal file, overlaid by those of tables, the newest first.
type View struct {
	File source // nil = the tables only
	Over []*Table

	Payloads Payloads // of the file; nil = bodies are not read
}

// Get returns the value of a key, nil if there is none. It is valid as long as
// the transaction.
func (v View) Get(bucket, key []byte) []byte {
	code := record.BucketCode(bucket)
	for _, t := range v.Over {
		if c, known := t.get(code, key); known {
			return c.Value
		}
	}
	if v.File == nil {
		return nil
	}
	return v.File.Get(bucket, key)
}

// Touch reads the page of the file for a key, so that damage of the page
// is found before the commit is acknowledged, and not by the checkpoint.
func (v View) Touch(bucket, key []byte) { v.File.Get(bucket, key) }

// All calls fn for every key of a bucket, in order.
func (v View) All(bucket []byte, fn func(key, value []byte) error) error {
	return v.Each(bucket, nil, fn)
}

// Each calls fn for every key that begins with a prefix, in order.
func (v View) Each(bucket, prefix []byte, fn func(key, value []byte) error) error {
	return v.From(bucket, prefix, func(key, value []byte) (bool, error) {
		if !bytes.HasPrefix(key, prefix) {
			return false, nil
		}
		return true, fn(key, value)
	})
}

// From calls fn for the key start and those after it, in order, until fn returns false.
func (v View) From(bucket, start []byte, fn func(key, value []byte) (more bool, err error)) error {
	m := v.merge(bucket, start)
	defer m.close()
	for {
		key, value := m.next()
		if key == nil {
			return nil
		}
		if more, err := fn(key, value); err != nil || !more {
			return err
		}
	}
}

// Inline returns the value of a key with its payload in place; nil if the payload cannot
// be read.
func (v View) Inline(key, value []byte) []byte {
	body, err := record.Unstamp(key, value)
	if _, _, out, bad := record.Referenced(body); err != nil || bad != nil || !out {
		return value
	}
	if body, err = v.Body(key, value); err != nil {
		return nil
	}
	return record.Stamp(key, body)
}

// Body checks a value and returns its body, read from its payload if it has one.
func (v View) Body(key, value []byte) ([]byte, error) {
	body, err := record.Unstamp(key, value)
	if err != nil || v.Payloads == nil {
		return body, err
	}
	return v.Payloads.Resolve(body)
}

// Decode is [record.Decode] for a bucket whose values may be payloads.
func (v View) Decode(op string, bucket, key, value []byte, r record.Record) error {
	body, err := v.Body(key, value)
	return record.DecodeBody(op, bucket, key, body, err, r)
}
