package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"

	"betcode/messages"
	"betcode/messages/masking"
)

const (
	fileBytes  = 8 << 20        // then the next file is begun
	fileAge    = 24 * time.Hour // and when the file is that old
	syncAfter  = time.Second
	mendEvery  = 5 * time.Second // it is tried to write again what cannot be written
	sweepEvery = time.Hour
)

// Options say where the log is and how long it is kept. What hears of a failure must not
// write to the log.
type Options struct {
	Directory string
	MaxAge    time.Duration    // of an entry; not positive = any age
	MaxBytes  int64            // of all files; not positive = any number
	Mask      *masking.Masker  // nil knows no secrets but their looks
	Failing   func(error)      // is called with the reason when entries cannot be written, and with nil when they can be again; may be nil
	Warn      func(error)      // is called with other errors; may be nil
	Now       func() time.Time // nil = the wall clock
}

// Log is an open audit log. It may be used by many goroutines.
type Log struct {
	options Options

	mu                  sync.Mutex
	decisions, refusals *series
	next                uint64 // number of the next entry
	lost                uint64 // entries that could not be written, or may be lost

	swept  time.Time
	sync   *time.Timer // runs while something may not be on disk; nil otherwise
	mend   *time.Timer // runs while entries cannot be written; nil otherwise
	closed bool
}

// Open opens the log for a daemon, and proves by an entry that it can be written.
func Open(o Options) (*Log, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Mask == nil {
		o.Mask = masking.New(nil)
	}
	for _, told := range []*func(error){&o.Failing, &o.Warn} {
		if *told == nil {
			*told = func(error) {}
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
			_ = l.leave() // the first error is the one that helps
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

// all are the log's series.
func (l *Log) all() [2]*series { return [2]*series{l.decisions, l.refusals} }

// of is the series that an entry belongs to.
func (l *Log) of(e messages.AuditEntry) *series {
	if refusal(e) {
		return l.refusals
	}
	return l.decisions
}

// Record writes an entry. What cannot be written is counted, and told by an entry as
// soon as one can be written again.
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

// failed counts entries that are lost, with those that may be, since they are in a file
// that could not be synced; and has it tried to write again.
func (l *Log) failed(entries uint64, err error) {
	if l.lost == 0 {
		l.options.Failing(err)
		l.mend = time.AfterFunc(mendEvery, l.tryAgain)
	}
	l.lost += entries
	for _, s := range l.all() {
		if s.file == nil { // what it had may be gone
			l.lost += s.unsynced
			s.unsynced = 0
		}
	}
}

// mended tells by an entry what was lost, if one can be written and synced again.
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

// tryAgain tries a failing log again although no entry is written.
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

// complete fills in what the log itself knows of an entry.
func (l *Log) complete(e messages.AuditEntry) messages.AuditEntry {
	e.CreatedAt = l.options.Now().UTC()
	if l.options.MaxAge > 0 {
		e.ExpiresAt = e.CreatedAt.Add(l.options.MaxAge)
	}
	e.Severity = messages.AuditSeverity(e)
	if id, err := uuid.NewV7(); err == nil {
		e.EventID = id.String()
	}
	if len(e.Input) > 0 {
		sum := sha256.Sum256(e.Input)
		e.InputHash, e.InputPreview = hex.EncodeToString(sum[:]), l.options.Mask.Preview(string(e.Input))
	}
	e.ErrorMessage = l.options.Mask.Preview(e.ErrorMessage)
	e.ActorID, e.Tool = l.options.Mask.Preview(e.ActorID), l.options.Mask.Preview(e.Tool)
	if len(e.Context) > 0 {
		masked := make(map[string]string, len(e.Context))
		for key, value := range e.Context {
			masked[key] = l.options.Mask.Preview(value)
		}
		e.Context = masked
	}
	return e
}

// write appends an entry with the next number.
func (l *Log) write(e messages.AuditEntry) error {
	s := l.of(e)
	if err := l.turn(s, e.CreatedAt); err != nil {
		return err
	}
	e.ID = l.next
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := s.append(append(line, '\n')); err != nil {
		return err
	}
	l.next++
	if l.sync == nil {
		l.sync = time.AfterFunc(syncAfter, l.syncNow)
	}
	return nil
}

// syncNow puts on disk what was written. What could not be put there may be lost, and
// the file is not written to any more.
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
	l.sweep(now) // however fast a series fills, it keeps to its room
	return nil
}

func (l *Log) sweep(now time.Time) {
	for _, s := range l.all() {
		if err := s.sweep(l.options.Directory, l.options.MaxAge, now); err != nil {
			l.options.Warn(err)
		}
	}
}

// leave closes the files that are written to.
func (l *Log) leave() error { return errors.Join(l.decisions.leave(), l.refusals.leave()) }
