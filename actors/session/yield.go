package session

import (
	"time"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// An agent that waits for a person keeps its slot for a while. After that it yields:
// when another session wants the slot, its agent is parked, the request stays before
// people as an orphan, and the first answer resumes the agent, which makes the call
// again and gets that answer (decision 18). Nobody loses a slot that nobody wants.

// yieldDue is sent when an agent that waits for a person may have waited long enough.
type yieldDue struct{ run messages.RunNumber }

// yieldsAt returns when the agent yields its slot: when it has said nothing, and nobody
// has been asked anything new, for the hold. A tool that runs is heard every 30 s, so
// an agent that is silent for that long waits for the person alone. Zero: it does not.
func (s *state) yieldsAt() time.Time {
	if !s.agent.up || s.replacing() || s.record.StopWanted || len(s.record.Background) > 0 || !s.prompts.AgentWaits() {
		return time.Time{}
	}
	since := s.agent.lastActivity
	for _, p := range s.prompts.List(prompts.Undecided) {
		if !p.Orphaned() && p.ReceivedAt.After(since) {
			since = p.ReceivedAt
		}
	}
	return since.Add(s.options.WaitingHold)
}

// yields reports whether the agent may be parked although its turn is not over.
func (s *state) yields(now time.Time) bool {
	at := s.yieldsAt()
	return !at.IsZero() && !now.Before(at)
}

// tendYield tells the pool when the agent begins or ends to wait for a person, and
// sees to it that the session looks again when the hold is over. It ends every step.
func (t *transition) tendYield() {
	at := t.s.yieldsAt()
	if asking := !at.IsZero(); asking != t.s.slot.asking {
		t.s.slot.asking = asking
		t.then(tellPool{pool.Asking{Session: t.s.id, Asking: asking}})
	}
	if at.IsZero() || t.s.agent.yieldTimer {
		return
	}
	if wait := at.Sub(t.now.at); wait > 0 {
		t.s.agent.yieldTimer = true
		t.then(act.After{Delay: wait, Message: yieldDue{t.s.record.Run}})
	}
}

// yieldLate is the end of that timer; tendYield sets the next one if it is needed.
func (t *transition) yieldLate(m yieldDue) {
	if m.run == t.s.record.Run {
		t.s.agent.yieldTimer = false
	}
}

// yieldSlot parks an agent that waits for a person, until one answers.
func (t *transition) yieldSlot() {
	r := t.change()
	r.Waiting, r.Phase = messages.WaitsForAnswer, messages.PhaseWaiting
	const message = "The agent is parked while it waits for an answer, since another session needs its slot; an answer resumes it"
	t.notice("PARKED_WAITING", message, map[string]string{"reason": messages.WaitsForAnswer})
	t.status(pb.AgentStatus_WAITING_FOR_USER, message)
	t.replaceAgent(endPark, run.StopResumable)
}

// parkedForAnswer reports whether the agent was parked until a person answers.
func (s *state) parkedForAnswer() bool { return s.record.Waiting == messages.WaitsForAnswer }

// resumeAnswered resumes a parked agent, since one of its requests was answered.
func (t *transition) resumeAnswered() {
	if t.s.parkedForAnswer() {
		t.unblock()
	}
}
