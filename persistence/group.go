package persistence

import (
	"math"

	"betcode/messages"
	"betcode/messages/failpoint"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
	"betcode/persistence/internal/wal"
)

// group is one group of the log while it is made. It admits appends one after the other,
// gives numbers to new sessions, and adds the rows of each append at once to the
// table and to the bytes that the log appends.
type group struct {
	store   *Store
	view    memtable.View                 // the present rows, with the changes of the group so far
	rows    *memtable.Table               // the newest of the view's tables: the live rows after the commit
	numbers uint64                        // the newest session number
	names   []wal.Owner                   // the sessions of the group
	written []byte                        // the rows in the form of the log
	staged  []*staged                     // released when the rows are visible, or will never be
	changed map[messages.SessionID]*entry // sessions after the group
	appends int
	events  int
	bytes   int
}

// gather carries out the appends, each of them whole or not at all.
func (g *group) gather(appends []messages.Append, results []error) error {
	for i := range appends {
		refusal, err := g.append(&appends[i])
		if err != nil {
			return err
		}
		if refusal != nil {
			results[i] = refusal
			continue
		}
		g.appends++
	}
	if g.appends == 0 {
		return boltfile.ErrUnchanged
	}
	failpoint.Hit(failpoint.InCommit)
	return nil
}

// append admits one append and adds its rows.
func (g *group) append(a *messages.Append) (*messages.Error, error) {
	st := g.store.staging.take(a.Session)
	if st != nil {
		g.staged = append(g.staged, st)
	}
	old := g.changed[a.Session]
	if old == nil {
		old = g.store.index.get(a.Session)
	}
	next, refusal := admit(old, a)
	if refusal != nil {
		return refusal, nil
	}
	e := encoder{view: g.view, now: g.store.options.Now}
	if next.deleted {
		if err := e.deletion(next, a.Record); err != nil {
			return nil, err
		}
		g.take(e.rows, next, wal.Owner{Number: next.number})
		return nil, nil
	}
	name, began := wal.Owner{Number: next.number}, next.number == 0
	if began {
		next.number = g.numbers + 1
		name = wal.Owner{Number: next.number, ID: string(a.Session)}
	}
	if !st.fits(a, next.number, next.chain) {
		st = nil
	}
	if refusal := e.append(a, next, began, st); refusal != nil {
		return refusal, nil
	}
	g.view.Touch(record.BucketEvents, record.PairKey(next.number, math.MaxUint64))
	g.take(e.rows, next, name)
	g.events += len(a.Events)
	for _, event := range a.Events {
		g.bytes += len(event.Bytes)
	}
	return nil, nil
}

// take adds encoded rows to the group. A row that is already stored is not written
// again: the body of an input stays, however often the input's state changes.
func (g *group) take(rows []*record.Row, next *entry, name wal.Owner) {
	for _, c := range rows {
		if c.Bucket != record.CodeEvents && c.Value != nil && record.SameBody(c.Key, g.view.Get(record.Buckets[c.Bucket], c.Key), c.Value) {
			continue
		}
		g.rows.Put(c)
		g.written = record.AppendRow(g.written, c)
	}
	if g.changed[next.id] == nil {
		g.names = append(g.names, name)
	}
	g.changed[next.id], g.numbers = next, max(g.numbers, next.number)
}

// release releases the staged values: the table now refers to them, or nothing will. The
// rows are in the log, or will never be, and the next group uses their memory.
func (g *group) release() {
	g.store.log.KeepRows(g.written)
	for _, st := range g.staged {
		st.large.Release()
	}
}
