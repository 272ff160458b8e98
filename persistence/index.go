package persistence

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
	storev1 "betcode/proto/betcode/store/v1"
)

// entry is a session in memory: the values that appends are checked against, and that lists are
// made of. An entry that readers can see is replaced, never changed.
type entry struct {
	id        messages.SessionID
	number    uint64
	head      messages.Seq
	base      messages.Seq // number of the last event before the active file
	chain     record.Link  // of the history up to head
	baseChain record.Link  // of the history up to base
	bytes     uint64       // of the events up to head, as far as they were counted
	baseBytes uint64       // of those up to base
	run       messages.RunNumber
	offset    int64
	name      string
	title     string
	directory string
	place     string // directory with symbolic links resolved
	worktree  string
	parent    messages.SessionID // of a subagent; empty = it is none
	running   bool               // a subagent that has not ended
	proxied   bool               // a proxy runs its agent
	rest      messages.Rest      // whether it is idle, according to its record
	updated   time.Time
	revision  messages.Revision // of the record
	low       messages.Seq      // the session has dropped events up to this one

	deleted bool
	remains *messages.DeletedSession // of a deleted session; nil = nothing
	damaged *messages.Error          // why the session cannot be used
	stuck   *messages.Error          // why nothing can be appended to it
	unsound *messages.Error          // why it could not be loaded, although this entry was
}

// index has the sessions of the active file in memory, about 300 bytes each.
type index struct {
	mu      sync.RWMutex
	entries map[messages.SessionID]*entry
	ids     map[uint64]messages.SessionID // of live sessions
	listed  []*entry                      // sound live sessions, the newest first; their heads may be outdated
	stale   bool                          // listed is outdated, or nil
	broken  map[messages.SessionID]bool   // sessions that are damaged or unsound
}

// buildIndex reads the sessions of a journal. A session whose records are damaged is
// marked; the others are not affected.
func buildIndex(v memtable.View) (*index, error) {
	x := &index{
		entries: map[messages.SessionID]*entry{}, ids: map[uint64]messages.SessionID{}, stale: true, broken: map[messages.SessionID]bool{},
	}
	return x, v.All(record.BucketIDs, func(key, value []byte) error {
		e := &entry{id: messages.SessionID(key)}
		if err := e.load(v, key, value); err != nil && !errors.As(err, &e.damaged) {
			return err
		}
		x.entries[e.id] = e
		if e.damaged != nil {
			x.broken[e.id] = true
		}
		if !e.deleted && e.number > 0 {
			x.ids[e.number] = e.id
		}
		return nil
	})
}

// position returns the position of the session's history in the active file.
func (e *entry) position() record.Position {
	return record.Position{Head: e.head, Base: e.base, Chain: e.chain, BaseChain: e.baseChain, Bytes: e.bytes, BaseBytes: e.baseBytes}
}

func (e *entry) load(v memtable.View, key, value []byte) error {
	var identity storev1.Identity
	if err := record.Decode(fault.OpOpen, record.BucketIDs, key, value, &identity); err != nil {
		return err
	}
	e.number = identity.GetNumber()
	if identity.GetDeleted() != nil {
		e.deleted, e.remains = true, record.LoadTombstone(e.id, identity.GetDeleted())
		return nil
	}
	var cursor storev1.Cursor
	rowCursor := record.RowKey(e.number, record.RowCursor)
	if err := record.Decode(fault.OpOpen, record.BucketSessions, rowCursor, v.Get(record.BucketSessions, rowCursor), &cursor); err != nil {
		return err
	}
	var session storev1.Session
	rowSession := record.RowKey(e.number, record.RowSession)
	err := record.Decode(fault.OpOpen, record.BucketSessions, rowSession, v.Get(record.BucketSessions, rowSession), &session)
	if err == nil {
		loaded := record.LoadSession(e.id, 0, &session)
		e.describe(&loaded)
	}
	e.head, e.base = messages.Seq(cursor.GetHead()), messages.Seq(cursor.GetBase())
	e.chain, e.baseChain = record.LoadLink(cursor.GetChain()), record.LoadLink(cursor.GetBaseChain())
	e.bytes, e.baseBytes = cursor.GetBytes(), cursor.GetBaseBytes()
	e.run, e.offset = messages.RunNumber(cursor.GetRun()), cursor.GetOffset()
	if why := cursor.GetLost(); why != "" {
		return record.DamagedKey(fault.OpOpen, record.BucketSessions, rowCursor, errors.New(why))
	}
	return err
}

