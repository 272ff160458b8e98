package main

import "os"

// resume does what a resumed process does before any input: it reports lost background agents, and
// continues an interrupted turn if the environment requests that. Without
// CLAUDE_CODE_RESUME_INTERRUPTED_TURN it prints nothing.
func (a *agent) resume() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, open := range a.past.tasks {
		if open {
			a.system("task_notification", obj{"task_id": id, "status": "stopped", "summary": "The session ended."})
			a.disk.note("fake-task", obj{"task_id": id, "state": "ended"})
			a.notices = append(a.notices, id)
		}
	}
	stays := os.Getenv("FAKE_AGENT_STAYS") == "1"
	if os.Getenv("CLAUDE_CODE_RESUME_INTERRUPTED_TURN") == "1" && a.past.open && !stays {
		a.goOn()
		return
	}
	if len(a.notices) > 0 {
		a.orphanTurn()
	}
}

// goOn continues the interrupted turn. Without ..._SHOWS_CUT_OFF_CALLS a tool
// call that was cut off is hidden from the model, which makes it again.
func (a *agent) goOn() {
	prompt := os.Getenv("CLAUDE_CODE_RESUME_PROMPT")
	if prompt == "" {
		prompt = "Continue from where you left off."
	}
	last := a.past.last
	steps := a.script.steps(last.text)
	if a.past.cutOff && os.Getenv("CLAUDE_CODE_RESUME_SHOWS_CUT_OFF_CALLS") == "1" {
		a.disk.say("user", "", obj{"message": obj{"role": "user", "content": []any{obj{
			"type":    "tool_result",
			"content": "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown.]",
		}}}})
		steps = parseSteps("echo:Continued; the outcome of the cut-off call is unknown.")
	}
	t := a.newTurn([]message{last}, steps)
	t.command, t.resumed = newUUID(), last.uuid
	if t.reason = os.Getenv("CLAUDE_CODE_RESUME_REASON"); t.reason == "" {
		t.reason = "interrupted_turn"
	}
	a.lifecycle(t.command, "started")
	a.disk.say("user", t.command, obj{
		"isMeta":  true,
		"message": obj{"role": "user", "content": []any{obj{"type": "text", "text": prompt}}},
	})
	a.turn = t
	go a.run(t)
}

// orphanTurn is the turn of the real one about lost background agents: an init and an empty result.
func (a *agent) orphanTurn() {
	run := a.notices[0]
	a.notices = nil
	t := a.newTurn(nil, nil)
	t.origin = obj{"kind": "task-notification", "producer": "session-task", "runId": run}
	a.turn = t
	go a.run(t)
}
