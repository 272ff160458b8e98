package search

import (
	"encoding/binary"
	"maps"
	"slices"

	"betcode/persistence/internal/boltfile"
	"betcode/persistence/search/internal/table"
)

// Flush writes the segment in memory, with the marks of its sessions, in one transaction.
func (x *Index) Flush() error {
	x.mu.RLock()
	fresh, about, quiet := x.fresh, x.about, len(x.changed) == 0 && len(x.fresh.rows) == 0
	x.mu.RUnlock()
	if quiet {
		return nil
	}
	if len(fresh.rows) > 0 {
		about.Next = fresh.number + 1
	}
	written, err := fresh.encode()
	if err != nil {
		return err
	}
	err = x.file.Update(opIndex, func(tx *boltfile.Tx) error {
		if err := written.put(tx); err != nil {
			return err
		}
		return x.writeMarks(tx, about)
	})
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.about, x.fresh, x.named = about, newMemory(about.Next), len(x.tools)
	clear(x.changed)
	return nil
}

// writeMarks writes the marks of sessions, and new names. Only the writer changes them, so they are read without
// the lock.
func (x *Index) writeMarks(tx *boltfile.Tx, about description) error {
	for id := range x.changed {
		if err := put(tx, bucketSessions, numberKey(x.places[id]), sessionRow(id, x.marks[id])); err != nil {
			return err
		}
	}
	for place := x.named; place < len(x.tools); place++ {
		if err := put(tx, bucketTools, numberKey(uint32(place)), []byte(x.tools[place])); err != nil { //nolint:gosec // bounded by maxTools
			return err
		}
	}
	return putJSON(tx, bucketIndex, keyIndex, about)
}

// encode makes the rows of the segment.
func (m *memory) encode() (*encoded, error) {
	e := newEncoded(m.number)
	for _, word := range slices.Sorted(maps.Keys(m.words)) {
		if err := e.words.Add(word, m.words[word].Append(nil)); err != nil {
			return nil, err
		}
	}
	for _, r := range m.rows {
		e.row(r)
	}
	return e, e.close()
}

// encoded has the rows of a segment that is to be written.
type encoded struct {
	segment segment
	words   table.Writer
	block   []byte // of documents
	rows    []encodedRow
}

type encodedRow struct{ bucket, key, body []byte }

func newEncoded(number uint32) *encoded {
	e := &encoded{segment: segment{number: number}}
	e.words.Emit = func(last, block []byte) error {
		e.segment.Words++
		e.add(bucketWords, last, block)
		return nil
	}
	return e
}

func (e *encoded) add(bucket, part, body []byte) {
	e.segment.Bytes += int64(len(body))
	e.rows = append(e.rows, encodedRow{bucket, numberKey(e.segment.number, part...), body})
}

// row adds the row of the next document.
func (e *encoded) row(r row) {
	e.block = r.append(e.block)
	e.segment.Docs++
	e.segment.Newest = max(e.segment.Newest, r.at)
	if e.segment.Docs%blockRows == 0 {
		e.closeBlock()
	}
}

func (e *encoded) closeBlock() {
	if len(e.block) > 0 {
		e.add(bucketDocuments, binary.BigEndian.AppendUint32(nil, (e.segment.Docs-1)/blockRows), e.block)
		e.block = nil
	}
}

// close completes the last blocks.
func (e *encoded) close() error {
	e.closeBlock()
	return e.words.Close()
}

// put writes the segment, unless it has no documents.
func (e *encoded) put(tx *boltfile.Tx) error {
	if e.segment.Docs == 0 {
		return nil
	}
	for _, r := range e.rows {
		if err := put(tx, r.bucket, r.key, r.body); err != nil {
			return err
		}
	}
	return putJSON(tx, bucketSegments, numberKey(e.segment.number), e.segment)
}

// dropSegment deletes the rows of a segment.
func dropSegment(tx *boltfile.Tx, s *segment) error {
	for _, bucket := range [][]byte{bucketWords, bucketDocuments} {
		var keys [][]byte
		c := tx.Cursor(bucket)
		for key, _ := c.Seek(numberKey(s.number)); s.has(key); key, _ = c.Next() {
			keys = append(keys, slices.Clone(key))
		}
		for _, key := range keys {
			if err := tx.Remove(bucket, key); err != nil {
				return err
			}
		}
	}
	return tx.Remove(bucketSegments, numberKey(s.number))
}
