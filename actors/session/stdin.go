package session

import "betcode/actors/run"

// agentDeaf has an agent replaced that cannot be told anything.
func (t *transition) agentDeaf(m run.StdinClosed) {
	if m.Run != t.s.record.Run || !t.s.agent.up || t.s.replacing() || t.s.record.StopWanted {
		return
	}
	t.notice("AGENT_DEAF", "The agent closed its input; restarting it", nil)
	t.s.agent.hung = true
	t.replaceAgent(endReplace, run.StopResumable)
}

// spoolUnread tells people that the output of the agent comes late.
func (t *transition) spoolUnread(m run.OutputUnreadable) {
	if m.Run != t.s.record.Run || !t.s.active() {
		return
	}
	t.activity() // it says nothing because we do not hear it
	t.s.agent.outputUnreadable = m.Err != nil
	if m.Err != nil {
		t.notice("OUTPUT_UNREADABLE", "What the agent says cannot be read from the disk at the moment; it is tried again, and nothing is lost",
			map[string]string{"reason": m.Err.Error()})
		return
	}
	t.notice("OUTPUT_READABLE", "What the agent says can be read again", nil)
}
