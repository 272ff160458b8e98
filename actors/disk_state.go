package actors

import (
	"time"

	"betcode/actors/health"
	"betcode/actors/internal/disk"
)

// The low-water mark: with less room than that the disk counts as full. It has to
// be far above nothing: the agent goes on when it cannot write its output, and
// what it could not write is lost for good.
const (
	diskLow      = 512 << 20 // unless the operator says otherwise,
	diskLowShare = 20        // and at most this part of a small filesystem
	reserveBytes = 16 << 20  // kept back for what must be written nevertheless
	reserveShare = 4         // and at most this part of the low-water mark
)

// How often it is looked: before even a fast writer can have used up what is above
// the mark, but not more than once a second.
const (
	diskFillRate  = 1 << 30 // bytes a second
	diskLookLeast = time.Second
	diskLookMost  = 5 * time.Minute
	diskLookBlind = time.Minute // nobody knows
	diskLookFull  = 2 * time.Second
)

// diskState is how it stands with the room on the disk that holds the journal and
// the spools.
//
//	room ──below the mark──► full ──half as much again above it──► room
type diskState struct {
	low     int64 // the operator's mark; 0 = by the size of the filesystem
	full    bool
	space   disk.Space
	failure error // why nobody knows, as of the newest look
	looking bool
}

// What the disk actor is told.
type (
	// lookDue says that it is time to look, lookNow that somebody could not write.
	lookDue struct{}
	lookNow struct{}
	// spaceSeen is what a look has found.
	spaceSeen struct {
		space disk.Space
		err   error
	}
	// reserveTried says why the reserve could not be kept, or released.
	reserveTried struct{ err error }
)

// diskChanged tells the sessions that the disk is full, or no longer.
type diskChanged struct{ full bool }

// The effects of the disk: look, keep so much in reserve, give the reserve up, tell
// everybody.
type (
	lookAtDisk     struct{}
	keepReserve    struct{ bytes int64 }
	releaseReserve struct{}
	tellSessions   struct{ message any }
	tellHealth     struct{ message any }
)

func (lookAtDisk) effect()     {}
func (keepReserve) effect()    {}
func (releaseReserve) effect() {}
func (tellSessions) effect()   {}
func (tellHealth) effect()     {}

// step takes one message and returns the next state and what to do.
func (s diskState) step(m any) (diskState, []effect) {
	switch m := m.(type) {
	case lookDue, lookNow:
		if s.looking {
			return s, nil
		}
		s.looking = true
		return s, []effect{lookAtDisk{}}
	case spaceSeen:
		return s.seen(m)
	}
	return s, nil
}

// seen decides whether the disk is full. A look that failed changes nothing but
// what health says.
func (s diskState) seen(m spaceSeen) (diskState, []effect) {
	before := s
	s.looking, s.failure = false, m.err
	var effects []effect
	if m.err == nil {
		s.space = m.space
		switch s.full = s.space.Free < s.leave() && (before.full || s.space.Free < s.mark()); {
		case s.full && !before.full:
			effects = append(effects, tellSessions{diskChanged{true}}, releaseReserve{})
		case !s.full && before.full:
			effects = append(effects, tellSessions{diskChanged{false}})
		}
		if !s.full {
			effects = append(effects, keepReserve{s.reserve()})
		}
	}
	effects = append(effects, tellHealth{health.Disk{Full: s.full, Space: s.space, Err: s.failure}})
	return s, append(effects, wakeAfter{s.patience(), lookDue{}})
}

// mark is how little room means that the disk is full.
func (s diskState) mark() int64 {
	if s.low > 0 {
		return s.low
	}
	return min(diskLow, s.space.Total/diskLowShare)
}

// reserve is how much is kept back.
func (s diskState) reserve() int64 { return min(reserveBytes, s.mark()/reserveShare) }

// leave is how much room means that a full disk is full no longer. The reserve has
// to fit in as well.
func (s diskState) leave() int64 { return s.mark() + s.mark()/2 + s.reserve() }

// patience is the time until the next look.
func (s diskState) patience() time.Duration {
	switch {
	case s.full:
		return diskLookFull
	case s.failure != nil:
		return diskLookBlind
	}
	spare := time.Duration(max(0, s.space.Free-s.mark())) / diskFillRate * time.Second
	return min(max(spare, diskLookLeast), diskLookMost)
}
