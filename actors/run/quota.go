package run

import (
	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/messages"
)

// An agent that writes faster than the journal fills the disk with unread output. When it is a quota ahead it is frozen, until
// half of that is journaled. The distance is counted from the committed offset, so an agent is also frozen when the journal
// commits nothing.

// SpoolQuota is how far an agent may be ahead, unless the operator sets another quota.
const SpoolQuota = 1 << 30

// quota is how far an agent is ahead of the journal.
type quota struct {
	limit     int64 // 0 = none
	size      int64 // of the spool, as measured last
	journaled int64 // bytes of it
	frozen    int64 // its size when the agent was stopped last; 0 = it was not
	measuring bool
	step      quotaStep
}

// quotaStep is the step that was taken against an agent that is ahead.
//
//	within ──a quota ahead──► frozen ─another──► interrupted ──grace──► warned ──another──► ended
//	  ▲                        │                    │ another ────────────────────────────►
//	  └──half of it is read────┴────────────────────┘
type quotaStep uint8

const (
	quotaWithin quotaStep = iota
	quotaFrozen
	quotaInterrupted // and thawed, so that it reads the interrupt
	quotaWarned      // and frozen again
)

// quotaInterrupt begins the id of the request that interrupts such an agent.
const quotaInterrupt = "interrupt-quota"

// Outruns reports to the session that the agent writes although it is frozen, and the step that the run takes.
type Outruns struct {
	Run  messages.RunNumber
	Step string // "interrupt" or "stop"
}

// quotaGrace is sent when the time of an interrupted agent to end its turn has elapsed.
type quotaGrace struct{}

type (
	// measureSpool is an effect: measure the spool.
	measureSpool struct{}
	// spoolMeasured is the size of the spool.
	spoolMeasured struct{ size int64 }
)

func (measureSpool) Effect() {}

// measure requests the size of a spool that is not being read because credits are missing.
func (s state) measure() (state, []act.Effect) {
	if s.credits > 0 || s.quota.measuring || s.quota.limit == 0 || s.phase != phaseLive {
		return s, nil
	}
	s.quota.measuring = true
	return s, []act.Effect{measureSpool{}}
}

// weigh freezes or thaws the agent by its distance from the journal. If the spool grows by another quota although the agent is
// frozen, the agent could not be stopped: its turn is interrupted, and if it writes on after that it is ended.
func (s state) weigh(effects []act.Effect) (state, []act.Effect) {
	q := &s.quota
	switch ahead := q.size - q.journaled; {
	case q.limit == 0:
	case s.reasons&OverQuota == 0 && ahead > q.limit:
		s.reasons |= OverQuota
		q.frozen, q.step = 0, quotaFrozen
	case s.reasons&OverQuota != 0 && ahead <= q.limit/2:
		s.reasons &^= OverQuota
		q.step, s.interrupting = quotaWithin, s.interrupting && q.step != quotaInterrupted
	case s.reasons&OverQuota != 0 && q.frozen > 0 && q.size > q.frozen+q.limit && s.phase == phaseLive && !s.stopping:
		return s.outrun(effects)
	}
	return s, effects
}

// outrun takes the next step against an agent that writes although it is frozen. An interrupted agent is thawed, so that it
// reads the interrupt, and may end its turn with a few lines.
func (s state) outrun(effects []act.Effect) (state, []act.Effect) {
	q := &s.quota
	q.frozen = q.size
	if q.step == quotaFrozen && !s.interrupting {
		q.step, s.interrupting = quotaInterrupted, true
		return s, append(effects, toSession{Outruns{s.record.Run, "interrupt"}},
			writeLine{writing{line: claude.InterruptLine(s.control(quotaInterrupt), false)}}, act.After{Delay: graceInterrupt, Message: quotaGrace{}})
	}
	s.stopping, s.how = true, StopOrderly
	return s.stop(append(effects, toSession{Outruns{s.record.Run, "stop"}}))
}

// interruptTook ends the time of an agent to end its turn: it is frozen again, and its further output counts against it.
func (s state) interruptTook() state {
	if s.quota.step == quotaInterrupted {
		s.quota.step, s.interrupting = quotaWarned, false
	}
	return s
}
