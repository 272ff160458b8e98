package session

import (
	"slices"

	"betcode/actors/disk"
	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
	"betcode/actors/run"
	"betcode/actors/session/ending"
	"betcode/actors/session/watchdog"
	"betcode/messages"
)

// silenceDue is sent when the watchdog has to check the silence of a run.
type silenceDue struct{ run messages.RunNumber }

// watchTurn begins to watch an agent that has work. It ends every step.
func (t *transition) watchTurn() {
	if t.s.busy() && t.s.agent.up && t.s.agent.watchdog.Start(t.now.at) {
		t.then(act.After{Delay: t.s.options.Silence, Message: silenceDue{t.s.record.Run}})
	}
}

// silenceLate carries out the watchdog's verdict.
func (t *transition) silenceLate(m silenceDue) {
	if m.run != t.s.record.Run || !t.s.agent.up {
		return
	}
	verdict := t.s.agent.watchdog.Look(t.now.at, watchdog.Situation{
		Busy:    t.s.busy() && !t.s.replacing(),
		Excused: t.s.prompts.AgentWaits() || t.s.agent.freezeReasons != 0 || t.s.agent.outputUnreadable,
		Turn:    t.s.agent.working && t.s.record.Turn,
		Limit:   t.s.options.Silence,
	})
	switch verdict.Action {
	case watchdog.None:
		return
	case watchdog.Interrupt:
		t.notice("AGENT_SILENT", "The agent has said nothing for "+texts.Duration(verdict.Silent)+" in the middle of a turn; it is interrupted", nil)
		t.interrupt()
	case watchdog.Replace:
		t.notice("AGENT_HANGS", "The agent does not react; it is ended and started again", nil)
		t.s.agent.hung = true
		t.replaceAgent(ending.Replace, run.StopResumable)
		return
	case watchdog.Wait:
	}
	t.then(act.After{Delay: verdict.After, Message: silenceDue{m.run}})
}

// activity records signs of life of the agent.
func (t *transition) activity(items ...claude.Item) {
	now := t.now.at
	t.s.agent.lastActivity = now
	for _, item := range items {
		switch m := item.(type) {
		case claude.ControlAnswered:
			t.s.agent.watchdog.Acknowledged(now)
		case claude.RetryWait:
			t.s.agent.watchdog.Announced(now, m.Delay)
		default:
			t.s.agent.watchdog.Activity(now)
		}
	}
	if len(items) == 0 { // a line that the codec ignores is a sign of life too
		t.s.agent.watchdog.Activity(now)
	}
}

// stdinClosed replaces an agent that has closed its input.
func (t *transition) stdinClosed(m run.StdinClosed) {
	if m.Run != t.s.record.Run || !t.s.agent.up || t.s.replacing() || t.s.record.StopWanted {
		return
	}
	t.notice("AGENT_DEAF", "The agent closed its input; restarting it", nil)
	t.s.agent.hung = true
	t.replaceAgent(ending.Replace, run.StopResumable)
}

// outputUnreadable announces that the output of the agent comes late.
func (t *transition) outputUnreadable(m run.OutputUnreadable) {
	if m.Run != t.s.record.Run || !t.s.active() {
		return
	}
	t.activity() // the agent may have written meanwhile
	t.s.agent.outputUnreadable = m.Err != nil
	if m.Err != nil {
		t.notice("OUTPUT_UNREADABLE", "The agent's output cannot be read from the disk; the daemon tries again, and nothing is lost",
			map[string]string{"reason": m.Err.Error()})
		return
	}
	t.notice("OUTPUT_READABLE", "The agent's output can be read again", nil)
}

// diskChanged freezes the agent of the session while the disk is full, and starts afterwards what could not be started. It does
// not wait for the journal, which may be the one without space.
func (t *transition) diskChanged(m disk.Changed) {
	if t.s.active() && !t.s.proxied() {
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

// outputIsUse reports whether the agent's lines belong to a turn; before says whether a turn ran before them.
func (t *transition) outputIsUse(before bool, items []claude.Item) bool {
	if !before && !t.s.record.Turn {
		return slices.ContainsFunc(items, func(item claude.Item) bool {
			_, ended := item.(claude.TurnEnded)
			return ended
		})
	}
	return !t.onlyAnswers(items)
}

// onlyAnswers reports whether the agent wrote nothing but answers to the session's own requests. They do not change UpdatedAt.
func (t *transition) onlyAnswers(items []claude.Item) bool {
	for _, item := range items {
		switch m := item.(type) {
		case claude.ControlAnswered:
		case claude.BackgroundTasks: // an answer to initialize is followed by the list
			if !slices.Equal(m.IDs, t.s.record.Background) {
				return false
			}
		default:
			return false
		}
	}
	return len(items) > 0
}
