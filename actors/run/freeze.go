package run

import (
	"slices"
	"strings"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// An agent is held when its output has no place to go: it is stopped in its
// tracks (SIGSTOP), with everything it started, and goes on as if nothing had
// been when the reason is gone. A request of its to the API that was cut off by
// that is made again by itself (wire notes, section 16).
//
// Who ends or interrupts an agent wants it to hear: it is let go first, and not
// held again before that is over.
//
// What survives a crash of the daemon: the stopped process itself. The next run
// actor that adopts it lets it go, unless there still is a reason.

// Reasons are the reasons for which an agent is held: a set.
type Reasons uint8

const (
	DiskFull  Reasons = 1 << iota // the disk is nearly full
	OverQuota                     // it wrote more than the journal could take
	Alarm                         // it approved itself, and a person is to decide
)

// String names the reasons, for the tree and for notices.
func (h Reasons) String() string {
	var names []string
	for why, name := range map[Reasons]string{DiskFull: "disk full", OverQuota: "spool quota", Alarm: "alarm"} {
		if h&why != 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

type (
	// Freeze tells a run that there is a reason to hold its agent, or no longer.
	Freeze struct {
		Why Reasons
		On  bool
	}
	// agentStopped says that the agent has been stopped, and how large its spool is.
	agentStopped struct{ size int64 }
	// Frozen tells a session for which reasons its agent is held now, if any.
	Frozen struct {
		Run messages.RunNumber
		Why Reasons
	}
)

// The effects: stop the agent in its tracks, let it go on.
type (
	freeze struct{}
	thaw   struct{}
)

func (freeze) Effect() {}
func (thaw) Effect()   {}

// want notes a reason, or its end.
func (s state) want(m Freeze) state {
	s.reasons &^= m.Why
	if m.On {
		s.reasons |= m.Why
	}
	return s
}

// settleFreeze ends every step: it stops the agent, or lets it go, if that is due
// now. It is let go before anything else is done, and stopped after it.
func (s state) settleFreeze(effects []act.Effect) (state, []act.Effect) {
	var held Reasons
	switch {
	case s.phase != phaseLive:
	case s.stopping || s.interrupting:
		held = s.reasons & Alarm // it gets no chance to act on what it hears
	default:
		held = s.reasons
	}
	before := s.frozen
	s.frozen = held
	switch {
	case held == before || s.phase != phaseLive: // the end of the run tells enough
		return s, effects
	case before == 0:
		effects = append(effects, freeze{})
	case held == 0:
		effects = append([]act.Effect{thaw{}}, effects...)
	}
	return s, append(effects, tell{Frozen{s.record.Run, held}})
}
