package persistence

import (
	"bytes"
	"fmt"
)

// walked is what one log holds.
type walked struct {
	groups []logGroup  // whole ones, in order, from the beginning of the log
	broken []logGroup  // of them, whose rows cannot be read: no rows
	beyond uint64      // number of a sound group that does not follow from those; 0 = there is none
	end    int         // bytes of them
	other  *journalTag // a group is of this journal
}

// walkLog reads a log. Behind the last group there may be anything: what the log
// held before it was begun anew, with numbers below those of its groups, and
// what a crash left of a group that nobody was told of. But a group that can be
// read behind one that cannot says that the latter was whole once.
//
// Groups with numbers up to done are of no interest.
func walkLog(log []byte, tag journalTag, done uint64) (w walked) {
	last := uint64(0)
	for {
		g, size, err := decodeGroup(log[w.end:])
		if err == nil && g.tag != tag {
			w.other = &g.tag
			return w
		}
		if last > 0 && g.number != last+1 {
			break
		}
		if err == errGroupRows && w.end+size <= len(log) { //nolint:errorlint // it is never wrapped
			// The group behind it says whether it is damaged, or torn.
			behind, _, err := decodeGroup(log[w.end+size:])
			if err != nil || behind.number != g.number+1 || behind.tag != tag {
				break
			}
			w.broken = append(w.broken, g)
		} else if err != nil {
			break
		}
		w.groups, w.end, last = append(w.groups, g), w.end+size, g.number
	}
	w.beyond = newestGroup(log[w.end:], tag, max(last, done))
	return w
}

// newestGroup looks everywhere in a part of a log for groups with numbers above
// one, and returns the greatest that it finds.
func newestGroup(log []byte, tag journalTag, above uint64) (newest uint64) {
	for {
		at := bytes.Index(log, groupMagic)
		if at < 0 {
			return newest
		}
		log = log[at:]
		if g, size, err := decodeGroup(log); err == nil && g.tag == tag {
			if g.number > above {
				newest = max(newest, g.number)
			}
			log = log[size:]
			continue
		}
		log = log[len(groupMagic):]
	}
}

// following puts the groups of several logs in order: those with the numbers
// from done+1 on. It fails if one is missing that must have been there.
func following(logs []walked, done uint64) (groups []logGroup, broken map[uint64]bool, err error) {
	byNumber, newest := map[uint64]logGroup{}, done
	broken = map[uint64]bool{}
	for _, w := range logs {
		newest = max(newest, w.beyond)
		for _, g := range w.groups {
			byNumber[g.number] = g
			newest = max(newest, g.number)
		}
		for _, g := range w.broken {
			broken[g.number] = true
		}
	}
	for number := done + 1; number <= newest; number++ {
		g, ok := byNumber[number]
		if !ok {
			return nil, nil, fmt.Errorf("group %d is damaged or missing; there are groups up to %d", number, newest)
		}
		groups = append(groups, g)
	}
	return groups, broken, nil
}

// newestAnywhere is newestGroup for whichever journal.
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
