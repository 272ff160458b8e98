package memtable

import (
	"bytes"

	"github.com/tidwall/btree"

	"betcode/persistence/internal/record"
)

// merge is an iteration over a bucket in the tables and the file at once.
type merge struct {
	bucket     byte
	walks      []btree.IterG[*record.Row] // in the tables, the newest first
	heads      []*record.Row              // the current row of each; nil at its end
	file       Cursor
	key, value []byte // the current row of the file
}

func (v View) merge(bucket, start []byte) *merge {
	m := &merge{bucket: record.BucketCode(bucket)}
	for _, t := range v.Over {
		walk := t.rows.Iter()
		m.walks, m.heads = append(m.walks, walk), append(m.heads, nil)
		i := len(m.walks) - 1
		m.arrive(i, m.walks[i].Seek(&record.Row{Bucket: m.bucket, Key: start}))
	}
	if v.File != nil {
		m.file = v.File.Cursor(bucket)
		m.key, m.value = m.file.Seek(start)
	}
	return m
}

func (m *merge) close() {
	for i := range m.walks {
		m.walks[i].Release()
	}
}

// arrive records the current row of a walk.
func (m *merge) arrive(i int, found bool) {
	m.heads[i] = nil
	if found {
		if c := m.walks[i].Item(); c.Bucket == m.bucket {
			m.heads[i] = c
		}
	}
}

// next returns the next key that was not deleted, nil at the end.
func (m *merge) next() (key, value []byte) {
	for {
		least := m.key
		for _, c := range m.heads {
			if c != nil && (least == nil || bytes.Compare(c.Key, least) < 0) {
				least = c.Key
			}
		}
		if least == nil {
			return nil, nil
		}
		found := false // in the newest table with the key
		for i, c := range m.heads {
			if c == nil || !bytes.Equal(c.Key, least) {
				continue
			}
			if !found {
				key, value, found = c.Key, c.Value, true
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
