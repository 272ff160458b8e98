package disk

import (
	"time"

	"betcode/actors/health"
	"betcode/actors/internal/act"
	"betcode/actors/internal/disk"
)

// The low-water mark: with less free space the disk counts as full. It is far above zero, because an agent runs on when it
// cannot write its output, and that output is lost.
const (
	lowMark      = 512 << 20 // unless the operator sets another mark,
	lowShare     = 20        // and at most this part of a small filesystem
	MaxReserve   = 16 << 20  // reserved for writes that cannot be refused
	reserveShare = 4         // and at most this part of the low-water mark
)

// Polling intervals. A poll comes before a fast writer can have used up the space above the mark, but at most once a
// second.
const (
	fillRate  = 1 << 30 // bytes a second
	pollLeast = time.Second
	pollMost  = 5 * time.Minute
	pollBlind = time.Minute // the last measurement failed
	pollFull  = 2 * time.Second
)

// state is the free space of the disk that holds the journal and the run directories.
//
//	room ──below the mark──► full ──half as much again above it──► room
type state struct {
	low     int64 // the mark of the operator; 0 = by the size of the filesystem
	full    bool
	space   disk.Space
	failure error // of the newest measurement
	looking bool  // a measurement runs
}

// Messages to the disk actor.
type (
	// lookDue is sent when the next measurement is due.
	lookDue struct{}
	// LookNow requests a measurement: a write failed, perhaps because the disk is full.
	LookNow struct{}
	// spaceSeen is the result of a measurement.
	spaceSeen struct {
		space disk.Space
		err   error
	}
	// reserveTried is the result of keeping or releasing the reserve.
	reserveTried struct{ err error }
)

// Changed reports to sessions that the disk is full, or no longer full.
type Changed struct{ Full bool }

// The effects of the disk.
type (
	look           struct{}
	keepReserve    struct{ bytes int64 } // write a reserve of this size
	releaseReserve struct{}              // truncate the reserve
	announce       struct{ changed Changed }
	report         struct{ disk health.Disk }
)

func (look) Effect()           {}
func (keepReserve) Effect()    {}
func (releaseReserve) Effect() {}
func (announce) Effect()       {}
func (report) Effect()         {}

// step takes one message and returns the next state and what to do.
func (s state) step(m any) (state, []act.Effect) {
	switch m := m.(type) {
	case lookDue, LookNow:
		if s.looking {
			return s, nil
		}
		s.looking = true
		return s, []act.Effect{look{}}
	case spaceSeen:
		return s.seen(m)
	}
	return s, nil
}

// seen decides whether the disk is full. A failed measurement changes only what health reports.
func (s state) seen(m spaceSeen) (state, []act.Effect) {
	before := s
	s.looking, s.failure = false, m.err
	var effects []act.Effect
	if m.err == nil {
		s.space = m.space
		switch s.full = s.space.Free < s.leave() && (before.full || s.space.Free < s.mark()); {
		case s.full && !before.full:
			effects = append(effects, announce{Changed{true}}, releaseReserve{})
		case !s.full && before.full:
			effects = append(effects, announce{Changed{false}})
		}
		if !s.full {
			effects = append(effects, keepReserve{s.reserve()})
		}
	}
	effects = append(effects, report{health.Disk{Full: s.full, Space: s.space, Err: s.failure}})
	return s, append(effects, act.After{Delay: s.patience(), Message: lookDue{}})
}

// mark returns the number of free bytes below which the disk is full.
func (s state) mark() int64 {
	if s.low > 0 {
		return s.low
	}
	return min(lowMark, s.space.Total/lowShare)
}

// reserve returns the size of the reserve in bytes.
func (s state) reserve() int64 { return min(MaxReserve, s.mark()/reserveShare) }

// leave returns the number of free bytes from which on a full disk is no longer full. It includes the reserve.
func (s state) leave() int64 { return s.mark() + s.mark()/2 + s.reserve() }

// patience returns the time until the next measurement.
func (s state) patience() time.Duration {
	switch {
	case s.full:
		return pollFull
	case s.failure != nil:
		return pollBlind
	}
	spare := time.Duration(max(0, s.space.Free-s.mark())) / fillRate * time.Second
	return min(max(spare, pollLeast), pollMost)
}
