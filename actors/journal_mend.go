package actors

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/health"
	"betcode/messages"
)

// When the journal cannot be written, nothing is kept back: every append that
// waits, and every one that comes, is refused, and every session shows what its
// agent says without a number (see session_degraded.go). The journal is opened
// again by itself, until that helps; then the sessions are rebuilt from it.

// How long it is waited before the journal is opened again, at first and at most.
const (
	mendLeast = time.Second
	mendMost  = 30 * time.Second
	mendCalm  = time.Minute // a failure later than that after the last is a new one
)

// mending is how it stands with a journal that failed.
type mending struct {
	failure *messages.Error // nil: it works, as far as anybody knows
	backoff time.Duration
	mended  time.Time
}

// The journal's own messages: it is time to open it again; that was tried.
type (
	mendDue struct{}
	mended  struct{ err error }
)

// journalMended tells the sessions that the journal can be written again.
type journalMended struct{}

// mendStore opens the journal again, then mended.
type mendStore struct{}

func (mendStore) effect() {}

// failed begins to refuse everything, what waits first.
func (s journalState) failed(at time.Time, failure *messages.Error) (journalState, []effect) {
	s.mend.failure = failure
	if at.Sub(s.mend.mended) > mendCalm {
		s.mend.backoff = 0
	}
	var effects []effect
	for _, w := range slices.Concat(s.waiting, s.held) {
		effects = append(effects, s.mend.refuse(w))
	}
	s.waiting, s.held = nil, nil
	s, wait := s.later()
	return s, append(effects, wait)
}

// later opens the journal again after a time that doubles.
func (s journalState) later() (journalState, effect) {
	s.mend.backoff = min(max(2*s.mend.backoff, mendLeast), mendMost)
	return s, wakeAfter{s.mend.backoff, mendDue{}}
}

// failing takes a message while nothing can be written.
func (s journalState) failing(at time.Time, from *actor.PID, m any) (journalState, []effect) {
	switch m := m.(type) {
	case messages.Append:
		return s, []effect{s.mend.refuse(journalWork{from: from, append: &m})}
	case messages.LoadSession:
		return s, []effect{s.mend.refuse(journalWork{from: from, load: m.Session})}
	case health.TryJournal:
		return s, []effect{reply{from, health.JournalTried{Err: s.mend.failure}}}
	case storeTried:
		return s, []effect{reply{m.from, health.JournalTried{Err: m.err}}}
	case gatherOver:
		s.armed = false
	case staged:
		s.staging = false
	case logMoved:
		s.moving = false
	case roomReclaimed:
		s.tidying = false
	case mendDue:
		return s, []effect{mendStore{}}
	case mended:
		if m.err != nil {
			s.mend.failure = messages.AsError("open journal again", m.err)
			s, wait := s.later()
			return s, []effect{wait}
		}
		s.mend.failure, s.mend.mended = nil, at
		return s, []effect{tellHealth{health.Journal{}}, tellSessions{journalMended{}}}
	}
	return s, nil
}

// refuse answers a piece of work with the failure.
func (m mending) refuse(w journalWork) effect {
	failure := *m.failure
	if w.append == nil {
		return reply{w.from, &failure}
	}
	return reply{w.from, messages.AppendRefused{Session: w.append.Session, Commit: w.append.Commit, Err: &failure}}
}
