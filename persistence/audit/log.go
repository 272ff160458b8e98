package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"betcode/messages"
	"betcode/messages/masking"
)

const (
	fileBytes  = 8 << 20        // size at which the next file is begun
	fileAge    = 24 * time.Hour // age at which the next file is begun
	syncAfter  = time.Second
	mendEvery  = 5 * time.Second // interval of attempts to write again after a failure
	sweepEvery = time.Hour
)

// Options configure the log. Failing and Warn must not
// write to the log.
type Options struct {
	Directory string
	MaxAge    time.Duration    // of an entry; not positive = no limit
	MaxBytes  int64            // of all files; not positive = no limit
	Mask      *masking.Masker  // nil masks by the form of secrets alone
	Failing   func(error)      // called with the reason when entries cannot be written, and with nil when they can be again; may be nil
	Warn      func(error)      // called with other errors; may be nil
	Now       func() time.Time // nil = the wall clock
}

// Log is an open audit log. It is safe for concurrent use.
type Log struct {
	options Options

	mu                  sync.Mutex
	decisions, refusals *series
	next                uint64 // number of the next entry
	lost                uint64 // entries that could not be written, or may be lost

	swept  time.Time
	sync   *time.Timer // runs while entries may not be durable; nil otherwise
	mend   *time.Timer // runs while entries cannot be written; nil otherwise
	closed bool
}

// Open opens the log for a daemon, and writes an entry to check that it is writable.
func Open(o Options) (*Log, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Mask == nil {
		o.Mask = masking.New(nil)
	}
	for _, callback := range []*func(error){&o.Failing, &o.Warn} {
		if *callback == nil {
			*callback = func(error) {}
		}
	}
	if err := os.MkdirAll(o.Directory, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(o.Directory, 0o700); err != nil {
		return nil, err
	}
	l := &Log{options: o, next: 1}
	l.decisions, l.refusals = newSeries(o.MaxBytes)
	for _, s := range l.all() {
		next, err := s.resume(o.Directory)
		if err != nil {
			_ = l.leave() // the first error is the useful one
			return nil, err
		}
		l.next = max(l.next, next)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.write(l.complete(messages.AuditEntry{Type: messages.AuditOpened, ActorType: messages.ActorDaemon, Outcome: messages.OutcomeSuccess}))
	if err == nil {
		err = l.flush()
	}
	if err != nil {
		_ = l.leave() // as above
		return nil, fmt.Errorf("write audit log: %w", err)
	}
	return l, nil
}

// all returns the log's series.
func (l *Log) all() [2]*series { return [2]*series{l.decisions, l.refusals} }

// Record writes an entry. Entries that cannot be written are counted, and reported by an
// entry as soon as one can be written again.
func (l *Log) Record(e messages.AuditEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if l.lost > 0 && !l.mended() {
		l.lost++
		return
	}
	if err := l.write(l.complete(e)); err != nil {
		l.failed(1, err)
	}
}

// failed counts lost entries, including those that may be lost because they are in a file
// that could not be synced, and schedules an attempt to write again.
func (l *Log) failed(entries uint64, err error) {
	if l.lost == 0 {
		l.options.Failing(err)
		l.mend = time.AfterFunc(mendEvery, l.tryAgain)
	}
	l.lost += entries
	for _, s := range l.all() {
		if s.file == nil { // its entries may be lost
			l.lost += s.unsynced
			s.unsynced = 0
		}
	}
}

// mended reports the lost entries by an entry. It returns whether that entry was written and synced.
func (l *Log) mended() bool {
	gap := messages.AuditEntry{
		Type: messages.AuditLost, ActorType: messages.ActorDaemon, Outcome: messages.OutcomeFailure,
		Context: map[string]string{"entries": fmt.Sprint(l.lost)},
	}
	if l.write(l.complete(gap)) != nil || l.flush() != nil {
		return false
	}
	l.lost = 0
	l.mend.Stop()
	l.mend = nil
	l.options.Failing(nil)
	return true
}

// tryAgain tries a failing log again, without an entry to write.
func (l *Log) tryAgain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost > 0 && !l.closed && !l.mended() {
		l.mend = time.AfterFunc(mendEvery, l.tryAgain)
	}
}

// Close syncs the log and closes it. Entries that come later are dropped.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, t := range []*time.Timer{l.sync, l.mend} {
		if t != nil {
			t.Stop()
		}
	}
	return l.leave()
}

// syncNow syncs the files. Entries that could not be synced may be lost, and
// nothing more is written to their file.
func (l *Log) syncNow() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sync = nil
	if l.closed {
		return
	}
	if err := l.flush(); err != nil {
		l.failed(0, fmt.Errorf("sync audit log: %w", err))
	}
}

// flush syncs the files.
func (l *Log) flush() error { return errors.Join(l.decisions.flush(), l.refusals.flush()) }

// turn begins the next file of a series when the present one is full or old, and sweeps.
func (l *Log) turn(s *series, now time.Time) error {
	if now.Sub(l.swept) >= sweepEvery {
		l.swept = now
		l.sweep(now)
	}
	if !s.full(now) {
		return nil
	}
	if err := s.leave(); err != nil {
		return err
	}
	if err := s.begin(filepath.Join(l.options.Directory, s.fileName(l.next)), now); err != nil {
		return err
	}
	l.sweep(now) // keeps a series within its limit, however fast it fills
	return nil
}

func (l *Log) sweep(now time.Time) {
	for _, s := range l.all() {
		if err := s.sweep(l.options.Directory, l.options.MaxAge, now); err != nil {
			l.options.Warn(err)
		}
	}
}

// leave closes the open files.
func (l *Log) leave() error { return errors.Join(l.decisions.leave(), l.refusals.leave()) }
