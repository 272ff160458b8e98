package session

import (
	pb "betcode/proto/betcode/v1"

	"betcode/actors/run"
	"betcode/messages"
)

// interruptOver reports to the run that the interrupted turn has ended.
func (t *transition) interruptOver() {
	if t.s.agent.interrupt != "" {
		t.sendToAgent(run.InterruptDone{ID: t.s.agent.interrupt})
		t.s.agent.interrupt = ""
	}
}

// afterTurn ensures that a status follows every TurnComplete: THINKING when a message is
// queued or a background task runs, else IDLE. Clients show that status. before is the last
// published status when the turn ended.
func (t *transition) afterTurn(before string) {
	r := t.change()
	if r.Status != before || r.Condition != "" {
		return // it was announced
	}
	status := pb.AgentStatus_THINKING
	if !t.s.busy() && len(r.Background) == 0 {
		status = pb.AgentStatus_IDLE
	}
	r.Status = status.String()
	t.emit(statusChange(status, ""))
	if t.s.prompts.AgentWaits() {
		t.status(pb.AgentStatus_WAITING_FOR_USER, "")
	}
}

// becomeIdle sets the phase and the status of a session without work.
func (t *transition) becomeIdle() {
	r := t.change()
	if t.s.busy() {
		return
	}
	r.TurnCanceled = false
	t.interruptOver()
	if len(r.Background) > 0 || r.Condition != "" {
		return
	}
	r.Phase = messages.PhaseIdle
	t.status(pb.AgentStatus_IDLE, "")
}
