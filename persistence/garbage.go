package persistence

import (
	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
	storev1 "betcode/proto/betcode/store/v1"
)

// usualBytes is the assumed size of an event in a file from before format 3, which
// does not count sizes.
const usualBytes = 300

// marks are the watermarks of all sessions: the events up to which their histories are not needed. They only
// rise, so garbage by old marks is garbage by new ones.
type marks struct {
	low     map[uint64]messages.Seq // of live sessions
	certain bool                    // any session not in low was deleted
	deleted map[uint64]bool         // sessions that were certainly deleted
}

// marks returns the present marks. The number of a session with a damaged identity is unknown.
// While there is such a session, only sessions with a tombstone count as deleted.
func (x *index) marks() marks {
	x.mu.RLock()
	defer x.mu.RUnlock()
	m := marks{low: make(map[uint64]messages.Seq, len(x.entries)), deleted: map[uint64]bool{}, certain: true}
	for _, e := range x.entries {
		switch {
		case e.deleted:
			m.deleted[e.number] = true
		case e.number == 0:
			m.certain = false
		case e.damaged != nil:
			m.low[e.number] = 0
		default:
			m.low[e.number] = e.low
		}
	}
	return m
}

// gone reports whether a session was deleted.
func (m marks) gone(number uint64) bool {
	_, live := m.low[number]
	return !live && (m.certain || m.deleted[number])
}

// useless reports whether an event, and those before it, are not needed.
func (m marks) useless(number uint64, seq messages.Seq) bool {
	return m.gone(number) || seq <= m.low[number]
}

// weight is how many bytes of events a file has, and how many of them are garbage;
// payloads count too. It is an estimate: if a part of a session's history is needed,
// its events count as equally large.
type weight struct{ all, useless int64 }

// heavy reports whether more than half of the file is garbage, and enough to be worth
// rewriting.
func (w weight) heavy(least int64) bool { return w.useless >= least && 2*w.useless > w.all }

// rest estimates how many of so many bytes of a file remain without its garbage: in
// proportion to its events.
func (w weight) rest(bytes int64) int64 {
	if w.all == 0 {
		return bytes
	}
	return int64(float64(bytes) * float64(w.all-w.useless) / float64(w.all))
}

// weigh estimates the weight of a sealed file.
func weigh(op string, tx *boltfile.Tx, m marks) (w weight, err error) {
	err = memtable.View{File: tx}.All(record.BucketSessions, func(key, value []byte) error {
		if key[len(key)-1] != record.RowCursor {
			return nil
		}
		var c storev1.Cursor
		if err := record.Decode(op, record.BucketSessions, key, value, &c); err != nil {
			return nil //nolint:nilerr // a damaged cursor counts as no garbage
		}
		number, _ := record.NumberOf(key)
		from, head := record.Begins(&c), c.GetHead()
		if from >= head {
			return nil
		}
		bytes := int64(c.GetBytes() - min(c.GetBaseBytes(), c.GetBytes())) //nolint:gosec // of a history on a disk
		if bytes == 0 {
			bytes = int64(head-from) * usualBytes //nolint:gosec // the same
		}
		w.all += bytes
		switch low := uint64(m.low[number]); {
		case m.gone(number), low >= head:
			w.useless += bytes
		case low > from:
			w.useless += int64(float64(bytes) * float64(low-from) / float64(head-from))
		}
		return nil
	})
	return w, err
}
