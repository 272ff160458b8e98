package persistence

import (
	"errors"
	"time"

	"betcode/messages"
	"betcode/messages/failpoint"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/memtable"
)

const (
	// defaultCheckpointBytes is how long a log gets before a checkpoint, and about
	// as much memory its rows take.
	defaultCheckpointBytes = 16 << 20

	// A failed checkpoint is retried with backoff, because a full disk stays full.
	checkpointRetryLeast = time.Second
	checkpointRetryMost  = time.Minute
)

// retries is the state of failed checkpoints.
type retries struct {
	retryAt time.Time     // time of the next attempt
	delay   time.Duration // backoff after that attempt
	failure *messages.Error
}

// CheckpointDue reports whether the live log is long enough for a checkpoint.
func (s *Store) CheckpointDue() bool {
	done, err := s.reading(fault.OpCheckpoint)
	if err != nil || s.log == nil {
		if err == nil {
			done()
		}
		return false
	}
	defer done()
	due := failpoint.Fail(failpoint.CheckpointDue) != nil ||
		s.overlay.Load().Frozen != nil || s.log.Length() >= s.options.CheckpointBytes
	return due && s.patient()
}

// patient reports whether a checkpoint may be tried.
func (s *Store) patient() bool {
	m := s.retries.Load()
	return m.failure == nil || !s.options.Now().Before(m.retryAt)
}

// Checkpoint moves the rows of the logs into the active file in one transaction: the
// newest version of each row, and the events of each session together. Commits go on meanwhile,
// in the other log. A failed checkpoint changes nothing; the next one retries the same
// rows.
func (s *Store) Checkpoint() error {
	s.moving.Lock()
	defer s.moving.Unlock()
	err := s.checkpoint(fault.OpCheckpoint)
	if messages.KindOf(err) != messages.DataLoss || err == nil {
		return err
	}
	// A damaged page must not stop other sessions: the next file has pages of
	// its own.
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.seal(fault.OpCheckpoint) == nil {
		return nil
	}
	return err
}

// checkpoint is Checkpoint for a caller that holds moving, and not writing.
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

// checkpointNow is checkpoint for a caller that holds writing too: the logs are empty
// afterwards.
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

// freeze begins a checkpoint: from now on commits go to the other log. It returns nil if
// there is nothing to move. earlier means that the rows are those that an earlier
// checkpoint could not move, after which there may be more. The caller holds writing.
func (s *Store) freeze(op string) (o *memtable.Overlay, earlier bool, err error) {
	if err := s.writable(op); err != nil {
		return nil, false, err
	}
	o = s.overlay.Load()
	switch {
	case o.Frozen != nil:
		return o, true, nil
	case s.log.Length() == 0: // not the rows: a group may have put none
		return nil, false, nil
	}
	failpoint.Hit(failpoint.CheckpointBegun)
	o = &memtable.Overlay{Live: memtable.New(), Frozen: o.Live, Last: s.log.Turn(), Numbers: s.numbers.Load()}
	s.overlay.Store(o)
	return o, false, s.options.steps.At("log turned")
}

// move writes the frozen rows into the active file. It first writes their large values as
// payloads.
func (s *Store) move(op string, o *memtable.Overlay) error {
	large := s.blobs.Spill()
	defer large.Release()
	err := large.Rows(o.Frozen)
	if err == nil {
		err = s.active.Update(op, func(tx *boltfile.Tx) error {
			if err := boltfile.MoveRows(tx, o, large); err != nil {
				return err
			}
			failpoint.Hit(failpoint.InCheckpoint)
			return s.options.steps.At("rows moved")
		})
	}
	var uncommitted *boltfile.CommitError
	switch {
	case err == nil:
		failpoint.Hit(failpoint.AfterCheckpoint)
		s.counts.checkpoints.Add(1)
		s.active.PayloadBytes.Add(large.Bytes())
		s.retries.Store(&retries{})
		return s.options.steps.At("checkpoint done")
	case errors.As(err, &uncommitted) && boltfile.Unclean(uncommitted.Err):
		return s.fail(op, uncommitted.Err)
	}
	err = fault.Storage(op, err)
	delay := min(max(2*s.retries.Load().delay, checkpointRetryLeast), checkpointRetryMost)
	s.retries.Store(&retries{retryAt: s.options.Now().Add(delay), delay: delay, failure: fault.As(err)})
	return err
}

// Try commits an empty transaction to the active file, and returns when it is durable.
// It waits for a running checkpoint; commits do not wait for it.
func (s *Store) Try() error {
	s.moving.Lock()
	defer s.moving.Unlock()
	if err := s.writable(fault.OpTry); err != nil {
		return err
	}
	err := s.active.Update(fault.OpTry, func(*boltfile.Tx) error { return nil })
	var uncommitted *boltfile.CommitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &uncommitted) && boltfile.Unclean(uncommitted.Err):
		return s.fail(fault.OpTry, uncommitted.Err)
	}
	return fault.Storage(fault.OpTry, err)
}

// thaw ends a checkpoint: from now on moved rows are read from the file. Readers load
// the overlay before they begin the transaction, so they miss nothing. The caller holds
// writing.
func (s *Store) thaw() {
	s.overlay.Store(&memtable.Overlay{Live: s.overlay.Load().Live})
	s.unmoved.Store(false)
}

// makeRoom runs the checkpoint that commits need when the logs are full and no caller
// ran it.
func (s *Store) makeRoom() {
	if done, err := s.reading(fault.OpAppend); err == nil {
		full := s.log != nil && s.full() && s.patient()
		done()
		if full {
			_ = s.Checkpoint() // room returns its error
		}
	}
}

// full reports whether a checkpoint must come before the next append: the logs are
// bounded, and with them the memory for their rows.
func (s *Store) full() bool {
	return s.unmoved.Load() || s.log.Length() >= 2*s.options.CheckpointBytes
}

// room refuses appends while the logs are full. The caller holds writing.
func (s *Store) room(op string) error {
	if !s.full() {
		return nil
	}
	if failure := s.retries.Load().failure; failure != nil {
		return fault.Again(op, failure)
	}
	return messages.Errorf(op, messages.Unavailable, "the logs are full").WithCode(messages.StorageError).WithHint(fault.HintDisk)
}
