package search

import (
	"cmp"
	"container/heap"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"betcode/messages"
)

// hit is a matching document.
type hit struct {
	row   row
	score float64
}

// The constants of BM25, and the number of words of an average document.
const (
	saturation = 1.2
	lengthPart = 0.75
	usualWords = 60
)

// kindWeights are factors of the score, by place of the kind: texts of people and of the agent rank above results of tools.
var kindWeights = []float64{1.3, 1.2, 0.8, 1, 0.8}

// frequency returns the BM25 factor of a word in a document, from its count and the length of the document.
func frequency(count, words uint32) float64 {
	n := float64(count)
	return n * (saturation + 1) / (n + saturation*(1-lengthPart+lengthPart*float64(words)/usualWords))
}

// weigh gives each wanted clause its weight: the rarer its rarest word, the more.
func (s *search) weigh(sources []source) error {
	for _, from := range sources {
		s.docs += from.docs()
	}
	for _, c := range s.query.Want {
		if s.confined { // the order must not reveal how often other sessions use a word
			s.weights = append(s.weights, 1)
			continue
		}
		rarest := s.docs
		for _, w := range c {
			if w.Prefix {
				continue
			}
			with := 0
			for _, from := range sources {
				n, err := from.size(string(classWord) + w.Text)
				if err != nil {
					return err
				}
				with += n
			}
			rarest = min(rarest, with)
		}
		s.weights = append(s.weights, math.Log(1+(float64(s.docs-rarest)+0.5)/(float64(rarest)+0.5)))
	}
	return nil
}

// order compares two hits. No two hits are equal.
func order(a, b hit, byTime bool) int {
	byScore := 0
	if !byTime {
		byScore = cmp.Compare(b.score, a.score)
	}
	return cmp.Or(byScore, cmp.Compare(b.row.at, a.row.at), cmp.Compare(a.row.session, b.row.session), cmp.Compare(b.row.seq, a.row.seq))
}

// top keeps the first hits in order. It is a heap with the last of them at the front.
type top struct {
	room   int
	byTime bool
	hits   []hit
}

// add adds a hit, if it is among the first.
func (t *top) add(h hit) {
	if len(t.hits) < t.room {
		heap.Push(t, h)
	} else if order(h, t.hits[0], t.byTime) < 0 {
		t.hits[0] = h
		heap.Fix(t, 0)
	}
}

func (t *top) sorted() []hit {
	slices.SortFunc(t.hits, func(a, b hit) int { return order(a, b, t.byTime) })
	return t.hits
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (t *top) Len() int           { return len(t.hits) }
func (t *top) Less(i, j int) bool { return order(t.hits[i], t.hits[j], t.byTime) > 0 }
func (t *top) Swap(i, j int)      { t.hits[i], t.hits[j] = t.hits[j], t.hits[i] }
func (t *top) Push(h any)         { t.hits = append(t.hits, h.(hit)) } //nolint:forcetypeassert // only add pushes
func (t *top) Pop() any {
	last := t.hits[len(t.hits)-1]
	t.hits = t.hits[:len(t.hits)-1]
	return last
}

// cursor is the last hit of a page: the next one begins behind it.
type cursor struct{ hit hit }

const cursorBytes = 4 + 8 + 8 + 4 + 8

// before reports whether a hit comes behind the cursor.
func (c *cursor) before(h hit, byTime bool) bool { return order(c.hit, h, byTime) < 0 }

// token returns the text of the cursor at a hit.
func (s *search) token(h hit) string {
	form := binary.BigEndian.AppendUint32(nil, s.asked())
	form = binary.BigEndian.AppendUint64(form, math.Float64bits(h.score))
	form = binary.BigEndian.AppendUint64(form, uint64(h.row.at)) //nolint:gosec // read back the same way
	form = binary.BigEndian.AppendUint32(form, h.row.session)
	form = binary.BigEndian.AppendUint64(form, uint64(h.row.seq))
	return base64.RawURLEncoding.EncodeToString(form)
}

// asked identifies the search, so that a token of another search is refused.
func (s *search) asked() uint32 {
	return crc32.ChecksumIEEE(fmt.Append(nil, s.query, s.kinds, s.toolName, s.file, s.byTime))
}

// parseCursor parses the token of a page.
func (s *search) parseCursor(token string) (*cursor, error) {
	form, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(form) != cursorBytes || binary.BigEndian.Uint32(form) != s.asked() {
		return nil, invalid("Leave the page token out to begin with the first page.", "the page token does not belong to this search")
	}
	h := hit{score: math.Float64frombits(binary.BigEndian.Uint64(form[4:]))}
	h.row.at = int64(binary.BigEndian.Uint64(form[12:])) //nolint:gosec // as it was written
	h.row.session = binary.BigEndian.Uint32(form[20:])
	h.row.seq = messages.Seq(binary.BigEndian.Uint64(form[24:]))
	if math.IsNaN(h.score) {
		return nil, invalid("Leave the page token out to begin with the first page.", "the page token is damaged")
	}
	return &cursor{hit: h}, nil
}
