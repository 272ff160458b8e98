package claude

import "time"

// EndRun says that the process has ended, however it did: what it has left open
// is ended, because no line of it will. The state that it returns is the one for
// the next process of the same conversation: it keeps the list of things to do,
// the mode and the cost so far.
//
// A tool call that was cut off may or may not have had its effect, and a resumed
// agent may make it again; its result says so.
func EndRun(s State, at time.Time) (State, []Item) {
	t := translation{s: s, at: at}
	for m := range t.s.d.Messages {
		t.finishMessage(m, false)
	}
	t.endCalls("The agent's process ended before this call gave a result. "+
		"It is not known whether it took effect; the agent may make the call again.", true,
		func(call) bool { return true })
	for _, k := range t.s.d.Tasks {
		k.State = "lost"
		t.draftTask(k, "The agent's process ended.")
	}
	if len(t.s.d.Tasks) > 0 {
		t.add(BackgroundTasks{})
	}
	t.s.d.Turn, t.s.d.Said, t.s.d.Notified, t.s.d.Aborted, t.s.d.Fault = false, false, false, false, fault{}
	t.s.d.Partial, t.s.d.Taken, t.s.d.Echoes = false, nil, nil // the next process may be of another version
	t.s.d.Messages, t.s.d.Calls, t.s.d.Tasks = nil, nil, nil
	return t.s, t.items
}
