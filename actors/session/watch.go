package session

import (
	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
	"betcode/actors/run"
	"betcode/actors/session/watchdog"
	"betcode/messages"
)

// silenceDue is sent when the watchdog has to look at the silence of a run.
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
		t.replaceAgent(endReplace, run.StopResumable)
		return
	case watchdog.Wait:
	}
	t.then(act.After{Delay: verdict.After, Message: silenceDue{m.run}})
}

// activity notes signs of life of the agent.
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
	if len(items) == 0 { // a line without a meaning for us is a sign of life
		t.s.agent.watchdog.Activity(now)
	}
}
