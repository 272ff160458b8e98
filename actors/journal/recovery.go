package journal

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/health"
	"betcode/actors/internal/act"
	"betcode/messages"
)

// While the journal is not writable, the actor refuses every append, waiting ones first, and sessions publish volatile events.
// The actor retries to open the journal, with backoff, until that succeeds. Then the sessions are rebuilt from it.

// The backoff of opening the journal again.
const (
	reopenLeast = time.Second
	reopenMost  = 30 * time.Second
	reopenCalm  = time.Minute // a failure that much later than the last recovery begins with the shortest backoff
)

// recovery tracks a journal that failed.
type recovery struct {
	failure   *messages.Error // nil = the journal is writable
	backoff   time.Duration
	recovered time.Time
}

type (
	// reopenDue is sent when the backoff has elapsed.
	reopenDue struct{}
	// reopened is the result of opening the journal again.
	reopened struct{ err error }
)

// Recovered reports to sessions that the journal is writable again.
type Recovered struct{}

// reopenStore is an effect: open the journal again.
type reopenStore struct{}

func (reopenStore) Effect() {}

// failed begins to refuse all appends, waiting ones first.
func (s state) failed(at time.Time, failure *messages.Error) (state, []act.Effect) {
	s.recovery.failure = failure
	if at.Sub(s.recovery.recovered) > reopenCalm {
		s.recovery.backoff = 0
	}
	var effects []act.Effect
	for _, w := range slices.Concat(s.waiting, s.unstaged) {
		effects = append(effects, s.recovery.refuse(w))
	}
	s.waiting, s.unstaged = nil, nil
	s, wait := s.later()
	return s, append(effects, wait)
}

// later schedules the next attempt to open the journal, and doubles the backoff.
func (s state) later() (state, act.Effect) {
	s.recovery.backoff = min(max(2*s.recovery.backoff, reopenLeast), reopenMost)
	return s, act.After{Delay: s.recovery.backoff, Message: reopenDue{}}
}

// failing handles a message while the journal is not writable.
func (s state) failing(at time.Time, from *actor.PID, m any) (state, []act.Effect) {
	switch m := m.(type) {
	case messages.Append:
		return s, []act.Effect{s.recovery.refuse(request{from: from, append: &m})}
	case messages.LoadSession:
		return s, []act.Effect{s.recovery.refuse(request{from: from, load: m.Session})}
	case health.TryJournal:
		return s, []act.Effect{act.Reply{To: from, With: health.JournalTried{Err: s.recovery.failure}}}
	case storeTried:
		return s, []act.Effect{act.Reply{To: m.from, With: health.JournalTried{Err: m.err}}}
	case gatherOver:
		s.armed = false
	case staged:
		s.staging = false
	case checkpointed:
		s.checkpointing = false
	case roomReclaimed:
		s.reclaiming = false
	case reopenDue:
		return s, []act.Effect{reopenStore{}}
	case reopened:
		if m.err != nil {
			s.recovery.failure = messages.AsError("open journal again", m.err)
			s, wait := s.later()
			return s, []act.Effect{wait}
		}
		s.recovery.failure, s.recovery.recovered = nil, at
		return s, []act.Effect{toHealth{health.Journal{}}, toSessions{Recovered{}}}
	}
	return s, nil
}

// refuse answers a request with the failure.
func (r recovery) refuse(w request) act.Effect {
	failure := *r.failure
	if w.append == nil {
		return act.Reply{To: w.from, With: &failure}
	}
	return act.Reply{To: w.from, With: messages.AppendRefused{Session: w.append.Session, Commit: w.append.Commit, Err: &failure}}
}
