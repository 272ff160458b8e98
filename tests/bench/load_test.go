//go:build linux

package bench

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// textSize is how long the text of a delta is. The line around it has about
// 300 bytes, as Claude Code's have.
const textSize = 100

// work is the output of one agent in one turn: a number of lines of deltas, at a rate per second
// or, at rate 0, as fast as possible. With a prompt the agent follows that prompt, and no line is
// counted. The zero value is no work.
type work struct {
	lines, rate int
	own         string
}

func (w work) prompt() string {
	switch {
	case w.own != "":
		return w.own
	case w.rate == 0:
		return fmt.Sprintf("flood:%d:%d", w.lines, textSize)
	}
	return fmt.Sprintf("pace:%d:%d:%d", w.lines, w.rate, textSize)
}

func (w work) none() bool { return w == work{} }

// pace is how long the work should take; unbounded without a rate.
func (w work) pace() time.Duration {
	if w.rate == 0 {
		return math.MaxInt64 / 2
	}
	return time.Duration(w.lines) * time.Second / time.Duration(w.rate)
}

// load is what agents and clients do. Every client watches every session. Each
// client has a connection of its own; a single one has one per session. The clients
// of the last sessions may live in processes of their own, so that what comes there
// takes no time of those that are here.
type load struct {
	sessions, clients int
	apart             int    // so many of the last sessions
	settings          string // content of settings.json; empty = there is none
	work
}

// shortened is a load of a tenth, for `go test -short`.
func (l load) shortened() load {
	if testing.Short() {
		l.lines = max(l.lines/10, 1)
	}
	return l
}

// of is the load's work in every session.
func (l load) of(int) work { return l.work }

// beside is the load's work, but for the sessions whose clients are apart: these have
// others' works, or nothing to do.
func (l load) beside(others ...work) func(session int) work {
	return func(session int) work {
		other := session - (l.sessions - l.apart)
		switch {
		case other < 0:
			return l.work
		case other < len(others):
			return others[other]
		}
		return work{}
	}
}
