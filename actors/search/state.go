package search

import (
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/settings"
	"betcode/messages"
)

const (
	gather     = 250 * time.Millisecond // events within it are indexed together
	flushAfter = 5 * time.Second        // after the last of these events
	sweepEvery = time.Hour
	firstPause = time.Second // backoff after a failure; doubled after each further one
	longPause  = time.Minute

	longestRest = 200 * time.Millisecond // between two jobs
)

// Messages of the actor to itself.
type (
	// committed reports that a session has events that are not indexed.
	committed struct{}
	// opened is the result of opening the index; lost is the reason why an older index was removed.
	opened struct {
		existed   bool
		behind    uint64
		lost, err error
	}
	// worked is the result of a job.
	worked struct {
		job  job
		took time.Duration
		more bool
		err  error
	}
	// closed is the result of removing the index.
	closed struct{ err error }
	// broken reports that a search found damage.
	broken struct{ err error }
	// due is sent when the next events are to be indexed, flushDue when the events in memory are to be written, and sweepDue when
	// the index is to be searched for deleted events.
	due      struct{}
	flushDue struct{}
	sweepDue struct{}
)

// job is a unit of work on the index.
type job int

const (
	advance job = iota // index some events of a session, or merge some segments
	flush              // write the events in memory
	check              // read everything
	sweep              // rewrite a segment without deleted events
)

// The effects of the actor.
type (
	openIndex    struct{}                      // then opened
	rebuildIndex struct{}                      // removes the open index and begins another one; then opened
	removeIndex  struct{}                      // closes the index and removes it; then closed
	work         struct{ job job }             // then worked
	limit        struct{ maxBytes int64 }      // of the open index
	await        struct{}                      // then committed, when there are new events
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

// state decides about the next job on the index. One job runs at a time.
//
//	closed ──► opening ──► working ◄──► idle
//	             ▲  │ failed    │ damaged
//	             └──┴───────────┘
type state struct {
	maxBytes int64 // 0: there is no index
	open     bool
	busy     bool // a job runs
	unsaved  bool // some events may be in memory only
	next     []job
	damage   error // found by a search while a job ran
	failures int
}

// begin opens the index, or removes it if maxBytes allows none.
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
		if s.maxBytes > 0 { // it was turned on again meanwhile
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

// goOn begins a job, or queues it.
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

// worked continues with the rest of the job, then with queued jobs, and finally has the events in memory written.
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
	if m.more { // pauses for as long as the job took, so that half a core is left for appends and clients
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

// failed rebuilds a damaged index, and retries after any other failure. It reports the first of several failures.
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
