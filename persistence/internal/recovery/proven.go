package recovery

import (
	"fmt"
	"slices"

	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/record"
	"betcode/persistence/internal/wal"
	storev1 "betcode/proto/betcode/store/v1"
)

// provenGroup reads a group with a lost head, including its checksum, if the rest of
// the group proves itself: then nothing is guessed.
//
// One group is missing, so its place determines its number and length. Behind the head there
// must be names and rows, to the last byte. Each row that puts a value has a checksum of
// key and value. A row that deletes has none, so rows with deletions need the checksum
// of all rows, if that part of the head is left. Names have no checksum either: they
// must be the sessions of the rows, and the ids that the rows give to new sessions.
func provenGroup(tag wal.Tag, m wal.Missing) (wal.Group, bool) {
	if m.First != m.Last || m.File == "" {
		return wal.Group{}, false
	}
	return wal.Rebuild(m.Gap.Data, tag, m.First, provenRows)
}

func provenRows(owners []wal.Owner, rows []byte, summed bool) bool {
	numbers, sound := map[uint64]bool{}, len(rows) > 0
	err := record.DecodeRows(rows, func(c *record.Row) {
		number, ok := rowOwner(c, owners)
		numbers[number] = true
		if c.Value == nil {
			sound = sound && ok && summed
			return
		}
		_, err := record.Unstamp(c.Key, c.Value)
		sound = sound && ok && err == nil
	})
	if err != nil || !sound || len(numbers) != len(owners) {
		return false
	}
	for _, o := range owners {
		if !numbers[o.Number] {
			return false
		}
	}
	return true
}

// rowOwner returns the number of the session of a row; ok is false if that contradicts the
// names of the group.
func rowOwner(c *record.Row, owners []wal.Owner) (number uint64, ok bool) {
	if string(record.Buckets[c.Bucket]) != string(record.BucketIDs) {
		return record.NumberOf(c.Key)
	}
	var i storev1.Identity
	if c.Value == nil || record.Decode(fault.OpRepair, record.BucketIDs, c.Key, c.Value, &i) != nil {
		return 0, false
	}
	number = i.GetNumber()
	at := slices.IndexFunc(owners, func(o wal.Owner) bool { return o.Number == number })
	if at < 0 {
		return number, false
	}
	began := i.GetDeleted() == nil
	return number, began == (owners[at].ID != "") && (!began || owners[at].ID == string(c.Key))
}

// takeProven adds a group with a lost head to the journal. Only a repair
// does that.
func (r *Recovered) takeProven(g wal.Group, m wal.Missing) {
	r.find(m.File, m.Gap.From, fmt.Sprintf("the head of group %d is lost", g.Number), "made again of its rows, which prove themselves; nothing is lost")
	r.salvage.needed = true
	r.take(g, false)
}
