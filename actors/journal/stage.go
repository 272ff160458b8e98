package journal

import (
	"slices"
	"time"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// An append of a megabyte would delay every other session while the disk writes it. Therefore it is staged: its large parts are
// written first, beside the transactions, one such append at a time. Later requests of the same session wait for it, so that
// the order of all requests of one session is kept.

// stageAppend is an effect: write the large parts of an append.
type stageAppend struct{ append *messages.Append }

func (stageAppend) Effect() {}

// staged reports that the staging of an append is over. The transaction writes large parts that are not written yet.
type staged struct{ append *messages.Append }

func (w request) session() messages.SessionID {
	if w.append != nil {
		return w.append.Session
	}
	return w.load
}

func (w request) heavy() bool { return w.append != nil && w.append.Heavy() }

// take queues a request.
func (s state) take(at time.Time, w request) (state, []act.Effect) {
	if w.heavy() || isAbout(s.unstaged, w.session()) {
		s.unstaged = append(s.unstaged, w)
		return s.stage(at)
	}
	s.waiting = append(s.waiting, w)
	return s.begin(at)
}

// takeStaged queues a staged append for the next transaction, unless it was refused meanwhile because the journal failed.
func (s state) takeStaged(at time.Time, m staged) (state, []act.Effect) {
	s.staging = false
	if len(s.unstaged) > 0 && s.unstaged[0].append == m.append {
		s.unstaged, s.waiting = s.unstaged[1:], append(s.waiting, s.unstaged[0])
	}
	return s.stage(at)
}

// stage queues requests that need not wait any more, and stages the next append when all earlier requests of its session are
// written.
func (s state) stage(at time.Time) (state, []act.Effect) {
	var effects []act.Effect
	for !s.staging && len(s.unstaged) > 0 {
		first := s.unstaged[0]
		if first.heavy() {
			if isAbout(s.waiting, first.session()) || isAbout(s.writing, first.session()) {
				break
			}
			s.staging = true
			effects = append(effects, stageAppend{first.append})
			break
		}
		s.unstaged, s.waiting = s.unstaged[1:], append(s.waiting, first)
	}
	next, more := s.begin(at)
	return next, append(effects, more...)
}

func isAbout(work []request, session messages.SessionID) bool {
	return slices.ContainsFunc(work, func(w request) bool { return w.session() == session })
}
