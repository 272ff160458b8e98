package session

import "betcode/actors/run"

// stdinClosed replaces an agent that has closed its input.
func (t *transition) stdinClosed(m run.StdinClosed) {
	if m.Run != t.s.record.Run || !t.s.agent.up || t.s.replacing() || t.s.record.StopWanted {
		return
	}
	t.notice("AGENT_DEAF", "The agent closed its input; restarting it", nil)
	t.s.agent.hung = true
	t.replaceAgent(endReplace, run.StopResumable)
}

// outputUnreadable announces that the output of the agent comes late.
func (t *transition) outputUnreadable(m run.OutputUnreadable) {
	if m.Run != t.s.record.Run || !t.s.active() {
		return
	}
	t.activity() // the silence is not the agent's
	t.s.agent.outputUnreadable = m.Err != nil
	if m.Err != nil {
		t.notice("OUTPUT_UNREADABLE", "The agent's output cannot be read from the disk; the daemon tries again, and nothing is lost",
			map[string]string{"reason": m.Err.Error()})
		return
	}
	t.notice("OUTPUT_READABLE", "The agent's output can be read again", nil)
}
