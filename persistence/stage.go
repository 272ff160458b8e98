package persistence

import (
	"sync"

	"betcode/messages"
	"betcode/messages/failpoint"
	"betcode/persistence/internal/blob"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/record"
)

// Stage writes the large values of an append as payloads before the append is committed,
// beside other commits, and throttled so that their syncs are not delayed.
// [Store.Commit] then puts the references into the log.
//
// Stage is best effort: Commit writes values that could not be staged. Values
// that were staged for an append that is never made, or is made to another history, are
// left to [Store.Sweep]. Earlier appends of the session must be committed.
func (s *Store) Stage(a messages.Append) {
	done, err := s.reading(fault.OpAppend)
	if err != nil {
		return
	}
	e := s.index.get(a.Session)
	done()
	if e == nil || a.Delete || s.options.ReadOnly || s.failed.Load() != nil {
		return
	}
	if _, refusal := admit(e, &a); refusal != nil {
		return
	}
	st := &staged{of: a, number: e.number, before: e.chain, large: s.blobs.ThrottledSpill(), bodies: make([][]byte, len(a.Inputs))}
	if st.write() != nil {
		st.large.Release()
		return
	}
	failpoint.Hit(failpoint.Staged)
	s.staging.keep(st)
}

// staged is an append whose large values are payloads.
type staged struct {
	of     messages.Append
	number uint64      // of the session
	before record.Link // of its history

	chunks []record.Chunk // of its events
	chain  record.Link
	bodies [][]byte    // references in place of its inputs' bodies, by the inputs' places; nil = they are small
	large  *blob.Spill // keeps the payloads until the log refers to them
}

func (st *staged) write() (err error) {
	st.chunks, st.chain = record.ChainEvents(st.number, st.of.Events, st.before)
	for i, c := range st.chunks {
		if st.chunks[i].Value, err = st.large.Value(record.BucketEvents, c.Key, c.Value); err != nil {
			return err
		}
	}
	for i := range st.of.Inputs {
		key := record.NameKey(st.number, st.of.Inputs[i].Key)
		value, err := record.Encode(key, record.StoreBody(&st.of.Inputs[i]), nil)
		if err != nil {
			return err
		}
		if len(value) <= record.PayloadBytes {
			continue
		}
		if st.bodies[i], err = st.large.Value(record.BucketBodies, key, value); err != nil {
			return err
		}
	}
	return st.large.Settle()
}

// fits reports whether st was made of this append, and for this history.
func (st *staged) fits(a *messages.Append, number uint64, before record.Link) bool {
	return st != nil && st.number == number && st.before == before && sameSlice(st.of.Events, a.Events) && sameSlice(st.of.Inputs, a.Inputs)
}

func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// body returns the reference in place of the body of the i-th input; nil if the body is small.
func (st *staged) body(i int) []byte {
	if st == nil {
		return nil
	}
	return st.bodies[i]
}

// staging has the staged appends that are not committed: at most one of each session.
type staging struct {
	mu        sync.Mutex
	bySession map[messages.SessionID]*staged
}

func (s *staging) keep(st *staged) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bySession == nil {
		s.bySession = map[messages.SessionID]*staged{}
	}
	if old := s.bySession[st.of.Session]; old != nil {
		old.large.Release()
	}
	s.bySession[st.of.Session] = st
}

// take returns the staged append of a session, nil if there is none. The caller releases it.
func (s *staging) take(id messages.SessionID) *staged {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.bySession[id]
	delete(s.bySession, id)
	return st
}
