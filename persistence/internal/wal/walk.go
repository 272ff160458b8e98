package wal

import (
	"bytes"
	"fmt"
)

// Walked is the content of one log.
type Walked struct {
	Name    string
	Groups  []Group   // complete groups, in order, from the beginning of the log
	Broken  []Group   // those of Groups whose rows cannot be read: no rows
	Mended  []GroupAt // those of Groups of which one flipped bit was corrected
	Rebuilt []GroupAt // those of Groups whose damaged head was reconstructed
	Gaps    []Gap     // between Groups
	Torn    *GroupAt  // behind Groups: its head is sound, its rows are not
	End     int       // bytes of Groups
	Other   *Tag      // a group has the tag of another journal
}

// GroupAt is a group with its place in the log.
type GroupAt struct {
	Group
	Offset int
}

// Gap is a part of a log in which no group can be read, in front of one that can.
type Gap struct {
	From, to int    // bytes of the log
	before   uint64 // number of the group behind it
	Data     []byte
}

// Walk reads a log. Behind the last group there may be anything: older groups with
// smaller numbers, from before the log was started again, and the leftover of a group
// that was never acknowledged. But a group that can be read behind one that cannot
// proves that the latter was once complete.
//
// A group with one flipped bit is corrected (mendGroup), and a group with a damaged head
// is reconstructed if the checksum proves it (rebuildHead). Groups with numbers up to done are
// ignored.
func Walk(log []byte, tag Tag, done uint64, rows RowCheck) Walked {
	w := walk{log: log, tag: tag, done: done, rows: rows}
	for w.step() {
	}
	return w.Walked
}

// walk is a log that is being read. End is where the next group begins.
type walk struct {
	Walked

	log  []byte
	tag  Tag
	done uint64
	rows RowCheck
	last uint64 // number of the newest group; 0 = none
}

// step reads the next group, and reports whether there may be another one.
func (w *walk) step() bool {
	g, size, err := decodeGroup(w.log[w.End:])
	switch {
	case err == nil && g.Tag != w.tag && w.last == 0 && len(w.Gaps) == 0:
		w.Other = &g.Tag
		return false
	case err == nil && g.Tag == w.tag && (w.last == 0 || g.Number == w.last+1):
		return w.take(g, size)
	case err == nil:
		return w.skip()
	}
	if mended, length, ok := mendGroup(w.log[w.End:], w.expects, w.rows); ok {
		w.Mended = append(w.Mended, GroupAt{mended, w.End})
		return w.take(mended, length)
	}
	if err == ErrRows && w.expects(g) { //nolint:errorlint // it is never wrapped
		return w.broken(g, size)
	}
	return w.skip()
}

// expects reports whether a group may be the next one.
func (w *walk) expects(g Group) bool {
	return g.Tag == w.tag && (g.Number == w.last+1 || w.last == 0 && g.Number > w.done)
}

// take adds a group and moves behind it.
func (w *walk) take(g Group, size int) bool {
	w.Groups, w.End, w.last = append(w.Groups, g), w.End+size, g.Number
	return true
}

// broken handles a group with a sound head whose rows cannot be read. A group behind it shows whether it is damaged, or torn.
func (w *walk) broken(g Group, size int) bool {
	rest := w.log[min(w.End+size, len(w.log)):]
	if nextGroup(rest, w.tag, max(g.Number, w.done)) < 0 {
		w.Torn = &GroupAt{g, w.End}
		return false
	}
	w.Broken = append(w.Broken, g)
	return w.take(g, size)
}

// skip moves to the next group that can be read. It reconstructs the group in front of that one, or records a gap.
func (w *walk) skip() bool {
	next := nextGroup(w.log[w.End:], w.tag, max(w.last, w.done))
	if next < 0 {
		return false
	}
	behind, _, _ := decodeGroup(w.log[w.End+next:]) // the head is sound
	number := behind.Number - 1
	if number == w.last+1 || w.last == 0 && number > w.done {
		if g, ok := rebuildHead(w.log[w.End:w.End+next], w.tag, number, w.rows); ok {
			w.Rebuilt = append(w.Rebuilt, GroupAt{g, w.End})
			w.take(g, next)
			w.last = number
			return true
		}
	}
	w.Gaps = append(w.Gaps, Gap{w.End, w.End + next, behind.Number, w.log[w.End : w.End+next]})
	w.End, w.last = w.End+next, number
	return true
}

// nextGroup searches a part of a log byte by byte for a group with a number above one
// whose head is sound, and returns where it begins; -1 if there is none.
func nextGroup(log []byte, tag Tag, above uint64) int {
	for from := 0; ; {
		at := bytes.Index(log[from:], groupMagic)
		if at < 0 {
			return -1
		}
		from += at
		g, size, err := decodeGroup(log[from:])
		switch {
		case err != nil && err != ErrRows, g.Tag != tag: //nolint:errorlint // it is never wrapped
			from += len(groupMagic)
		case g.Number > above:
			return from
		case err == nil:
			from += size
		default:
			from += len(groupMagic)
		}
	}
}

// Missing are groups with consecutive numbers that must have been in the logs and
// cannot be read.
type Missing struct {
	First, Last uint64
	File        string // empty = the log they were in is unknown
	Gap         Gap    // of that log
}

// String describes the groups that cannot be read, and their place.
func (m Missing) String() string {
	groups := fmt.Sprintf("groups %d to %d", m.First, m.Last)
	if m.First == m.Last {
		groups = fmt.Sprintf("group %d", m.First)
	}
	if m.File == "" {
		return groups + " cannot be found; there are newer ones"
	}
	return fmt.Sprintf("%s at offset %d (%d bytes) cannot be read; there are newer ones", groups, m.Gap.From, m.Gap.to-m.Gap.From)
}

// Following puts the groups of several logs in order: those with the numbers
// from done+1 on. missing are those that must have existed.
func Following(logs []Walked, done uint64) (groups []Group, broken map[uint64]bool, missing []Missing) {
	byNumber, newest := map[uint64]Group{}, done
	broken = map[uint64]bool{}
	for _, w := range logs {
		for _, g := range w.Groups {
			byNumber[g.Number] = g
			newest = max(newest, g.Number)
		}
		for _, g := range w.Broken {
			broken[g.Number] = true
		}
	}
	for number := done + 1; number <= newest; number++ {
		if g, ok := byNumber[number]; ok {
			groups = append(groups, g)
			continue
		}
		m := Missing{First: number, Last: number}
		for byNumber[m.Last+1].Number == 0 {
			m.Last++
		}
		for _, w := range logs {
			for _, gap := range w.Gaps {
				if gap.before == m.Last+1 {
					m.File, m.Gap = w.Name, gap
				}
			}
		}
		missing = append(missing, m)
		number = m.Last
	}
	return groups, broken, missing
}

// NewestIn returns the number of the newest group in a log of any
// journal.
func NewestIn(log []byte) (newest uint64) {
	for {
		at := bytes.Index(log, groupMagic)
		if at < 0 {
			return newest
		}
		if g, _, err := decodeGroup(log[at:]); err == nil {
			newest = max(newest, g.Number)
		}
		log = log[at+len(groupMagic):]
	}
}
