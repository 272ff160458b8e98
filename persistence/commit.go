package persistence

import (
	"errors"

	"betcode/messages"
	"betcode/messages/failpoint"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/wal"
)

// Commit makes appends durable, as one group of the log. It returns one result for each
// append: nil, or the [*messages.Error] for which that append was refused. A refused
// append changes nothing and does not affect the others. An append sees those before it.
// If the group itself cannot be written, every append that was not refused fails with
// [messages.Unavailable]; the store does not retry.
//
// When Commit returns, the accepted appends are durable and can be read.
//
// A damaged page of one session must not stop the others: when appends fail together
// with [messages.DataLoss] before anything is written, they are committed one by one,
// and the damaged session refuses appends until the journal is opened again.
func (s *Store) Commit(appends []messages.Append) []error {
	s.makeRoom()
	s.writing.Lock()
	defer s.writing.Unlock()
	results := make([]error, len(appends))
	err := s.writable(fault.OpAppend)
	if err == nil {
		err = s.room(fault.OpAppend)
	}
	if err != nil {
		for i := range results {
			results[i] = fault.Again(fault.OpAppend, fault.As(err))
		}
		return results
	}
	s.commit(appends, results)
	for _, err := range results {
		if err != nil {
			s.counts.refused.Add(1)
		}
	}
	return results
}

func (s *Store) commit(appends []messages.Append, results []error) {
	if len(appends) == 0 {
		return
	}
	g := group{store: s, changed: map[messages.SessionID]*entry{}, numbers: s.numbers.Load(), written: s.log.RowsMemory()}
	defer g.release()
	failpoint.Hit(failpoint.BeforeCommit)
	o := s.overlay.Load()
	g.rows = o.Live.Clone()
	over := []*memtable.Table{g.rows}
	if o.Frozen != nil {
		over = append(over, o.Frozen)
	}
	err := s.active.View(fault.OpAppend, func(tx *boltfile.Tx) error {
		g.view = memtable.View{File: tx, Over: over, Payloads: s.blobs}
		return g.gather(appends, results)
	})
	if err == nil {
		err = s.log.Append(g.names, g.written)
	}
	var unsynced *wal.UnsyncedError
	switch damaged := messages.KindOf(err) == messages.DataLoss && s.active.Usable(); {
	case err == nil:
		s.numbers.Store(g.numbers)
		published := *o
		published.Live = g.rows
		s.overlay.Store(&published)
		s.index.apply(g.changed)
		s.counts.committed(&g)
		failpoint.Hit(failpoint.AfterCommit)
		return
	case errors.Is(err, boltfile.ErrUnchanged):
		return
	case damaged && len(appends) > 1:
		for i := range appends {
			results[i] = nil
			s.commit(appends[i:i+1], results[i:i+1])
		}
		return
	case damaged:
		s.index.giveUp(appends[0].Session, fault.As(err))
	case errors.As(err, &unsynced):
		err = s.fail(fault.OpAppend, unsynced.Err)
	default:
		err = fault.Storage(fault.OpAppend, err)
	}
	for i := range results {
		if results[i] == nil {
			results[i] = fault.Again(fault.OpAppend, fault.As(err))
		}
	}
}
