package postings

import (
	"encoding/binary"
	"errors"
	"slices"
)

// List has the documents of a segment that contain a word, rising. With positions, Counts has how often each document has
// the word, and Positions has the places of the first document, then those of the second. A list without positions has neither.
type List struct {
	Docs      []uint32
	Counts    []uint32
	Positions []uint32
}

// errList reports bytes that are no list.
var errList = errors.New("list of documents is damaged")

// Add appends an occurrence. Documents rise. A position before the last one of the document is left out.
func (l *List) Add(doc uint32, position int) {
	place := uint32(position) //nolint:gosec // texts are bounded
	if n := len(l.Docs); n == 0 || l.Docs[n-1] != doc {
		l.Docs, l.Counts = append(l.Docs, doc), append(l.Counts, 0)
	} else if l.Positions[len(l.Positions)-1] > place {
		return
	}
	l.Counts[len(l.Counts)-1]++
	l.Positions = append(l.Positions, place)
}

// Mark appends a document to a list without positions. A document that it has is not added again.
func (l *List) Mark(doc uint32) {
	if n := len(l.Docs); n == 0 || l.Docs[n-1] != doc {
		l.Docs = append(l.Docs, doc)
	}
}

// Renumber appends the documents of other that to has a number for, under that number. Numbers rise with the old ones.
func (l *List) Renumber(other List, to func(uint32) (uint32, bool)) {
	at := 0
	for i, doc := range other.Docs {
		count := 0
		if other.Counts != nil {
			count = int(other.Counts[i])
		}
		if n, kept := to(doc); kept {
			l.Docs = append(l.Docs, n)
			if other.Counts != nil {
				l.Counts = append(l.Counts, other.Counts[i])
				l.Positions = append(l.Positions, other.Positions[at:at+count]...)
			}
		}
		at += count
	}
}

// The form: twice the number of documents, plus one with positions; for each document its distance from the one before, with positions
// doubled, plus one if its count follows; with positions their length in bytes, and for each document the distances of its positions.

// Append appends the form of the list to dst.
func (l List) Append(dst []byte) []byte {
	places := uint64(0)
	if l.Counts != nil {
		places = 1
	}
	dst = binary.AppendUvarint(dst, uint64(len(l.Docs))<<1|places)
	before := uint32(0)
	for i, doc := range l.Docs {
		distance := uint64(doc - before)
		before = doc
		switch {
		case places == 0:
			dst = binary.AppendUvarint(dst, distance)
		case l.Counts[i] == 1:
			dst = binary.AppendUvarint(dst, distance<<1)
		default:
			dst = binary.AppendUvarint(dst, distance<<1|1)
			dst = binary.AppendUvarint(dst, uint64(l.Counts[i]))
		}
	}
	if places == 0 {
		return dst
	}
	form := make([]byte, 0, len(l.Positions))
	at := 0
	for _, count := range l.Counts {
		last := uint32(0)
		for _, position := range l.Positions[at : at+int(count)] {
			form = binary.AppendUvarint(form, uint64(position-last))
			last = position
		}
		at += int(count)
	}
	return append(binary.AppendUvarint(dst, uint64(len(form))), form...)
}

// Len returns the number of documents in a form.
func Len(form []byte) (int, error) {
	head, n := binary.Uvarint(form)
	if n <= 0 || head>>1 > uint64(len(form)) {
		return 0, errList
	}
	return int(head >> 1), nil //nolint:gosec // bounded by the length
}

// Parse parses a form. It skips positions unless positions is set.
func Parse(form []byte, positions bool) (List, error) {
	r := reader{form: form}
	head := r.number()
	size := head >> 1
	if r.failed || size > uint64(len(r.form)) {
		return List{}, errList
	}
	var l List
	l.Docs = make([]uint32, size)
	if head&1 == 1 {
		l.Counts = make([]uint32, size)
	}
	doc, total := uint64(0), uint64(0)
	for i := range l.Docs {
		distance := r.number()
		if l.Counts != nil {
			l.Counts[i] = 1
			if distance&1 == 1 {
				l.Counts[i] = r.small()
			}
			distance >>= 1
			total += uint64(l.Counts[i])
		}
		if i > 0 && distance == 0 {
			r.failed = true
		}
		if doc += distance; doc > 1<<31 || r.failed {
			return List{}, errList
		}
		l.Docs[i] = uint32(doc)
	}
	if l.Counts == nil {
		return l, nil
	}
	if bytes := r.number(); r.failed || bytes != uint64(len(r.form)) || total > bytes {
		return List{}, errList
	}
	if !positions {
		return l, nil
	}
	l.Positions = slices.Grow(l.Positions, int(total)) //nolint:gosec // bounded by the length
	for _, count := range l.Counts {
		position := uint64(0)
		for range count {
			if position += r.number(); position > 1<<31 || r.failed {
				return List{}, errList
			}
			l.Positions = append(l.Positions, uint32(position))
		}
	}
	return l, nil
}

// reader takes numbers from the front of a form.
type reader struct {
	form   []byte
	failed bool
}

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.form)
	if n <= 0 {
		r.failed = true
		return 0
	}
	r.form = r.form[n:]
	return v
}

// small reads a number as a count of at least one.
func (r *reader) small() uint32 {
	v := r.number()
	if v == 0 || v > 1<<30 {
		r.failed = true
		return 1
	}
	return uint32(v)
}
