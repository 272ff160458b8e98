package persistence

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/tidwall/btree"
	bolt "go.etcd.io/bbolt"
)

// cell is one row that a commit put or deleted. It is never changed.
type cell struct {
	bucket byte // index in buckets
	key    []byte
	value  []byte // nil = deleted
}

func (c *cell) before(other *cell) bool {
	if order := cmp.Compare(c.bucket, other.bucket); order != 0 {
		return order < 0
	}
	return bytes.Compare(c.key, other.key) < 0
}

// table is rows in order, the newest of each key. Once others can see it, it is
// not changed any more: a commit clones it, which costs what it changes.
type table struct {
	rows    *btree.BTreeG[*cell]
	outside []blobID // payloads that rows refer to, or did: no file says so yet
}

// tableDegree is small, because a node is what a commit copies of a table.
const tableDegree = 8

func newTable() *table {
	return &table{rows: btree.NewBTreeGOptions((*cell).before, btree.Options{NoLocks: true, Degree: tableDegree})}
}

func (t *table) clone() *table { return &table{t.rows.Copy(), slices.Clip(t.outside)} }

func (t *table) put(c *cell) {
	t.rows.Set(c)
	if id, ok := c.payload(); ok {
		t.outside = append(t.outside, id)
	}
}

// payload returns what the row refers to, if its value is out of line.
func (c *cell) payload() (id blobID, ok bool) {
	if len(c.value) == 0 || c.value[0] != outOfLineTag || !spillable(buckets[c.bucket]) {
		return id, false
	}
	body, err := unstamp(c.key, c.value)
	if err != nil {
		return id, false
	}
	id, _, ok, err = referenced(body)
	return id, ok && err == nil
}

func (t *table) empty() bool { return t.rows.Len() == 0 }

func (t *table) get(bucket byte, key []byte) (*cell, bool) {
	return t.rows.Get(&cell{bucket: bucket, key: key})
}

// each calls do for every row, in order.
func (t *table) each(do func(*cell) error) (err error) {
	t.rows.Scan(func(c *cell) bool {
		err = do(c)
		return err == nil
	})
	return err
}

// view is the rows of the active file as they are now: tables with what is not
// in the file yet, the newest first, over the file.
type view struct {
	tx   *bolt.Tx // nil = the tables only
	over []*table

	blobs *blobs // where the file keeps what is out of line; nil: nobody reads that
}

// get returns the value of a key, nil if there is none. It is valid as long as
// the transaction.
func (v view) get(bucket, key []byte) []byte {
	code := bucketCode(bucket)
	for _, t := range v.over {
		if c, known := t.get(code, key); known {
			return c.value
		}
	}
	if v.tx == nil {
		return nil
	}
	return v.tx.Bucket(bucket).Get(key)
}

// touch reads the page that a key of the file would be in. So damage of it shows
// before anything is promised, and not when the logs are moved.
func (v view) touch(bucket, key []byte) { v.tx.Bucket(bucket).Get(key) }

// all calls fn for every key of a bucket, in order.
func (v view) all(bucket []byte, fn func(key, value []byte) error) error {
	return v.each(bucket, nil, fn)
}

// each calls fn for every key that begins with a prefix, in order.
func (v view) each(bucket, prefix []byte, fn func(key, value []byte) error) error {
	return v.from(bucket, prefix, func(key, value []byte) (bool, error) {
		if !bytes.HasPrefix(key, prefix) {
			return false, nil
		}
		return true, fn(key, value)
	})
}

// from calls fn for the key start and those behind it, in order, until it wants
// no more.
func (v view) from(bucket, start []byte, fn func(key, value []byte) (more bool, err error)) error {
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

// merge is a walk over a bucket in the tables and the file at once.
type merge struct {
	bucket     byte
	walks      []btree.IterG[*cell] // in the tables, the newest first
	heads      []*cell              // where each of them is, nil at its end
	file       *bolt.Cursor
	key, value []byte // where the walk in the file is
}

func (v view) merge(bucket, start []byte) *merge {
	m := &merge{bucket: bucketCode(bucket)}
	for _, t := range v.over {
		walk := t.rows.Iter()
		m.walks, m.heads = append(m.walks, walk), append(m.heads, nil)
		i := len(m.walks) - 1
		m.arrive(i, m.walks[i].Seek(&cell{bucket: m.bucket, key: start}))
	}
	if v.tx != nil {
		m.file = v.tx.Bucket(bucket).Cursor()
		m.key, m.value = m.file.Seek(start)
	}
	return m
}

func (m *merge) close() {
	for i := range m.walks {
		m.walks[i].Release()
	}
}

// arrive notes where a walk is.
func (m *merge) arrive(i int, found bool) {
	m.heads[i] = nil
	if found {
		if c := m.walks[i].Item(); c.bucket == m.bucket {
			m.heads[i] = c
		}
	}
}

// next returns the next key that was not deleted, nil at the end.
func (m *merge) next() (key, value []byte) {
	for {
		least := m.key
		for _, c := range m.heads {
			if c != nil && (least == nil || bytes.Compare(c.key, least) < 0) {
				least = c.key
			}
		}
		if least == nil {
			return nil, nil
		}
		found := false // in the newest that has it
		for i, c := range m.heads {
			if c == nil || !bytes.Equal(c.key, least) {
				continue
			}
			if !found {
				key, value, found = c.key, c.value, true
			}
			m.arrive(i, m.walks[i].Next())
		}
		if m.key != nil && bytes.Equal(m.key, least) {
			if !found {
				key, value = m.key, m.value
			}
			m.key, m.value = m.file.Next()
		}
		if value != nil {
			return key, value
		}
	}
}
