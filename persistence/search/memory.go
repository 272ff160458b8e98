package search

import (
	"encoding/binary"
	"path"
	"strings"

	"betcode/messages"
	"betcode/persistence/search/internal/document"
	"betcode/persistence/search/internal/postings"
	"betcode/persistence/search/internal/words"
)

// The class of a word of the table, its first byte.
const (
	classBase    = 'b' // the last part of a path that a call names
	classFile    = 'f' // a path that a call names
	classKind    = 'k'
	classSession = 's'
	classTool    = 't'
	classWord    = 'w'
)

func sessionWord(place uint32) string {
	return string(binary.BigEndian.AppendUint32([]byte{classSession}, place))
}

func kindWord(kind messages.SearchKind) string { return string(classKind) + string(kind) }

func toolWord(tool string) string { return string(classTool) + strings.ToLower(tool) }

// memory is a segment that is being filled. Its number is the one under which it will be written.
type memory struct {
	number    uint32
	words     map[string]*postings.List
	rows      []row
	positions int // total of all words
}

func newMemory(number uint32) *memory {
	return &memory{number: number, words: map[string]*postings.List{}}
}

func (m *memory) of(word string) *postings.List {
	l := m.words[word]
	if l == nil {
		l = &postings.List{}
		m.words[word] = l
	}
	return l
}

// add adds a document.
func (m *memory) add(d document.Document, r row) {
	doc := uint32(len(m.rows)) //nolint:gosec // a segment is bounded
	for w := range words.Of(d.Text) {
		m.of(string(classWord)+w.Text).Add(doc, w.Position)
		r.words++
	}
	m.positions += int(r.words)
	m.of(sessionWord(r.session)).Mark(doc)
	m.of(kindWord(d.Kind)).Mark(doc)
	if d.Tool != "" {
		m.of(toolWord(d.Tool)).Mark(doc)
	}
	for _, file := range d.Path {
		file = path.Clean(file)
		m.of(string(classFile) + file).Mark(doc)
		m.of(string(classBase) + path.Base(file)).Mark(doc)
	}
	m.rows = append(m.rows, r)
}

// full reports whether the segment should be written.
func (m *memory) full() bool { return len(m.rows) >= memoryDocs || m.positions >= memoryPositions }

// Bounds of the segment in memory. A position takes about eight bytes with its share of the table.
const (
	memoryDocs      = 8 << 10
	memoryPositions = 2 << 20
)
