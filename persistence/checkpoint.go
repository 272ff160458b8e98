package persistence

import (
	"errors"
	"time"

	bolt "go.etcd.io/bbolt"

	"betcode/messages"
	"betcode/messages/failpoint"
)

const (
	// defaultCheckpointBytes is how long a log gets before it is moved into the
	// active file, and about as much memory its rows take.
	defaultCheckpointBytes = 16 << 20

	// A checkpoint that failed is tried again after a while, and a longer one
	// each time: a disk that is full stays so.
	checkpointRetryLeast = time.Second
	checkpointRetryMost  = time.Minute
)

// overlay is what is on disk in the logs but not in the active file: rows of the
// live log, over those of the other one while they are moved. It is replaced,
// never changed.
type overlay struct {
	live    *table
	frozen  *table // nil = nothing is being moved
	last    uint64 // number of the newest group in frozen
	numbers uint64 // the newest of a session then
}

// over returns the tables, the newest first.
func (o *overlay) over() []*table {
	switch {
	case o.frozen == nil:
		return []*table{o.live}
	case o.live.empty():
		return []*table{o.frozen}
	}
	return []*table{o.live, o.frozen}
}

// mover is the state of moving rows out of the logs.
type mover struct {
	retryAt time.Time     // not tried before
	delay   time.Duration // before the next try but one
	failure *messages.Error
}

// CheckpointDue reports whether the live log has grown so much that it should be
// moved into the active file.
func (s *Store) CheckpointDue() bool {
	done, err := s.reading(opCheckpoint)
	if err != nil || s.log == nil {
		if err == nil {
			done()
		}
		return false
	}
	defer done()
	due := failpoint.Fail(failpoint.CheckpointDue) != nil ||
		s.overlay.Load().frozen != nil || s.log.end.Load() >= s.options.CheckpointBytes
	return due && s.patient()
}

// patient reports whether a checkpoint may be tried.
func (s *Store) patient() bool {
	m := s.mover.Load()
	return m.failure == nil || !s.options.Now().Before(m.retryAt)
}

// Checkpoint moves what is in the logs into the active file, the newest of each
// row and the events of each session together, in one transaction. Commits go on
// meanwhile, in the other log. When it fails nothing changes; the next one tries
// the same again.
func (s *Store) Checkpoint() error {
	s.moving.Lock()
	defer s.moving.Unlock()
	err := s.checkpoint(opCheckpoint)
	if messages.KindOf(err) != messages.DataLoss || err == nil {
		return err
	}
	// A page is damaged. One session's must not stop the others: the next file
	// has pages of its own.
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.seal(opCheckpoint) == nil {
		return nil
	}
	return err
}

// checkpoint is Checkpoint for one who holds moving, and not writing.
func (s *Store) checkpoint(op string) error {
	for again := true; again; {
		s.writing.Lock()
		o, earlier, err := s.freeze(op)
		s.writing.Unlock()
		if err != nil || o == nil {
			return err
		}
		if err := s.move(op, o); err != nil {
			return err
		}
		s.writing.Lock()
		s.thaw()
		s.writing.Unlock()
		again = earlier
	}
	return nil
}

// checkpointNow is checkpoint for one who holds writing as well: nothing is left
// in the logs after it.
func (s *Store) checkpointNow(op string) error {
	for again := true; again; {
		o, earlier, err := s.freeze(op)
		if err != nil || o == nil {
			return err
		}
		if err := s.move(op, o); err != nil {
			return err
		}
		s.thaw()
		again = earlier
	}
	return nil
}

// freeze begins a checkpoint: from here on commits go to the other log. It
// returns nil if there is nothing to be moved, and reports whether it is what an
// earlier checkpoint could not move, after which there may be more. The caller
// holds writing.
func (s *Store) freeze(op string) (o *overlay, earlier bool, err error) {
	if err := s.writable(op); err != nil {
		return nil, false, err
	}
	o = s.overlay.Load()
	switch {
	case o.frozen != nil:
		return o, true, nil
	case s.log.end.Load() == 0: // not the rows: a group may have put none
		return nil, false, nil
	}
	failpoint.Hit(failpoint.CheckpointBegun)
	o = &overlay{live: newTable(), frozen: o.live, last: s.log.turn(), numbers: s.numbers.Load()}
	s.overlay.Store(o)
	return o, false, s.options.steps.at("log turned")
}

