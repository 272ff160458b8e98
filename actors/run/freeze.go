package run

import (
	"slices"
	"strings"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// The run freezes its agent while its output cannot be stored: it stops the agent with all its children (SIGSTOP), and thaws
// them when the reason is gone. The agent repeats a request to the API that failed meanwhile (wire notes, section 16).
//
// An agent that is ended or interrupted is thawed first, so that it can react, and is not frozen again before that is over. An
// alarm is an exception: the agent gets no chance to act on its input.
//
// What survives a crash of the daemon: the stopped process. The run actor that adopts it thaws it, unless a reason remains.

// Reasons is the set of reasons for which an agent is frozen.
type Reasons uint8

// The reasons.
const (
	DiskFull  Reasons = 1 << iota // the disk is nearly full
	OverQuota                     // its unjournaled output exceeds the quota
	Alarm                         // it got input or answers that did not come from the daemon, and a person has to decide
)

// String lists the reasons, for the tree and for notices.
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
	// Freeze adds or removes a reason to freeze the agent. The session sends it.
	Freeze struct {
		Why Reasons
		On  bool
	}
	// agentStopped reports that the agent was stopped for the freeze with a number, and the size of its spool.
	agentStopped struct {
		size   int64
		number uint64
	}
	// Frozen reports to the session for which reasons its agent is frozen now, if any.
	Frozen struct {
		Run messages.RunNumber
		Why Reasons
	}
)

// Effects: stop the agent's processes, and continue them.
type (
	freeze struct{ number uint64 }
	thaw   struct{}
)

func (freeze) Effect() {}
func (thaw) Effect()   {}

// want adds or removes a reason.
func (s state) want(m Freeze) state {
	s.reasons &^= m.Why
	if m.On {
		s.reasons |= m.Why
	}
	return s
}

// settleFreeze ends every step: it freezes or thaws the agent if the reasons have changed. It thaws before all other effects
// and freezes after them.
func (s state) settleFreeze(effects []act.Effect) (state, []act.Effect) {
	var frozen Reasons
	switch {
	case s.phase != phaseLive:
	case s.stopping || s.interrupting:
		frozen = s.reasons & Alarm // the agent gets no chance to act on its input
	default:
		frozen = s.reasons
	}
	before := s.frozen
	s.frozen = frozen
	switch {
	case frozen == before || s.phase != phaseLive: // RunEnded makes a message about freezing superfluous
		return s, effects
	case before == 0:
		s.freezes++
		effects = append(effects, freeze{s.freezes})
	case frozen == 0:
		effects = append([]act.Effect{thaw{}}, effects...)
	}
	return s, append(effects, toSession{Frozen{s.record.Run, frozen}})
}
