package search

import (
	"slices"

	"betcode/persistence/search/internal/postings"
	"betcode/persistence/search/internal/query"
)

// matches are the documents of a segment that match a clause, rising, and the number of matches in each.
type matches struct {
	docs   []uint32
	counts []uint32
}

// clause finds the documents in which the words of a clause follow each other.
func clause(s source, c query.Clause) (matches, error) {
	positions := len(c) > 1
	var found postings.List
	for i, w := range c {
		l, err := word(s, w, positions)
		if err != nil || len(l.Docs) == 0 {
			return matches{}, err
		}
		if i == 0 {
			found = l
			continue
		}
		if found = following(found, l, uint32(i)); len(found.Docs) == 0 { //nolint:gosec // a query is bounded
			return matches{}, nil
		}
	}
	return matches{found.Docs, found.Counts}, nil
}

// word finds the documents that have a word, or one that begins so.
func word(s source, w query.Word, positions bool) (postings.List, error) {
	if !w.Prefix {
		return s.list(string(classWord)+w.Text, positions)
	}
	var u union
	if !positions {
		u.counts = make([]uint32, s.docs())
	}
	err := s.each(string(classWord)+w.Text, positions, u.add)
	return u.list(), err
}

// union joins the lists of several words.
type union struct {
	counts []uint32 // by document, without positions
	places []place  // with them
}

type place struct{ doc, position uint32 }

func (u *union) add(l postings.List) {
	if u.counts != nil {
		for i, doc := range l.Docs {
			count := uint32(1)
			if l.Counts != nil {
				count = l.Counts[i]
			}
			if int(doc) < len(u.counts) {
				u.counts[doc] += count
			}
		}
		return
	}
	at := 0
	for i, doc := range l.Docs {
		for range l.Counts[i] {
			u.places = append(u.places, place{doc, l.Positions[at]})
			at++
		}
	}
}

func (u *union) list() postings.List {
	var l postings.List
	for doc, count := range u.counts {
		if count > 0 {
			l.Docs, l.Counts = append(l.Docs, uint32(doc)), append(l.Counts, count) //nolint:gosec // a segment is bounded
		}
	}
	slices.SortFunc(u.places, func(a, b place) int {
		if a.doc != b.doc {
			return int(int64(a.doc) - int64(b.doc))
		}
		return int(int64(a.position) - int64(b.position))
	})
	for _, p := range u.places {
		l.Add(p.doc, int(p.position))
	}
	return l
}

// following returns the places of first behind which next has a place, at that distance in words.
func following(first, next postings.List, distance uint32) postings.List {
	var l postings.List
	at, from := 0, 0 // places in the positions of next and first
	j := 0
	for i, doc := range first.Docs {
		count := int(first.Counts[i])
		for j < len(next.Docs) && next.Docs[j] < doc {
			at += int(next.Counts[j])
			j++
		}
		if j < len(next.Docs) && next.Docs[j] == doc {
			behind := next.Positions[at : at+int(next.Counts[j])]
			for _, position := range first.Positions[from : from+count] {
				if _, found := slices.BinarySearch(behind, position+distance); found {
					l.Add(doc, int(position))
				}
			}
		}
		from += count
	}
	return l
}

// intersect returns the documents that both lists have.
func intersect(a, b []uint32) []uint32 {
	if len(a) > len(b) {
		a, b = b, a
	}
	both := make([]uint32, 0, len(a))
	for _, doc := range a {
		n, found := slices.BinarySearch(b, doc)
		if b = b[n:]; found {
			both = append(both, doc)
		}
	}
	return both
}

// without returns the documents of a that b does not have.
func without(a, b []uint32) []uint32 {
	var rest []uint32
	for _, doc := range a {
		n, found := slices.BinarySearch(b, doc)
		if b = b[n:]; !found {
			rest = append(rest, doc)
		}
	}
	return rest
}

// countIn returns how often a document of the matches has the clause. Documents must be requested in rising order; at is the place of
// the last one.
func (m matches) countIn(doc uint32, at *int) uint32 {
	for *at < len(m.docs) && m.docs[*at] < doc {
		*at++
	}
	if m.counts == nil || *at >= len(m.docs) {
		return 1
	}
	return m.counts[*at]
}
