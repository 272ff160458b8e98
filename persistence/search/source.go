package search

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/search/internal/postings"
	"betcode/persistence/search/internal/table"
)

// source is a segment as a search reads it.
type source interface {
	// size returns how many documents have a word.
	size(word string) (int, error)
	// list returns the documents that have a word.
	list(word string, positions bool) (postings.List, error)
	// each calls fn for the words that begin with a text.
	each(prefix string, positions bool, fn func(postings.List)) error
	// row returns a document of the segment.
	row(doc uint32) (row, error)
	// docs returns how many documents there are.
	docs() int
}

// stored is a segment in the file.
type stored struct {
	tx      *boltfile.Tx
	segment *segment
	block   uint32 // the block of documents that was last read
	rows    []byte
}

// walk returns an iterator over the words of the segment from one on.
func (s *stored) walk(from string) *walker {
	return &walker{from: from, segment: s.segment, cursor: s.tx.Cursor(bucketWords)}
}

// walker iterates over the words of a segment, block by block.
type walker struct {
	from    string
	segment *segment
	cursor  memtable.Cursor
	begun   bool
	block   table.Reader
}

// next returns the next word and its documents; no word at the end. Both are valid until the next call.
func (w *walker) next() (word, form []byte, err error) {
	for {
		word, form, err := w.block.Next()
		if err != nil {
			return nil, nil, damaged(bucketWords, numberKey(w.segment.number), err)
		}
		if word != nil && string(word) >= w.from {
			return word, form, nil
		}
		if word != nil {
			continue
		}
		if more, err := w.turn(); !more || err != nil {
			return nil, nil, err
		}
	}
}

// turn reads the next block; false if there is none.
func (w *walker) turn() (more bool, err error) {
	var key, value []byte
	if w.begun {
		key, value = w.cursor.Next()
	} else {
		w.begun = true
		key, value = w.cursor.Seek(numberKey(w.segment.number, []byte(w.from)...))
	}
	if !w.segment.has(key) {
		return false, nil
	}
	block, err := unstamp(bucketWords, key, value)
	w.block = table.Reader{Block: block}
	return err == nil, err
}

// form returns the stored form of the documents that have a word; nil if there are none.
func (s *stored) form(word string) (form []byte, err error) {
	found, form, err := s.walk(word).next()
	if err != nil || string(found) != word {
		return nil, err
	}
	return form, nil
}

func (s *stored) size(word string) (int, error) {
	form, err := s.form(word)
	if err != nil || form == nil {
		return 0, err
	}
	n, err := postings.Len(form)
	return n, s.damage(word, err)
}

func (s *stored) list(word string, positions bool) (postings.List, error) {
	form, err := s.form(word)
	if err != nil || form == nil {
		return postings.List{}, err
	}
	l, err := postings.Parse(form, positions)
	return l, s.damage(word, err)
}

func (s *stored) each(prefix string, positions bool, fn func(postings.List)) error {
	w := s.walk(prefix)
	for {
		word, form, err := w.next()
		if err != nil || !bytes.HasPrefix(word, []byte(prefix)) {
			return err
		}
		l, err := postings.Parse(form, positions)
		if err != nil {
			return s.damage(string(word), err)
		}
		fn(l)
	}
}

func (s *stored) damage(word string, err error) error {
	if err != nil {
		return damaged(bucketWords, numberKey(s.segment.number, []byte(word)...), err)
	}
	return nil
}

func (s *stored) docs() int { return int(s.segment.Docs) }

func (s *stored) row(doc uint32) (row, error) {
	if block := doc / blockRows; s.rows == nil || block != s.block {
		key := numberKey(s.segment.number, binary.BigEndian.AppendUint32(nil, block)...)
		body, err := read(s.tx, bucketDocuments, key)
		if err != nil {
			return row{}, err
		}
		s.rows, s.block = body, block
	}
	at := int(doc%blockRows) * rowBytes
	if at+rowBytes > len(s.rows) {
		return row{}, damaged(bucketDocuments, numberKey(s.segment.number), errRow)
	}
	return parseRow(s.rows[at:]), nil
}

func (m *memory) size(word string) (int, error) {
	if l := m.words[word]; l != nil {
		return len(l.Docs), nil
	}
	return 0, nil
}

func (m *memory) list(word string, _ bool) (postings.List, error) {
	if l := m.words[word]; l != nil {
		return *l, nil
	}
	return postings.List{}, nil
}

func (m *memory) each(prefix string, _ bool, fn func(postings.List)) error {
	var found []string
	for word := range m.words {
		if strings.HasPrefix(word, prefix) {
			found = append(found, word)
		}
	}
	slices.Sort(found)
	for _, word := range found {
		fn(*m.words[word])
	}
	return nil
}

func (m *memory) row(doc uint32) (row, error) { return m.rows[doc], nil }

func (m *memory) docs() int { return len(m.rows) }
