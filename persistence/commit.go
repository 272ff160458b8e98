package persistence

import (
	"bytes"
	"errors"
	"math"

	bolt "go.etcd.io/bbolt"

	"betcode/messages"
	"betcode/messages/failpoint"
	storev1 "betcode/proto/betcode/store/v1"
)

// Commit makes appends durable, as one group of the log. There is one result for
// each: nil, or the [*messages.Error] for which that append was refused and
// changed nothing, while the others went through. An append sees those before
// it. If the group itself cannot be written, every append that was not refused
// fails with [messages.Unavailable]; nothing is tried again.
//
// When Commit returns, what it accepted is on disk and can be read.
//
// One session's damaged page must not stop the others: appends that fail
// together with [messages.DataLoss], before anything is written, are made again
// one by one, and the session is left alone until the journal is opened again.
func (s *Store) Commit(appends []messages.Append) []error {
	s.makeRoom()
	s.writing.Lock()
	defer s.writing.Unlock()
	results := make([]error, len(appends))
	err := s.writable(opAppend)
	if err == nil {
		err = s.room(opAppend)
	}
	if err != nil {
		for i := range results {
			results[i] = again(opAppend, asError(err))
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
	g := group{store: s, changed: map[messages.SessionID]*entry{}, numbers: s.numbers.Load(), written: s.log.rows[:0]}
	defer g.release()
	failpoint.Hit(failpoint.BeforeCommit)
	o := s.overlay.Load()
	g.rows = o.live.clone()
	over := []*table{g.rows}
	if o.frozen != nil {
		over = append(over, o.frozen)
	}
	err := s.active.view(opAppend, func(tx *bolt.Tx) error {
		g.view = view{tx: tx, over: over, blobs: s.blobs}
		return g.gather(appends, results)
	})
	if err == nil {
		err = s.log.append(g.names, g.written)
	}
	var unsynced *unsyncedError
	switch damaged := messages.KindOf(err) == messages.DataLoss && s.active.broken.Load() == nil; {
	case err == nil:
		s.numbers.Store(g.numbers)
		published := *o
		published.live = g.rows
		s.overlay.Store(&published)
		s.index.apply(g.changed)
		s.counts.committed(&g)
		failpoint.Hit(failpoint.AfterCommit)
		return
	case errors.Is(err, errUnchanged):
		return
	case damaged && len(appends) > 1:
		for i := range appends {
			results[i] = nil
			s.commit(appends[i:i+1], results[i:i+1])
		}
		return
	case damaged:
		s.index.giveUp(appends[0].Session, asError(err))
	case errors.As(err, &unsynced):
		err = s.fail(opAppend, unsynced.error)
	default:
		err = storageError(opAppend, err)
	}
	for i := range results {
		if results[i] == nil {
			results[i] = again(opAppend, asError(err))
		}
	}
}

// group is one group of the log in the making.
type group struct {
	store   *Store
	view    view                          // what is there, and what the group does
	rows    *table                        // the newest of the view's tables: what there will be
	numbers uint64                        // the newest of a session
	names   []owner                       // the sessions it is about
	written []byte                        // its rows, as the log has them
	staged  []*staged                     // what was written before, and is let go when the rows can be seen
	changed map[messages.SessionID]*entry // sessions as they will be
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
		return errUnchanged
	}
	failpoint.Hit(failpoint.InCommit)
	return nil
}

// release lets go of what was staged: by now the table has it, or nobody will. The
// rows are in the log, or will never be, and their memory is the next group's.
func (g *group) release() {
	g.store.log.keepRows(g.written)
	for _, st := range g.staged {
		st.large.release()
	}
}

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
	p := put{view: g.view}
	if next.deleted {
		return nil, g.remove(&p, next)
	}
	name := owner{number: next.number}
	if next.number == 0 {
		next.number = g.numbers + 1
		name = owner{next.number, string(a.Session)}
		p.record(bucketIDs, []byte(a.Session), &storev1.Identity{Version: recordVersion, Number: next.number})
	}
	if !st.fits(a, next.number, next.chain) {
		st = nil
	}
	if refusal := g.prepare(&p, next, a, st); refusal != nil {
		return refusal, nil
	}
	g.view.touch(bucketEvents, pairKey(next.number, math.MaxUint64))
	g.apply(&p, next, name)
	g.events += len(a.Events)
	for _, e := range a.Events {
		g.bytes += len(e.Bytes)
	}
	return nil, nil
}

