package memtable

import (
	"iter"
	"slices"

	"github.com/tidwall/btree"

	"betcode/persistence/internal/record"
)

// Table has rows in order, the newest of each key. A shared table is not changed:
// a commit clones it, which costs in proportion to the changes of the commit.
type Table struct {
	rows *btree.BTreeG[*record.Row]
	// outside are payloads that rows refer to, or referred to before they were
	// replaced. No journal file lists them yet.
	outside []record.PayloadID
}

// tableDegree is small, because a commit copies whole nodes of a table.
const tableDegree = 8

// New returns an empty table.
func New() *Table {
	return &Table{rows: btree.NewBTreeGOptions((*record.Row).Before, btree.Options{NoLocks: true, Degree: tableDegree})}
}

// Clone returns a copy that can be changed while the table is read.
func (t *Table) Clone() *Table { return &Table{t.rows.Copy(), slices.Clip(t.outside)} }

// Put stores a row in place of an older one with the same key.
func (t *Table) Put(c *record.Row) {
	t.rows.Set(c)
	if id, ok := c.Payload(); ok {
		t.outside = append(t.outside, id)
	}
}

// References returns the payloads that rows refer to, or did before they were replaced.
func (t *Table) References() iter.Seq[record.PayloadID] { return slices.Values(t.outside) }

// Refers reports whether a row refers to a payload, or did before it was replaced.
func (t *Table) Refers(id record.PayloadID) bool { return slices.Contains(t.outside, id) }

// Empty reports whether there are no rows.
func (t *Table) Empty() bool { return t.rows.Len() == 0 }

// Length returns the number of rows.
func (t *Table) Length() int { return t.rows.Len() }

// get returns the row of a key. known is true for a row that deletes, too.
func (t *Table) get(bucket byte, key []byte) (c *record.Row, known bool) {
	return t.rows.Get(&record.Row{Bucket: bucket, Key: key})
}

// Each calls do for every row, in order.
func (t *Table) Each(do func(*record.Row) error) (err error) {
	t.rows.Scan(func(c *record.Row) bool {
		err = do(c)
		return err == nil
	})
	return err
}
