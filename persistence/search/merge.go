package search

import (
	"bytes"
	"time"

	"betcode/persistence/internal/boltfile"
	"betcode/persistence/search/internal/postings"
)

// Segments are merged within a tier: perTier of them become one. The last tier is not merged, so a document is written a few
// times at most, and a transaction stays small.
var tiers = []uint32{512, 8 << 10, 64 << 10} // segments with fewer documents

const (
	perTier  = 8
	deadPart = 8 // a segment with this part of its documents deleted is rewritten
)

// Reduce does one unit of background work, if one is due: it merges small segments, or drops the oldest one of an index that is too
// large. It returns whether there was one.
func (x *Index) Reduce() (done bool, err error) {
	var all []*segment
	if err := x.file.View(opIndex, func(tx *boltfile.Tx) (err error) {
		all, err = segments(tx)
		return err
	}); err != nil {
		return false, err
	}
	if group := mergeable(all); group != nil {
		return true, x.rewrite(group)
	}
	var bytes int64
	for _, s := range all {
		bytes += s.Bytes
	}
	x.mu.RLock()
	tooLarge := x.maxBytes > 0 && bytes > x.maxBytes
	x.mu.RUnlock()
	if !tooLarge || len(all) < 2 {
		return false, nil
	}
	return true, x.drop(all[0])
}

// mergeable returns segments that should become one.
func mergeable(all []*segment) []*segment {
	from := uint32(0)
	for _, below := range tiers {
		var tier []*segment
		for _, s := range all {
			if from <= s.Docs && s.Docs < below {
				tier = append(tier, s)
			}
		}
		if len(tier) >= perTier {
			return tier[:perTier]
		}
		from = below
	}
	return nil
}

// drop removes a segment, and records which events are no longer indexed.
func (x *Index) drop(s *segment) error {
	x.mu.RLock()
	about := x.about
	x.mu.RUnlock()
	if newest := time.UnixMilli(s.Newest).UTC(); newest.After(about.Dropped) {
		about.Dropped = newest
	}
	err := x.file.Update(opIndex, func(tx *boltfile.Tx) error {
		if err := dropSegment(tx, s); err != nil {
			return err
		}
		return putJSON(tx, bucketIndex, keyIndex, about)
	})
	if err == nil {
		x.mu.Lock()
		x.about = about
		x.mu.Unlock()
	}
	return err
}

// Sweep rewrites a segment with many documents whose events the journal no longer has. It returns whether there was one.
func (x *Index) Sweep() (done bool, err error) {
	var found *segment
	err = x.file.View(opIndex, func(tx *boltfile.Tx) error {
		all, err := segments(tx)
		if err != nil {
			return err
		}
		for _, s := range all {
			gone := uint32(0)
			from := &stored{tx: tx, segment: s}
			for doc := range s.Docs {
				r, err := from.row(doc)
				if err != nil {
					return err
				}
				if !x.lives(r) {
					gone++
				}
			}
			if gone > 0 && gone >= s.Docs/deadPart {
				found = s
				return nil
			}
		}
		return nil
	})
	if err != nil || found == nil {
		return false, err
	}
	return true, x.rewrite([]*segment{found})
}

// lives reports whether the journal has the event of a document.
func (x *Index) lives(r row) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if int(r.session) >= len(x.sessions) {
		return false
	}
	o, exists := x.options.Journal.Outline(x.sessions[r.session])
	return exists && r.seq > o.LowWater
}

// rewrite makes one segment of several, without deleted documents.
func (x *Index) rewrite(group []*segment) error {
	// The number of a segment is its age: the merged one takes that of its newest part.
	merged := newEncoded(group[len(group)-1].number)
	err := x.file.View(opIndex, func(tx *boltfile.Tx) error { return x.merge(tx, group, merged) })
	if err != nil {
		return err
	}
	return x.file.Update(opIndex, func(tx *boltfile.Tx) error {
		for _, s := range group {
			if err := dropSegment(tx, s); err != nil {
				return err
			}
		}
		return merged.put(tx)
	})
}

// part is one of the segments that are being merged.
type part struct {
	words *walker
	word  []byte // the next one; nil at the end
	form  []byte
	to    []int32 // numbers of its documents in the merged segment; negative = deleted
}

func (p *part) next() (err error) {
	p.word, p.form, err = p.words.next()
	return err
}

func (p *part) renumber(doc uint32) (uint32, bool) {
	if int(doc) >= len(p.to) || p.to[doc] < 0 {
		return 0, false
	}
	return uint32(p.to[doc]), true //nolint:gosec // not negative
}

// merge joins segments, the oldest first, word by word.
func (x *Index) merge(tx *boltfile.Tx, group []*segment, merged *encoded) error {
	var parts []*part
	for _, s := range group {
		p, err := x.part(&stored{tx: tx, segment: s}, merged)
		if err != nil {
			return err
		}
		parts = append(parts, p)
	}
	for {
		word, more := firstWord(parts)
		if !more {
			return merged.close()
		}
		l, err := joined(parts, word)
		if err != nil {
			return err
		}
		if len(l.Docs) > 0 {
			if err := merged.words.Add(word, l.Append(nil)); err != nil {
				return err
			}
		}
	}
}

// firstWord returns the first word that the parts still have; more is false if they have none.
func firstWord(parts []*part) (word string, more bool) {
	var least []byte
	for _, p := range parts {
		if p.word != nil && (least == nil || bytes.Compare(p.word, least) < 0) {
			least = p.word
		}
	}
	return string(least), least != nil
}

// joined returns the list of a word in all parts, and moves them behind the word.
func joined(parts []*part, word string) (l postings.List, err error) {
	for _, p := range parts {
		if p.word == nil || string(p.word) != word {
			continue
		}
		old, err := postings.Parse(p.form, true)
		if err != nil {
			return l, damaged(bucketWords, []byte(word), err)
		}
		l.Renumber(old, p.renumber)
		if err := p.next(); err != nil {
			return l, err
		}
	}
	return l, nil
}

// part numbers the live documents of a segment, behind those that the merged one has.
func (x *Index) part(from *stored, merged *encoded) (*part, error) {
	p := &part{words: from.walk(""), to: make([]int32, from.segment.Docs)}
	for doc := range p.to {
		r, err := from.row(uint32(doc)) //nolint:gosec // a segment is bounded
		if err != nil {
			return nil, err
		}
		if p.to[doc] = -1; x.lives(r) {
			p.to[doc] = int32(merged.segment.Docs) //nolint:gosec // a segment is bounded
			merged.row(r)
		}
	}
	return p, p.next()
}