// move writes what is frozen into the active file, the large values besides it
// and before it.
func (s *Store) move(op string, o *overlay) error {
	large := s.blobs.spill()
	defer large.release()
	err := large.rows(o.frozen)
	if err == nil {
		err = s.active.update(op, func(tx *bolt.Tx) error {
			if err := moveRows(tx, o, large); err != nil {
				return err
			}
			failpoint.Hit(failpoint.InCheckpoint)
			return s.options.steps.at("rows moved")
		})
	}
	var uncommitted *commitError
	switch {
	case err == nil:
		failpoint.Hit(failpoint.AfterCheckpoint)
		s.counts.checkpoints.Add(1)
		s.active.blobBytes.Add(large.bytes())
		s.mover.Store(&mover{})
		return s.options.steps.at("checkpoint done")
	case errors.As(err, &uncommitted) && unclean(uncommitted.error):
		return s.fail(op, uncommitted.error)
	}
	err = storageError(op, err)
	delay := min(max(2*s.mover.Load().delay, checkpointRetryLeast), checkpointRetryMost)
	s.mover.Store(&mover{retryAt: s.options.Now().Add(delay), delay: delay, failure: asError(err)})
	return err
}

// Try writes a transaction that changes nothing into the active file, and returns
// when it is on disk. It waits for a checkpoint, and no commit waits for it.
func (s *Store) Try() error {
	s.moving.Lock()
	defer s.moving.Unlock()
	if err := s.writable(opTry); err != nil {
		return err
	}
	err := s.active.update(opTry, func(*bolt.Tx) error { return nil })
	var uncommitted *commitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &uncommitted) && unclean(uncommitted.error):
		return s.fail(opTry, uncommitted.error)
	}
	return storageError(opTry, err)
}

// thaw ends a checkpoint: what was moved is read from the file. Whoever reads
// looks at the overlay first and at the file then, so nobody misses it. The
// caller holds writing.
func (s *Store) thaw() {
	s.overlay.Store(&overlay{live: s.overlay.Load().live})
	s.unmoved.Store(false)
}

// moveRows writes what is frozen into a file.
func moveRows(tx *bolt.Tx, o *overlay, large *spill) error {
	ids, events := tx.Bucket(bucketIDs), tx.Bucket(bucketEvents)
	events.FillPercent = fillPercent
	if err := ids.SetSequence(max(ids.Sequence(), o.numbers)); err != nil {
		return err
	}
	joined := joiner{put: events.Put}
	err := o.frozen.each(func(c *cell) error {
		b, value := tx.Bucket(buckets[c.bucket]), large.of(c)
		if c.bucket == codeBodies {
			if err := unlistBlob(tx, bucketBodies, c.key); err != nil {
				return err
			}
		}
		switch {
		case value == nil:
			return b.Delete(c.key)
		case c.bucket == codeEvents:
			return joined.add(c.key, value)
		}
		return b.Put(c.key, value)
	})
	if err == nil {
		err = joined.flush()
	}
	if err == nil {
		err = large.list(tx)
	}
	if err != nil {
		return err
	}
	return putCheckpoint(tx, o.last)
}

// makeRoom checkpoints where commits have no room left because nobody did.
func (s *Store) makeRoom() {
	if done, err := s.reading(opAppend); err == nil {
		full := s.log != nil && s.full() && s.patient()
		done()
		if full {
			_ = s.Checkpoint() // what failed is told by room
		}
	}
}

// full reports whether nothing can be appended before a checkpoint: what is in
// the logs is bounded, as is the memory it takes.
func (s *Store) full() bool {
	return s.unmoved.Load() || s.log.end.Load() >= 2*s.options.CheckpointBytes
}

// room refuses appends while the logs are full. The caller holds writing.
func (s *Store) room(op string) error {
	if !s.full() {
		return nil
	}
	if failure := s.mover.Load().failure; failure != nil {
		return again(op, failure)
	}
	return messages.Errorf(op, messages.Unavailable, "the logs are full").WithCode(messages.StorageError).WithHint(hintDisk)
}
