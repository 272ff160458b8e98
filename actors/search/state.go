package search

import (
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/settings"
	"betcode/messages"
)

const (
	gather     = 250 * time.Millisecond // events that come within it are indexed together
	flushAfter = 5 * time.Second        // after the last of them
	sweepEvery = time.Hour
	firstPause = time.Second // after a failure; twice as long after each further one
	longPause  = time.Minute

	longestRest = 200 * time.Millisecond // between two pieces of work
)

// Messages of the actor to itself.
type (
	// committed says that a session has events that are not indexed.
	committed struct{}
	// opened is the result of opening the index; lost is why an older one was removed.
	opened struct {
		existed   bool
		behind    uint64
		lost, err error
	}
	// worked is the result of a piece of work.
	worked struct {
		job  job
		took time.Duration
		more bool
		err  error
	}
	// closed is the result of removing the index.
	closed struct{ err error }
	// broken says that a search met damage.
	broken struct{ err error }
	// due is sent when the next events are to be indexed, flushDue when those in memory are to be written, and sweepDue when the index
	// is to be searched for what is gone.
	due      struct{}
	flushDue struct{}
	sweepDue struct{}
)

// job is a piece of work on the index.
type job int

const (
	advance job = iota // index some events of a session, or merge some segments
	flush              // write what is in memory
	check              // read everything
	sweep              // write a segment anew without what is gone
)

// The effects of the actor.
type (
	openIndex    struct{}                      // then opened
	rebuildIndex struct{}                      // removes the open index and begins another one; then opened
	removeIndex  struct{}                      // closes it before; then closed
	work         struct{ job job }             // then worked
	limit        struct{ maxBytes int64 }      // of the open index
	await        struct{}                      // then committed, when there is something
	wake         struct{ after time.Duration } // then due
	flushLater   struct{}                      // then flushDue
	sweepLater   struct{}                      // then sweepDue
	report       struct {
		text string
		err  error
	}
)

func (openIndex) Effect()    {}
func (rebuildIndex) Effect() {}
func (flushLater) Effect()   {}
func (removeIndex) Effect()  {}
func (work) Effect()         {}
func (limit) Effect()        {}
func (await) Effect()        {}
func (wake) Effect()         {}
func (sweepLater) Effect()   {}
func (report) Effect()       {}

// state decides what is done to the index next. One piece of work runs at a time.
//
//	closed ──► opening ──► working ◄──► idle
//	             ▲  │ failed    │ damaged
//	             └──┴───────────┘
type state struct {
	maxBytes int64 // 0: there is to be no index
	open     bool
	busy     bool // a job runs
	unsaved  bool // something may be in memory only
	next     []job
	damage   error // that a search has met while a job ran
	failures int
}

// begin opens the index, or removes it if there is to be none.
func (s state) begin(maxBytes int64) (state, []act.Effect) {
	s.maxBytes, s.busy = maxBytes, true
	if maxBytes <= 0 {
		return s, []act.Effect{removeIndex{}}
	}
	return s, []act.Effect{openIndex{}}
}

// step handles one message.
func (s state) step(m any) (state, []act.Effect) {
	switch m := m.(type) {
	case settings.Changed:
		return s.limit(max(m.Now.SearchBytes, 0))
	case opened:
		return s.opened(m)
	case closed:
		s.busy, s.open = false, false
		if s.maxBytes > 0 { // it is wanted again
			return s.begin(s.maxBytes)
		}
		if m.err != nil {
			return s, []act.Effect{report{text: "search index not removed", err: m.err}}
		}
	case committed:
		return s, []act.Effect{wake{gather}}
	case due:
		return s.goOn(advance)
	case flushDue:
		return s.goOn(flush)
	case sweepDue:
		next, effects := s.goOn(sweep)
		return next, append(effects, sweepLater{})
	case broken:
		if s.open && !s.busy {
			return s.failed(m.err)
		}
		s.damage = m.err
	case worked:
		return s.worked(m)
	}
	return s, nil
}

// limit changes the bound of the index.
func (s state) limit(maxBytes int64) (state, []act.Effect) {
	before := s.maxBytes
	s.maxBytes = maxBytes
	switch {
	case maxBytes == before || s.busy && before > 0 && maxBytes > 0 && !s.open:
		return s, nil
	case maxBytes > 0 && s.open:
		next, effects := s.goOn(advance)
		return next, append([]act.Effect{limit{maxBytes}}, effects...)
	case s.busy: // the end of the job decides
		return s, nil
	}
	return s.begin(maxBytes)
}

func (s state) opened(m opened) (state, []act.Effect) {
	s.busy = false
	if m.err != nil {
		return s.failed(m.err)
	}
	effects := []act.Effect{limit{s.maxBytes}}
	if m.lost != nil {
		effects = append(effects, report{text: "search index does not fit the journal; it is built anew", err: m.lost})
	}
	s.open, s.failures, s.damage = true, 0, nil
	if s.next = nil; m.existed && m.lost == nil {
		s.next = []job{check, sweep}
	}
	next, more := s.goOn(advance)
	return next, append(append(effects, sweepLater{}), more...)
}

// goOn begins a job, or notes that it is to be done.
func (s state) goOn(j job) (state, []act.Effect) {
	switch {
	case s.maxBytes <= 0 && s.open && !s.busy:
		s.busy, s.open, s.next = true, false, nil
		return s, []act.Effect{removeIndex{}}
	case !s.open && !s.busy && s.maxBytes > 0: // opening has failed
		return s.begin(s.maxBytes)
	case !s.open:
		return s, nil
	case s.busy:
		for _, waiting := range s.next {
			if waiting == j {
				return s, nil
			}
		}
		s.next = append(s.next[:len(s.next):len(s.next)], j)
		return s, nil
	}
	s.busy = true
	if j == advance {
		s.unsaved = true
	}
	return s, []act.Effect{work{j}}
}

// worked goes on with what is left: more of the same, other work, and at last writing what is in memory.
func (s state) worked(m worked) (state, []act.Effect) {
	s.busy = false
	if m.err == nil {
		m.err = s.damage
	}
	if s.damage = nil; m.err != nil {
		return s.failed(m.err)
	}
	s.failures = 0
	if m.job == flush {
		s.unsaved = false
	}
	if s.maxBytes <= 0 || m.more && m.job != advance {
		return s.goOn(m.job)
	}
	if m.more { // as long as the work took nothing is done, so that half a core is left to appends and clients
		return s, []act.Effect{wake{min(m.took, longestRest)}}
	}
	if len(s.next) > 0 {
		j := s.next[0]
		s.next = s.next[1:]
		return s.goOn(j)
	}
	if s.unsaved {
		return s, []act.Effect{await{}, flushLater{}}
	}
	return s, []act.Effect{await{}}
}

// failed builds a damaged index anew, and tries anything else again later. It reports the first of several failures.
func (s state) failed(err error) (state, []act.Effect) {
	if kind := messages.KindOf(err); s.open && (kind == messages.DataLoss || kind == messages.WrongState) {
		s.open, s.unsaved, s.next, s.busy = false, false, nil, true
		return s, []act.Effect{report{text: "search index does not fit the journal; it is built anew", err: err}, rebuildIndex{}}
	}
	effects := []act.Effect{wake{min(firstPause<<min(s.failures, 16), longPause)}}
	if s.failures == 0 {
		effects = append(effects, report{text: "search index not written; the daemon tries again", err: err})
	}
	s.failures++
	return s, effects
}
