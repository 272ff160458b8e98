package session

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/disk"
	"betcode/actors/internal/act"
	"betcode/actors/run"
)

// diskChanged freezes the agent of the session while the disk is full, and starts afterwards what could not be started. It does
// not wait for the journal, which may be the one without space.
func (t *transition) diskChanged(m disk.Changed) {
	if t.s.active() {
		t.at = append(t.at, sendToRun{t.s.record.Run, run.Freeze{Why: run.DiskFull, On: m.Full}})
	}
}

// agentFrozen notes that the agent was frozen or thawed, and announces the reason. The time in between does not count as silence.
func (t *transition) agentFrozen(m run.Frozen) {
	if m.Run != t.s.record.Run || !t.s.active() {
		return
	}
	fresh := m.Why &^ t.s.agent.freezeReasons
	over := m.Why == 0 && t.s.agent.freezeReasons != 0
	t.s.agent.freezeReasons = m.Why
	t.activity()
	if fresh&run.DiskFull != 0 {
		t.notice("DISK_FULL", "The disk is nearly full: the agent is frozen until there is room", nil)
	}
	if fresh&run.OverQuota != 0 {
		t.notice("SPOOL_QUOTA", "The agent has written more than the journal could take so far: it is frozen until half of it is read", map[string]string{"step": "hold"})
	}
	if over {
		t.notice("AGENT_GOES_ON", "The agent goes on", nil)
	}
}

// agentOutruns announces what is done about an agent that keeps writing although it is frozen.
func (t *transition) agentOutruns(m run.Outruns) {
	if m.Run != t.s.record.Run || !t.s.active() {
		return
	}
	told := "The agent goes on writing although it is frozen: its turn is interrupted"
	if m.Step == "stop" {
		told = "The agent goes on writing although it is frozen and was interrupted: it is ended"
	}
	t.notice("SPOOL_QUOTA", told, map[string]string{"step": m.Step})
}

// roomFor refuses a new turn while the disk is full.
func (t *transition) roomFor(from *actor.PID, op string) bool {
	if t.now.full {
		t.then(act.Reply{To: from, With: disk.FullError(op, t.s.id, t.s.options.Runs)})
	}
	return !t.now.full
}