// revisions counts the records that were read or written. It belongs to the process, and continues when a journal is opened again.
var revisions atomic.Uint64

// describe copies the indexed parts of a session's record, as it is written or read.
func (e *entry) describe(r *messages.SessionRecord) {
	e.name, e.title, e.directory, e.worktree = r.Name, r.Title, r.WorkingDirectory, r.WorktreeID
	e.place, e.proxied = cmp.Or(r.Resolved, r.WorkingDirectory), r.Proxy != nil
	e.updated = record.LoadTime(record.StoreTime(r.UpdatedAt))
	e.revision = messages.Revision(revisions.Add(1))
	e.low = r.Past.LowWater
	e.rest = r.Rest()
	e.parent, e.running = "", false
	if child := r.Subagent; child != nil {
		e.parent, e.running = child.Parent, !child.Status.Final()
	}
}

// get returns the entry of a session, nil if there never was one.
func (x *index) get(id messages.SessionID) *entry {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.entries[id]
}

// find returns the entry of a session that can be used.
func (x *index) find(op string, id messages.SessionID) (*entry, error) {
	e := x.get(id)
	if e == nil || e.deleted {
		return nil, unknownSession(op, id)
	}
	if e.damaged != nil {
		return nil, e.damage(op, e.damaged)
	}
	return e, nil
}

// damage copies a reason for another caller.
func (e *entry) damage(op string, reason *messages.Error) *messages.Error {
	d := fault.Again(op, reason)
	d.Details = maps.Clone(reason.Details)
	return d.With("session_id", string(e.id))
}

// giveUp makes a session refuse all further appends.
func (x *index) giveUp(id messages.SessionID, reason *messages.Error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e := x.entries[id]; e != nil && e.stuck == nil {
		stuck := *e
		stuck.stuck = reason
		x.entries[id] = &stuck
	}
}

// idOf returns the live session of a number.
func (x *index) idOf(number uint64) (messages.SessionID, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	id, ok := x.ids[number]
	return id, ok
}

// apply makes committed entries visible.
func (x *index) apply(changed map[messages.SessionID]*entry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, e := range changed {
		old := x.entries[id]
		x.entries[id] = e
		if e.deleted {
			delete(x.broken, id)
			delete(x.ids, e.number)
		} else {
			x.ids[e.number] = id
		}
		if old == nil {
			x.listed, x.stale = nil, true
		} else if e.deleted || e.revision != old.revision {
			x.stale = true
		}
	}
}

// newest returns the sound live sessions, the newest first. Their heads may be
// outdated. The caller must not change the slice.
func (x *index) newest() []*entry {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.stale {
		// A new slice, since readers may have the old one. It starts in nearly the old
		// order, which is sorted quickly.
		listed := make([]*entry, 0, len(x.entries))
		for _, old := range x.listed {
			if e := x.entries[old.id]; e.listed() {
				listed = append(listed, e)
			}
		}
		if x.listed == nil {
			for _, e := range x.entries {
				if e.listed() {
					listed = append(listed, e)
				}
			}
		}
		slices.SortFunc(listed, newestFirst)
		x.listed, x.stale = listed, false
	}
	return x.listed
}

// listed reports whether a session is among the sound live ones.
func (e *entry) listed() bool { return !e.deleted && e.damaged == nil && e.unsound == nil }

func newestFirst(a, b *entry) int {
	if c := b.updated.Compare(a.updated); c != 0 {
		return c
	}
	return cmp.Compare(a.id, b.id)
}

func unknownSession(op string, id messages.SessionID) *messages.Error {
	return messages.Errorf(op, messages.NotFound, "there is no session %q", id).
		WithCode(messages.SessionNotFound).With("session_id", string(id))
}
