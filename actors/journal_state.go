package actors

import (
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/health"
	"betcode/messages"
)

// journalState is what the journal actor remembers: what waits for the disk.
// Group commit is pipelined: whatever arrives while one transaction is written
// is the next transaction.
type journalState struct {
	gather  time.Duration // least time between the beginnings of two transactions
	waiting []journalWork
	held    []journalWork // what must be staged first, and what follows that of its session
	staging bool          // the first of it is with a worker
	writing []journalWork // the transaction that is with the worker, nil = none
	moving  bool          // the log is with the other worker
	tidying bool          // room is given back, by a third
	armed   bool          // the gathering timer is running
	began   time.Time     // of the newest transaction
	mend    mending
}

// journalWork is one request that waits: an append or a load.
type journalWork struct {
	from   *actor.PID
	append *messages.Append
	load   messages.SessionID
}

// The journal's own messages: the gathering time is over; a transaction and
// the loads behind it are done; the log was moved into the file, or was not; room
// was given back, or was not.
type (
	gatherOver  struct{}
	journalDone struct {
		replies []reply
		wrote   bool  // a transaction is on disk
		failure error // the disk's, not that of a single append
		seal    error // why a file that is due was not sealed
		retain  error // why old files were not dropped
		dropped int   // of them
		moveDue bool  // the log is to be moved

		reclaimDue bool // room is to be given back
	}
	logMoved      struct{ failure error }
	roomReclaimed struct {
		messages.JournalReclaimed

		failure error
	}
	// storeTried is what trying to write has brought to light.
	storeTried struct {
		from *actor.PID
		err  error
	}
)

// The effects of the journal: write this group, move the log into the file, give
// back room, try to write, wake me after that time.
type (
	writeGroup  struct{ work []journalWork }
	moveLog     struct{}
	reclaimRoom struct{}
	tryStore    struct{ from *actor.PID }

	tellSessions struct{ message any }
	tellHealth   struct{ message any }
)

func (tellSessions) effect() {}
func (tellHealth) effect()   {}

func (writeGroup) effect()  {}
func (moveLog) effect()     {}
func (reclaimRoom) effect() {}
func (tryStore) effect()    {}

// step takes one message at its time and returns the next state and what to do.
func (s journalState) step(at time.Time, from *actor.PID, m any) (journalState, []effect) {
	if s.mend.failure != nil {
		return s.failing(at, from, m)
	}
	switch m := m.(type) {
	case messages.Append:
		return s.take(at, journalWork{from: from, append: &m})
	case messages.LoadSession:
		return s.take(at, journalWork{from: from, load: m.Session})
	case staged:
		return s.takeStaged(at, m)
	case health.TryJournal:
		return s, s.try(at, from)
	case storeTried:
		return s, []effect{reply{m.from, health.JournalTried{Err: m.err}}}
	case gatherOver:
		s.armed = false
	case logMoved:
		s.moving = false
	case roomReclaimed:
		s.tidying = false
	case journalDone:
		s.writing = nil
		effects := repliesOf(m)
		if m.failure != nil {
			next, more := s.failed(at, messages.AsError("write journal", m.failure))
			return next, append(effects, more...)
		}
		if m.moveDue && !s.moving {
			s.moving, effects = true, append(effects, moveLog{})
		}
		if m.reclaimDue && !s.tidying {
			s.tidying, effects = true, append(effects, reclaimRoom{})
		}
		next, more := s.stage(at)
		return next, append(effects, more...)
	default:
		return s, nil
	}
	return s.begin(at)
}

// begin starts the next transaction if there is something to write, nothing is
// being written and the gathering time has passed; else it sees to it that it
// will be started. An idle journal has no timer.
func (s journalState) begin(at time.Time) (journalState, []effect) {
	if s.writing != nil || s.armed || len(s.waiting) == 0 {
		return s, nil
	}
	if wait := s.gather - at.Sub(s.began); wait > 0 && wait <= s.gather {
		s.armed = true
		return s, []effect{wakeAfter{wait, gatherOver{}}}
	}
	s.waiting, s.writing, s.began = nil, s.waiting, at
	return s, []effect{writeGroup{s.writing}}
}

// try answers at once that a transaction hangs; else there is nothing to be known
// without trying.
func (s journalState) try(at time.Time, from *actor.PID) []effect {
	if since := at.Sub(s.began); s.writing != nil && since >= health.JournalPatience {
		return []effect{reply{from, health.JournalTried{Err: fmt.Errorf("a transaction is not written after %s", since.Round(time.Second))}}}
	}
	return []effect{tryStore{from}}
}

func repliesOf(d journalDone) []effect {
	effects := make([]effect, len(d.replies))
	for i, r := range d.replies {
		effects[i] = r
	}
	return effects
}
