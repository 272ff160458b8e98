package session

import (
	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/messages"
)

// An agent that waits for a person keeps its slot for a while. After that it yields: when another session wants the slot, its agent
// is parked, the request stays visible as an orphan, and the first answer resumes the agent, which repeats the call and gets that
// answer (decision 18). No agent is parked while no other session waits.

// yieldDue is sent when an agent that waits for a person may have waited long enough.
type yieldDue struct{ run messages.RunNumber }

// updateYield reports to the pool when the agent begins or ends to wait for a person, and sets the timer of the hold. It ends every
// step.
func (t *transition) updateYield() {
	at := t.s.yieldsAt()
	if asking := !at.IsZero(); asking != t.s.slot.asking {
		t.s.slot.asking = asking
		t.then(sendToPool{pool.Asking{Session: t.s.id, Asking: asking}})
	}
	if at.IsZero() || t.s.agent.yieldTimer {
		return
	}
	if wait := at.Sub(t.now.at); wait > 0 {
		t.s.agent.yieldTimer = true
		t.then(act.After{Delay: wait, Message: yieldDue{t.s.record.Run}})
	}
}

// yieldLate is the end of that timer; updateYield sets the next one if it is needed.
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

// resumeAnswered resumes a parked agent, since one of its requests was answered.
func (t *transition) resumeAnswered() {
	if t.s.parkedForAnswer() {
		t.unblock()
	}
}

// fleetStopped ends the agent of a session, because the fleet is stopped. A turn is continued when the fleet is resumed: that end
// does not count as an interruption. An agent that an alarm has frozen stays as it is, for a person to decide.
func (t *transition) fleetStopped() {
	t.s.slot.taken = t.s.slot.state == slotHeld
	if !t.s.active() || t.s.replacing() || t.s.endReason().final() || t.s.frozen() {
		return
	}
	t.notice("FLEET_STOPPED", "The fleet was stopped; 'betcode fleet resume' starts the agent again if it has work", nil)
	if !t.s.agent.up { // processStarted ends it
		t.s.agent.ending = endFleet
		return
	}
	t.replaceAgent(endFleet, run.StopResumable)
}
