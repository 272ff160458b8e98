package auth

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"betcode/messages"
)

const (
	// summaryEvery is how long the refusals of a caller are counted after the first.
	summaryEvery = time.Minute
	// maxSummaries bounds the callers with separate summaries; further callers share one.
	maxSummaries = 64
	// maxRefusalKinds bounds the kinds of refusals that are counted separately for a caller.
	maxRefusalKinds = 16

	manyCallers = "other callers"
)

// refusal is a kind of refusal.
type refusal struct {
	span  string             // of the call
	code  string             // of the error
	audit messages.AuditType // empty = not in the audit log
}

// summaries counts refusals. A caller that repeats a refused call causes two entries a minute in
// the log and in the audit log: the first refusal in full, and the number of later ones. It is safe
// for concurrent use.
type summaries struct {
	report func(caller string, more map[refusal]int) // called without a lock

	mu      sync.Mutex
	callers map[string]map[refusal]int
	timers  map[string]*time.Timer
	closed  bool
}

func newSummaries(report func(caller string, more map[refusal]int)) *summaries {
	return &summaries{report: report, callers: map[string]map[refusal]int{}, timers: map[string]*time.Timer{}}
}

// add counts a refusal. It reports whether it is the caller's first within summaryEvery,
// which is logged in full.
func (s *summaries) add(caller string, r refusal) (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts, known := s.callers[caller]
	if !known && len(s.callers) >= maxSummaries {
		caller = manyCallers
		counts, known = s.callers[caller]
	}
	if known {
		if _, counted := counts[r]; !counted && len(counts) >= maxRefusalKinds {
			r = refusal{span: "others", audit: r.audit}
		}
		counts[r]++
		return false
	}
	s.callers[caller] = map[refusal]int{}
	if !s.closed {
		s.timers[caller] = time.AfterFunc(summaryEvery, func() { s.end(caller) })
	}
	return true
}

// end reports the refusals that followed the first one of a caller, and removes the caller.
func (s *summaries) end(caller string) {
	s.mu.Lock()
	more := s.callers[caller]
	delete(s.callers, caller)
	delete(s.timers, caller)
	s.mu.Unlock()
	if len(more) > 0 {
		s.report(caller, more)
	}
}

// close reports all counted refusals.
func (s *summaries) close() {
	s.mu.Lock()
	s.closed = true
	callers := slices.Sorted(maps.Keys(s.callers))
	for _, t := range s.timers {
		t.Stop()
	}
	s.mu.Unlock()
	for _, caller := range callers {
		s.end(caller)
	}
}

// sortedRefusals returns the kinds of refusals, most frequent first.
func sortedRefusals(counts map[refusal]int) []refusal {
	return slices.SortedFunc(maps.Keys(counts), func(a, b refusal) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.span, b.span), cmp.Compare(a.code, b.code), cmp.Compare(a.audit, b.audit))
	})
}