// apply makes what an append puts and deletes part of the group. What is there
// already is not written again: the body of an input stays, however often its
// state changes.
func (g *group) apply(p *put, next *entry, name owner) {
	for _, c := range p.cells {
		if c.bucket != codeEvents && c.value != nil && sameBody(c.key, g.view.get(buckets[c.bucket], c.key), c.value) {
			continue
		}
		g.rows.put(c)
		g.written = appendRow(g.written, c)
	}
	if g.changed[next.id] == nil {
		g.names = append(g.names, name)
	}
	g.changed[next.id], g.numbers = next, max(g.numbers, next.number)
}

// prepare gathers everything an append puts and deletes, so that one that
// cannot be encoded changes nothing.
func (g *group) prepare(p *put, next *entry, a *messages.Append, st *staged) *messages.Error {
	n := next.number
	chunks, chain := g.chunks(next, a, st)
	for _, c := range chunks {
		p.chunk(c)
	}
	next.chain = chain
	if a.Record != nil {
		p.record(bucketSessions, rowKey(n, rowSession), storeSession(a.Record))
	}
	if a.Run != nil {
		p.record(bucketRuns, pairKey(n, uint64(a.Run.Run)), storeRun(a.Run))
	}
	for i := range a.Inputs {
		key := under(n, a.Inputs[i].Key)
		p.record(bucketInputs, key, storeInput(&a.Inputs[i]))
		g.body(p, key, a, i, st)
	}
	for _, settled := range a.Settled {
		p.remove(bucketInputs, under(n, settled))
		p.remove(bucketBodies, under(n, settled))
	}
	for i := range a.Permissions {
		p.record(bucketPermissions, under(n, string(a.Permissions[i].Request)), storePermission(&a.Permissions[i]))
	}
	for _, request := range a.Resolved {
		p.remove(bucketPermissions, under(n, string(request)))
	}
	for _, key := range a.Keys() {
		p.record(bucketKeys, under(n, key), &storev1.Key{
			Version: recordVersion, Seq: uint64(next.head), At: storeTime(g.store.options.Now()),
		})
	}
	for i := range a.Answered {
		r := &a.Answered[i]
		p.record(bucketKeys, under(n, r.Key), &storev1.Key{
			Version: recordVersion, Seq: uint64(next.head), At: storeTime(g.store.options.Now()), Digest: r.Digest, Answer: r.Answer,
		})
	}
	if refusal := p.cursor(next, a); refusal != nil {
		return refusal
	}
	return p.refusal(a)
}

// remove deletes what is live of a session. Its events stay until the file is
// rewritten; nobody finds them any more.
func (g *group) remove(p *put, e *entry) error {
	for _, name := range liveBuckets {
		if e.number == 0 {
			break // its identity is damaged: nobody knows what is its own
		}
		err := g.view.each(name, prefixOf(e.number), func(key, _ []byte) error {
			p.remove(name, bytes.Clone(key))
			return nil
		})
		if err != nil {
			return err
		}
	}
	p.encoded(bucketIDs, []byte(e.id), &storev1.Identity{
		Version: recordVersion,
		Number:  e.number,
		Deleted: &storev1.Tombstone{Head: uint64(e.head), At: storeTime(g.store.options.Now())},
	}, nil)
	if p.err != nil {
		return p.err
	}
	g.apply(p, e, owner{number: e.number})
	return nil
}
