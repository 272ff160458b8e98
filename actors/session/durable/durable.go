// Package durable delays effects until the append that they depend on is durable.
//
// A session sends appends to the journal in order and does not wait for the commits. What follows from an append
// (events to publish, answers, orders to the agent) waits in the [Log] until that append is on disk, in the order in which
// it was added:
//
//	Commit(head, effects) ─► number n, handed to the journal ─► Committed(n) returns the effects up to n
//	Pass(head, effects)   ─► returned at once if nothing is under way, else with the newest commit
//	Abandon()             ─► the journal failed: it is unknown which of them are on disk
//
// A crash loses the Log. The journal decides which appends took place; effects that were pending are not performed, and
// clients repeat the requests that got no answer.
package durable

import (
	"fmt"

	"betcode/messages"
)

// Log is the order between appends and their effects E. The zero value has nothing under way. A copy is independent of the
// original.
type Log[E any] struct {
	commits   uint64       // handed to the journal
	committed uint64       // known to be on disk
	head      messages.Seq // number of the last event known to be on disk
	pending   []pending[E]
}

// pending is what waits for one commit.
type pending[E any] struct {
	commit  uint64
	effects []E
	head    messages.Seq // of the history when the commit is on disk
}

// Loaded returns the log of a session that was loaded from the journal with a history up to head.
func Loaded[E any](head messages.Seq) Log[E] { return Log[E]{head: head} }

// Head returns the number of the last event known to be on disk.
func (l *Log[E]) Head() messages.Seq { return l.head }

// Commits returns how many appends were handed to the journal.
func (l *Log[E]) Commits() uint64 { return l.commits }

// UnderWay reports whether an append has not been answered by the journal.
func (l *Log[E]) UnderWay() bool { return l.committed < l.commits }

// Quiescent reports whether no effect is pending.
func (l *Log[E]) Quiescent() bool { return len(l.pending) == 0 }

// Commit begins an append after which the history ends at head, and returns its number. The effects are pending until the
// journal has it.
func (l *Log[E]) Commit(head messages.Seq, effects []E) uint64 {
	l.commits++
	l.add(head, effects)
	return l.commits
}

// Pass returns effects that append nothing if all appends before them are on disk. Otherwise they are pending too.
func (l *Log[E]) Pass(head messages.Seq, effects []E) []E {
	if len(effects) == 0 || !l.UnderWay() {
		return effects
	}
	l.add(head, effects)
	return nil
}

func (l *Log[E]) add(head messages.Seq, effects []E) {
	l.pending = append(l.pending[:len(l.pending):len(l.pending)], pending[E]{l.commits, effects, head})
}

// Committed returns the effects that an answer of the journal releases, in order. An answer that came before is ignored: it
// is about a session that was deleted meanwhile. It panics if the journal leaves one out.
func (l *Log[E]) Committed(commit uint64) []E {
	if commit <= l.committed {
		return nil
	}
	if commit != l.committed+1 {
		panic(fmt.Sprintf("commit %d is durable, the one before is %d", commit, l.committed))
	}
	l.committed = commit
	var ready []E
	for len(l.pending) > 0 && l.pending[0].commit <= commit {
		l.head = l.pending[0].head
		ready, l.pending = append(ready, l.pending[0].effects...), l.pending[1:]
	}
	return ready
}

// Abandon returns everything that is pending, in order, and forgets it. It is unknown whether the journal has it.
func (l *Log[E]) Abandon() []E {
	var all []E
	for _, p := range l.pending {
		all = append(all, p.effects...)
	}
	l.pending = nil
	return all
}

// Closed returns the log of a session that has ended: nothing is under way, and commits go on being numbered.
func (l *Log[E]) Closed() Log[E] { return Log[E]{commits: l.commits, committed: l.commits} }
