package journal

import (
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/health"
	"betcode/actors/internal/act"
	"betcode/messages"
)

// state has the requests that wait for the disk. Group commit is pipelined: all requests that arrive while one transaction is
// written form the next.
type state struct {
	gather        time.Duration // least time between the beginnings of two transactions
	waiting       []request
	unstaged      []request // appends to be staged first, and later requests of their sessions
	staging       bool      // the first of unstaged is being staged
	writing       []request // the transaction that is being written; nil = none
	checkpointing bool      // a checkpoint is under way
	reclaiming    bool      // garbage is being removed
	armed         bool      // the gathering timer is running
	began         time.Time // of the newest transaction
	recovery      recovery
}

// request is one request that waits: an append or a load.
type request struct {
	from   *actor.PID
	append *messages.Append
	load   messages.SessionID
}

// Messages of the journal actor and its workers to itself.
type (
	// gatherOver is sent when the next transaction may begin.
	gatherOver struct{}
	// groupDone is the result of a transaction and the loads behind it.
	groupDone struct {
		replies       []act.Reply
		wrote         bool  // a transaction is durable
		failure       error // of the disk, not of a single append
		seal          error // why the active file was not sealed
		retain        error // why old files were not dropped
		dropped       int   // number of old files that were dropped
		checkpointDue bool  // a checkpoint is due

		reclaimDue bool // garbage should be removed
	}
	// checkpointed is the result of a checkpoint.
	checkpointed struct{ failure error }
	// roomReclaimed is the result of removing garbage.
	roomReclaimed struct {
		messages.JournalReclaimed

		failure error
	}
	// storeTried is the result of a trial write.
	storeTried struct {
		from *actor.PID
		err  error
	}
)

// The effects of the journal.
type (
	writeGroup  struct{ work []request }
	checkpoint  struct{} // a checkpoint
	reclaimRoom struct{}
	tryStore    struct{ from *actor.PID }
	toSessions  struct{ message any }
	toHealth    struct{ message any }
)

func (writeGroup) Effect()  {}
func (checkpoint) Effect()  {}
func (reclaimRoom) Effect() {}
func (tryStore) Effect()    {}
func (toSessions) Effect()  {}
func (toHealth) Effect()    {}

// step handles one message and returns the next state and effects.
func (s state) step(at time.Time, from *actor.PID, m any) (state, []act.Effect) {
	if s.recovery.failure != nil {
		return s.failing(at, from, m)
	}
	switch m := m.(type) {
	case messages.Append:
		return s.take(at, request{from: from, append: &m})
	case messages.LoadSession:
		return s.take(at, request{from: from, load: m.Session})
	case staged:
		return s.takeStaged(at, m)
	case health.TryJournal:
		return s, s.try(at, from)
	case storeTried:
		return s, []act.Effect{act.Reply{To: m.from, With: health.JournalTried{Err: m.err}}}
	case gatherOver:
		s.armed = false
	case checkpointed:
		s.checkpointing = false
	case roomReclaimed:
		s.reclaiming = false
	case groupDone:
		s.writing = nil
		effects := repliesOf(m)
		if m.failure != nil {
			next, more := s.failed(at, messages.AsError("write journal", m.failure))
			return next, append(effects, more...)
		}
		if m.checkpointDue && !s.checkpointing {
			s.checkpointing, effects = true, append(effects, checkpoint{})
		}
		if m.reclaimDue && !s.reclaiming {
			s.reclaiming, effects = true, append(effects, reclaimRoom{})
		}
		next, more := s.stage(at)
		return next, append(effects, more...)
	default:
		return s, nil
	}
	return s.begin(at)
}

// begin starts the next transaction if requests wait, nothing is being written and the gathering time has elapsed. Before
// that it sets the timer. An idle journal has no timer.
func (s state) begin(at time.Time) (state, []act.Effect) {
	if s.writing != nil || s.armed || len(s.waiting) == 0 {
		return s, nil
	}
	if wait := s.gather - at.Sub(s.began); wait > 0 && wait <= s.gather {
		s.armed = true
		return s, []act.Effect{act.After{Delay: wait, Message: gatherOver{}}}
	}
	s.waiting, s.writing, s.began = nil, s.waiting, at
	return s, []act.Effect{writeGroup{s.writing}}
}

// try answers at once if the present transaction hangs, and otherwise starts a trial write.
func (s state) try(at time.Time, from *actor.PID) []act.Effect {
	if since := at.Sub(s.began); s.writing != nil && since >= health.JournalPatience {
		return []act.Effect{act.Reply{To: from, With: health.JournalTried{Err: fmt.Errorf("a transaction is not written after %s", since.Round(time.Second))}}}
	}
	return []act.Effect{tryStore{from}}
}

func repliesOf(d groupDone) []act.Effect {
	effects := make([]act.Effect, len(d.replies))
	for i, r := range d.replies {
		effects[i] = r
	}
	return effects
}
