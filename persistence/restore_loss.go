package persistence

import (
	"cmp"
	"slices"
	"time"

	"betcode/messages"
)

// SessionLoss is a session of the replaced journal that has more events than
// in the backup.
type SessionLoss struct {
	Session messages.SessionID
	Name    string
	Updated time.Time    // time of its last change
	Head    messages.Seq // number of its last event
	Kept    messages.Seq // number of its last event in the backup; 0 = the backup does not have it
	Damaged bool         // it cannot be loaded: there may have been more events
}

// Events returns how many of its events are newer than the backup.
func (l SessionLoss) Events() uint64 { return uint64(l.Head - l.Kept) }

// readPresent records the content of the journal that is to be replaced. A journal that
// cannot be read does not prevent the restore, since that is the usual reason for one.
func (r *restorer) readPresent() {
	s, err := Open(Options{Directory: r.o.Directory, ReadOnly: true})
	if err != nil {
		if kind := messages.KindOf(err); kind != messages.NotFound && kind != messages.Unavailable {
			r.done.Unread = err
		}
		return
	}
	defer s.Close()
	r.done.Replaced = s.lineage
	for _, e := range s.index.live() {
		r.present = append(r.present, SessionLoss{
			Session: e.id, Name: e.name, Updated: e.updated, Head: e.head, Damaged: e.damaged != nil || e.unsound != nil,
		})
	}
}

// compareWith records the content of the replaced journal that the backup lacks.
func (r *restorer) compareWith(backup *Store) {
	for _, l := range r.present {
		if e := backup.index.get(l.Session); e != nil && !e.deleted {
			l.Kept = e.head
		}
		if l.Head > l.Kept {
			r.done.Lost = append(r.done.Lost, l)
		}
	}
	slices.SortFunc(r.done.Lost, func(a, b SessionLoss) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.Session, b.Session))
	})
}

// live returns the sessions that are not deleted, with damaged ones, in no order.
func (x *index) live() []*entry {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var all []*entry
	for _, e := range x.entries {
		if !e.deleted {
			all = append(all, e)
		}
	}
	return all
}
