package persistence

import (
	"bytes"
	"errors"

	bolt "go.etcd.io/bbolt"

	"betcode/messages"
	"betcode/messages/failpoint"
	storev1 "betcode/proto/betcode/store/v1"
)

// Commit makes appends durable, in one transaction. There is one result for
// each: nil, or the [*messages.Error] for which that append was refused and
// changed nothing, while the others went through. An append sees those before
// it. If the transaction itself fails, every append that was not refused fails
// with [messages.Unavailable]; nothing is tried again.
//
// When Commit returns, what it accepted is on disk and can be read.
//
// One session's damaged page must not stop the others: appends that fail
// together with [messages.DataLoss], before anything is written, are made again
// one by one, and the session is left alone until the journal is opened again.
func (s *Store) Commit(appends []messages.Append) []error {
	s.writing.Lock()
	defer s.writing.Unlock()
	results := make([]error, len(appends))
	if err := s.writable(opAppend); err != nil {
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
	g := group{store: s, changed: map[messages.SessionID]*entry{}}
	failpoint.Hit(failpoint.BeforeCommit)
	err := s.active.update(opAppend, func(tx *bolt.Tx) error { return g.write(tx, appends, results) })
	var uncommitted *commitError
	switch damaged := messages.KindOf(err) == messages.DataLoss && s.active.broken.Load() == nil; {
	case err == nil:
		failpoint.Hit(failpoint.AfterCommit)
		s.index.apply(g.changed)
		s.counts.committed(&g)
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
	case errors.As(err, &uncommitted) && unclean(uncommitted.error):
		err = s.fail(opAppend, uncommitted.error)
	default:
		err = storageError(opAppend, err)
	}
	for i := range results {
		if results[i] == nil {
			results[i] = again(opAppend, asError(err))
		}
	}
}

// group is one transaction being written.
type group struct {
	store   *Store
	changed map[messages.SessionID]*entry // sessions as they will be
	appends int
	events  int
	bytes   int
}

// write carries out the appends, each of them whole or not at all. An error is
// one of the transaction.
func (g *group) write(tx *bolt.Tx, appends []messages.Append, results []error) error {
	tx.Bucket(bucketEvents).FillPercent = fillPercent
	for i := range appends {
		refusal, err := g.append(tx, &appends[i])
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

func (g *group) append(tx *bolt.Tx, a *messages.Append) (*messages.Error, error) {
	old := g.changed[a.Session]
	if old == nil {
		old = g.store.index.get(a.Session)
	}
	next, refusal := admit(old, a)
	if refusal != nil {
		return refusal, nil
	}
	if next.deleted {
		g.changed[a.Session] = next
		return nil, g.remove(tx, next)
	}
	p := put{tx: tx}
	if next.number == 0 {
		number, err := tx.Bucket(bucketIDs).NextSequence()
		if err != nil {
			return nil, err
		}
		next.number = number
		p.record(bucketIDs, []byte(a.Session), &storev1.Identity{Version: recordVersion, Number: number})
	}
	if refusal := g.prepare(&p, next, a); refusal != nil {
		return refusal, nil
	}
	if err := p.apply(); err != nil {
		return nil, err
	}
	g.changed[a.Session] = next
	g.events += len(a.Events)
	for _, e := range a.Events {
		g.bytes += len(e.Bytes)
	}
	return nil, nil
}

// prepare gathers everything an append puts and deletes, so that one that
// cannot be encoded changes nothing.
func (g *group) prepare(p *put, next *entry, a *messages.Append) *messages.Error {
	n := next.number
	chunks, chain := chainEvents(n, a.Events, next.chain)
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
		p.record(bucketBodies, key, storeBody(&a.Inputs[i]))
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
	if a.Key != "" {
		p.record(bucketKeys, under(n, a.Key), &storev1.Key{
			Version: recordVersion, Seq: uint64(next.head), At: storeTime(g.store.options.Now()),
		})
	}
	if refusal := p.cursor(next, a); refusal != nil {
		return refusal
	}
	return p.refusal(a)
}

// remove deletes what is live of a session. Its events stay until the file is
// rewritten; nobody finds them any more.
func (g *group) remove(tx *bolt.Tx, e *entry) error {
	for _, name := range liveBuckets {
		if e.number == 0 {
			break // its identity is damaged: nobody knows what is its own
		}
		if err := removePrefix(tx.Bucket(name), prefixOf(e.number)); err != nil {
			return err
		}
	}
	value, err := encode([]byte(e.id), &storev1.Identity{
		Version: recordVersion,
		Number:  e.number,
		Deleted: &storev1.Tombstone{Head: uint64(e.head), At: storeTime(g.store.options.Now())},
	}, nil)
	if err != nil {
		return err
	}
	return tx.Bucket(bucketIDs).Put([]byte(e.id), value)
}

func removePrefix(b *bolt.Bucket, prefix []byte) error {
	var keys [][]byte
	c := b.Cursor()
	for key, _ := c.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = c.Next() {
		keys = append(keys, bytes.Clone(key))
	}
	for _, key := range keys {
		if err := b.Delete(key); err != nil {
			return err
		}
	}
	return nil
}
