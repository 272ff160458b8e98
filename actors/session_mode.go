package actors

// A permission mode belongs to whoever granted it. An agent that is started
// without a client's word, after a crash or a reboot, begins in the default mode.

// skipsAsking lists the modes in which the agent does not ask before it acts.
var skipsAsking = map[string]bool{"acceptEdits": true, "auto": true, "bypassPermissions": true}

// resetMode takes the mode back if nobody has spoken since the last run.
func (t *transition) resetMode() {
	if mode := t.s.record.PermissionMode; skipsAsking[mode] && !t.s.attended {
		t.change().PermissionMode = "default"
		t.notice("MODE_RESET", "The agent is started again by itself, so it asks again before it acts", map[string]string{"from": mode, "to": "default"})
	}
}
