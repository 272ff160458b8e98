package actors

import (
	"slices"
	"time"

	"betcode/messages"
)

// An append with a megabyte in it would hold up every other session for as long as
// the disk takes for that. So it is staged: what is large of it is written first,
// beside the transactions, one such append at a time. What its session sends
// meanwhile is held behind it; the order of everything that one session sends stays
// as it was.

// stageAppend writes what is large of an append, then staged.
type stageAppend struct{ append *messages.Append }

func (stageAppend) effect() {}

// staged is the journal's own message: what is large was written, or will be by the
// transaction.
type staged struct{ append *messages.Append }

func (w journalWork) session() messages.SessionID {
	if w.append != nil {
		return w.append.Session
	}
	return w.load
}

func (w journalWork) heavy() bool { return w.append != nil && w.append.Heavy() }

// take puts work where it waits.
func (s journalState) take(at time.Time, w journalWork) (journalState, []effect) {
	if w.heavy() || isAbout(s.held, w.session()) {
		s.held = append(s.held, w)
		return s.stage(at)
	}
	s.waiting = append(s.waiting, w)
	return s.begin(at)
}

// takeStaged lets an append go into the next transaction. One that was refused
// meanwhile, because the journal failed, is not there any more.
func (s journalState) takeStaged(at time.Time, m staged) (journalState, []effect) {
	s.staging = false
	if len(s.held) > 0 && s.held[0].append == m.append {
		s.held, s.waiting = s.held[1:], append(s.waiting, s.held[0])
	}
	return s.stage(at)
}

// stage lets go what need not be held any more, and stages the next append when all
// that comes before it of its session is written.
func (s journalState) stage(at time.Time) (journalState, []effect) {
	var effects []effect
	for !s.staging && len(s.held) > 0 {
		first := s.held[0]
		if first.heavy() {
			if isAbout(s.waiting, first.session()) || isAbout(s.writing, first.session()) {
				break
			}
			s.staging = true
			effects = append(effects, stageAppend{first.append})
			break
		}
		s.held, s.waiting = s.held[1:], append(s.waiting, first)
	}
	next, more := s.begin(at)
	return next, append(effects, more...)
}

func isAbout(work []journalWork, session messages.SessionID) bool {
	return slices.ContainsFunc(work, func(w journalWork) bool { return w.session() == session })
}
