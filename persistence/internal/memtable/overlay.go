package memtable

// Overlay has the rows that are durable in the logs and not in the active file yet:
// those of the live log, over those of the other log while a checkpoint moves them.
// It is replaced, never changed.
type Overlay struct {
	Live    *Table
	Frozen  *Table // nil = no checkpoint is running
	Last    uint64 // number of the newest group in Frozen
	Numbers uint64 // the newest session number at the time of the freeze
}

// Over returns the tables, the newest first.
func (o *Overlay) Over() []*Table {
	switch {
	case o.Frozen == nil:
		return []*Table{o.Live}
	case o.Live.Empty():
		return []*Table{o.Frozen}
	}
	return []*Table{o.Live, o.Frozen}
}
