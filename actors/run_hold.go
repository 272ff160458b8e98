package actors

import (
	"slices"
	"strings"

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

// holds are the reasons for which an agent is held: a set.
type holds uint8

const (
	holdDisk  holds = 1 << iota // the disk is nearly full
	holdQuota                   // it wrote more than the journal could take
	holdAlarm                   // it approved itself, and a person is to decide
)

// String names the reasons, for the tree and for notices.
func (h holds) String() string {
	var names []string
	for why, name := range map[holds]string{holdDisk: "disk full", holdQuota: "spool quota", holdAlarm: "alarm"} {
		if h&why != 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

type (
	// holdAgent tells a run that there is a reason to hold its agent, or no longer.
	holdAgent struct {
		why holds
		on  bool
	}
	// agentFrozen says that the agent has been stopped, and how large its spool is.
	agentFrozen struct{ size int64 }
	// agentHeld tells a session for which reasons its agent is held now, if any.
	agentHeld struct {
		run messages.RunNumber
		why holds
	}
)

// The effects: stop the agent in its tracks, let it go on.
type (
	freezeAgent struct{}
	thawAgent   struct{}
)

func (freezeAgent) effect() {}
func (thawAgent) effect()   {}

// hold notes a reason, or its end.
func (s runState) hold(m holdAgent) runState {
	s.holds &^= m.why
	if m.on {
		s.holds |= m.why
	}
	return s
}

// settleHold ends every step: it stops the agent, or lets it go, if that is due
// now. It is let go before anything else is done, and stopped after it.
func (s runState) settleHold(effects []effect) (runState, []effect) {
	var held holds
	switch {
	case s.phase != runLive:
	case s.stopping || s.interrupting:
		held = s.holds & holdAlarm // it gets no chance to act on what it hears
	default:
		held = s.holds
	}
	before := s.held
	s.held = held
	switch {
	case held == before || s.phase != runLive: // the end of the run tells enough
		return s, effects
	case before == 0:
		effects = append(effects, freezeAgent{})
	case held == 0:
		effects = append([]effect{thawAgent{}}, effects...)
	}
	return s, append(effects, tellSession{agentHeld{s.record.Run, held}})
}
