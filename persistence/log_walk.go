package persistence

import (
	"bytes"
	"fmt"
)

// walked is what one log holds.
type walked struct {
	name   string
	groups []logGroup  // whole ones, in order, from the beginning of the log
	broken []logGroup  // of them, whose rows cannot be read: no rows
	mended []groupAt   // of them, one bit of which was flipped
	gaps   []logGap    // between them
	torn   *groupAt    // behind them: its head is sound, its rows are not
	end    int         // bytes of them
	other  *journalTag // a group is of this journal
}

// groupAt is a group with its place in the log.
type groupAt struct {
	logGroup
	offset int
}

// logGap is a part of a log in which no group can be read, before one that can.
type logGap struct {
	from, to int    // bytes of the log
	before   uint64 // number of the group behind it
	data     []byte
}

// walkLog reads a log. Behind the last group there may be anything: what the log
// held before it was begun anew, with numbers below those of its groups, and
// what a crash left of a group that nobody was told of. But a group that can be
// read behind one that cannot says that the latter was whole once.
//
// A group with one flipped bit is read as it was (mendGroup). Groups with numbers up
// to done are of no interest.
func walkLog(log []byte, tag journalTag, done uint64) (w walked) {
	last := uint64(0)
	expected := func(g logGroup) bool {
		return g.tag == tag && (g.number == last+1 || last == 0 && g.number > done)
	}
	for {
		g, size, err := decodeGroup(log[w.end:])
		if err == nil && g.tag != tag && last == 0 && len(w.gaps) == 0 {
			w.other = &g.tag
			return w
		}
		sound := err == nil && g.tag == tag && (last == 0 || g.number == last+1)
		if err != nil {
			var mended logGroup
			var length int
			if mended, length, sound = mendGroup(log[w.end:], expected); sound {
				g, size = mended, length
				w.mended = append(w.mended, groupAt{g, w.end})
			}
		}
		if !sound && err == errGroupRows && expected(g) { //nolint:errorlint // it is never wrapped
			// A group behind it says whether it is damaged, or torn.
			if rest := log[min(w.end+size, len(log)):]; nextGroup(rest, tag, max(g.number, done)) >= 0 {
				w.broken, sound = append(w.broken, g), true
			} else {
				w.torn = &groupAt{g, w.end}
				return w
			}
		}
		if sound {
			w.groups, w.end, last = append(w.groups, g), w.end+size, g.number
			continue
		}
		next := nextGroup(log[w.end:], tag, max(last, done))
		if next < 0 {
			return w
		}
		behind, _, _ := decodeGroup(log[w.end+next:]) // the head is sound
		w.gaps = append(w.gaps, logGap{w.end, w.end + next, behind.number, log[w.end : w.end+next]})
		w.end, last = w.end+next, behind.number-1
	}
}

// nextGroup looks everywhere in a part of a log for a group with a number above one
// whose head is sound, and returns where it begins; -1 if there is none.
func nextGroup(log []byte, tag journalTag, above uint64) int {
	for from := 0; ; {
		at := bytes.Index(log[from:], groupMagic)
		if at < 0 {
			return -1
		}
		from += at
		g, size, err := decodeGroup(log[from:])
		switch {
		case err != nil && err != errGroupRows, g.tag != tag: //nolint:errorlint // it is never wrapped
			from += len(groupMagic)
		case g.number > above:
			return from
		case err == nil:
			from += size
		default:
			from += len(groupMagic)
		}
	}
}

// missingGroups are groups with consecutive numbers that must have been in the logs and
// cannot be read.
type missingGroups struct {
	first, last uint64
	file        string // empty = it is not known in which log they were
	gap         logGap // of that log
}

func (m missingGroups) String() string {
	groups := fmt.Sprintf("groups %d to %d", m.first, m.last)
	if m.first == m.last {
		groups = fmt.Sprintf("group %d", m.first)
	}
	if m.file == "" {
		return groups + " cannot be found; there are newer ones"
	}
	return fmt.Sprintf("%s at offset %d (%d bytes) cannot be read; there are newer ones", groups, m.gap.from, m.gap.to-m.gap.from)
}

// following puts the groups of several logs in order: those with the numbers
// from done+1 on. missing are those that must have been there.
func following(logs []walked, done uint64) (groups []logGroup, broken map[uint64]bool, missing []missingGroups) {
	byNumber, newest := map[uint64]logGroup{}, done
	broken = map[uint64]bool{}
	for _, w := range logs {
		for _, g := range w.groups {
			byNumber[g.number] = g
			newest = max(newest, g.number)
		}
		for _, g := range w.broken {
			broken[g.number] = true
		}
	}
	for number := done + 1; number <= newest; number++ {
		if g, ok := byNumber[number]; ok {
			groups = append(groups, g)
			continue
		}
		m := missingGroups{first: number, last: number}
		for byNumber[m.last+1].number == 0 {
			m.last++
		}
		for _, w := range logs {
			for _, gap := range w.gaps {
				if gap.before == m.last+1 {
					m.file, m.gap = w.name, gap
				}
			}
		}
		missing = append(missing, m)
		number = m.last
	}
	return groups, broken, missing
}

// newestAnywhere returns the number of the newest group in a log, whichever journal it
// is of.
func newestAnywhere(log []byte) (newest uint64) {
	for {
		at := bytes.Index(log, groupMagic)
		if at < 0 {
			return newest
		}
		if g, _, err := decodeGroup(log[at:]); err == nil {
			newest = max(newest, g.number)
		}
		log = log[at+len(groupMagic):]
	}
}
