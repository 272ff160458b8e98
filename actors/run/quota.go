package run

import (
	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/messages"
)

// An agent that writes faster than the journal takes it fills the disk with what
// nobody has read. When it is a quota ahead it is held, until half of that is
// journaled. What is counted is the distance from the committed offset, so an
// agent is held as well when the journal takes nothing at all.

// SpoolQuota is how far an agent may be ahead, unless the operator says otherwise.
const SpoolQuota = 1 << 30

// quota is what a run knows about it.
type quota struct {
	limit     int64 // 0 = none
	size      int64 // of the spool, as of the newest look
	journaled int64 // of it
	frozen    int64 // its size when the agent had been stopped last; 0 = it was not
	measuring bool
	step      quotaStep
}

// quotaStep says how far it has come with an agent that is ahead.
//
//	kept ──a quota ahead──► held ──another──► interrupted ──grace──► warned ──another──► ended
//	  ▲                      │                    │ another ────────────────────────────►
//	  └──half of it is read──┴────────────────────┘
type quotaStep uint8

const (
	quotaKept quotaStep = iota
	quotaFrozen
	quotaInterrupted // and not held, so that it hears
	quotaWarned      // and held again
)

// quotaInterrupt begins the id of the request that interrupts such an agent.
const quotaInterrupt = "interrupt-quota"

// quotaGrace is the run's own word for the end of the time that an interrupted agent
// has for ending its turn. Outruns tells the session what is done about it.
type (
	quotaGrace struct{}
	Outruns    struct {
		Run  messages.RunNumber
		Step string // "interrupt" or "stop"
	}
)

// spoolMeasured is how large the spool is; measureSpool asks for it.
type (
	spoolMeasured struct{ size int64 }
	measureSpool  struct{}
)

func (measureSpool) Effect() {}

// measure looks at the size of a spool that cannot be read at the moment.
func (s state) measure() (state, []act.Effect) {
	if s.credits > 0 || s.quota.measuring || s.quota.limit == 0 || s.phase != phaseLive {
		return s, nil
	}
	s.quota.measuring = true
	return s, []act.Effect{measureSpool{}}
}

// weigh holds the agent or lets it go, by how far it is ahead. One whose spool grows
// by another quota although it is held could not be stopped: its turn is interrupted,
// and if it goes on writing after that it is ended.
func (s state) weigh(effects []act.Effect) (state, []act.Effect) {
	q := &s.quota
	switch ahead := q.size - q.journaled; {
	case q.limit == 0:
	case s.reasons&OverQuota == 0 && ahead > q.limit:
		s.reasons |= OverQuota
		q.frozen, q.step = 0, quotaFrozen
	case s.reasons&OverQuota != 0 && ahead <= q.limit/2:
		s.reasons &^= OverQuota
		q.step, s.interrupting = quotaKept, s.interrupting && q.step != quotaInterrupted
	case s.reasons&OverQuota != 0 && q.frozen > 0 && q.size > q.frozen+q.limit && s.phase == phaseLive && !s.stopping:
		return s.outrun(effects)
	}
	return s, effects
}

// outrun takes the next step against an agent that writes although it is held. An
// interrupted one must hear that, and may end its turn with a few lines.
func (s state) outrun(effects []act.Effect) (state, []act.Effect) {
	q := &s.quota
	q.frozen = q.size
	if q.step == quotaFrozen && !s.interrupting {
		q.step, s.interrupting = quotaInterrupted, true
		return s, append(effects, tell{Outruns{s.record.Run, "interrupt"}},
			writeLine{writing{line: claude.InterruptLine(s.control(quotaInterrupt), false)}}, act.After{Delay: graceInterrupt, Message: quotaGrace{}})
	}
	s.stopping, s.how = true, StopOrderly
	return s.stop(append(effects, tell{Outruns{s.record.Run, "stop"}}))
}

// interruptTook ends the time that an agent had for ending its turn: it is held
// again, and what it writes from here on counts against it.
func (s state) interruptTook() state {
	if s.quota.step == quotaInterrupted {
		s.quota.step, s.interrupting = quotaWarned, false
	}
	return s
}
