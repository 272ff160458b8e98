package session

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/actors/session/audit"
	"betcode/actors/session/day"
	"betcode/actors/session/ending"
	"betcode/actors/session/events"
	"betcode/actors/session/prompts"
	"betcode/actors/session/slot"
	"betcode/messages"
)

// A stop is final and has priority over everything: the supervisor, a restart under way,
// and a journal that cannot be written. In that case the stop is saved beside the journal
// (see [SavedStops]), and the rebuilt session, or that of the next daemon, journals it with
// its first append.

// saveStop has the stop saved beside the journal; stopSaved is its result. dropSavedStop removes it, since the journal has
// the stop.
type (
	saveStop      struct{ run messages.RunNumber }
	stopSaved     struct{ err error }
	dropSavedStop struct{}
)

func (saveStop) Effect()      {}
func (dropSavedStop) Effect() {}

func (e saveStop) asks(d *Deps, s *state) func() any {
	stops, id := d.Stops, s.id
	stops.Want(id, e.run)
	return func() any { return stopSaved{stops.Save(id)} }
}

// stopSession ends the agent for good: no restart, no continuation.
func (t *transition) stopSession(from *actor.PID, client messages.ClientID) {
	if !t.known(from, "stop session") {
		return
	}
	t.s.ending.Waiters.Add(ending.Stop, waiter{from, t.s.active(), client})
	r := t.change()
	r.StopWanted, r.Stopped = true, messages.Stopped{By: client, At: t.now.at}
	if t.s.durable.failure != nil {
		t.s.ending.SavingStop = true
		t.then(saveStop{t.s.record.Run})
	}
	if t.s.active() {
		t.stopRun()
		return
	}
	t.stopped()
}

// stopRun begins to end the agent: when the stop is durable, or at once if it cannot
// become durable.
func (t *transition) stopRun() {
	t.change().StopWanted = true
	t.sendToAgent(run.Stop{How: run.StopOrderly})
}

// stopped ends the session's work and answers the callers of a stop, when the agent is gone.
func (t *transition) stopped() {
	if t.s.ending.SavingStop {
		return // until it is known whether the stop could be saved
	}
	asked := t.s.ending.Waiters.Take(ending.Stop)
	t.auditComplete("stop", asked)
	t.notRestarted("the session was stopped")
	t.dropInputs("the session was stopped")
	t.withdrawOrphans("stop")
	t.endTurn("cancelled")
	t.change().StopWanted = false
	for _, w := range asked {
		t.then(act.Reply{To: w.from, With: messages.SessionStopped{WasRunning: w.wasRunning}})
	}
	t.maybeRetire()
}

// stopSaved takes the result of saving a stop beside the journal. If it could not be saved, the agent is ended all the same, and
// its callers get an error that the stop may be lost.
func (t *transition) stopSaved(m stopSaved) {
	t.s.ending.SavingStop = false
	if m.err != nil {
		for _, w := range t.s.ending.Waiters.Take(ending.Stop) {
			t.then(act.Reply{To: w.from, With: ending.UnsavedError(t.s.id, m.err)})
		}
	}
	if t.s.record.StopWanted && !t.s.active() {
		t.stopped()
	}
}

// applySavedStop takes over a stop that was saved beside the journal. One that is older than the newest run was carried out before
// that run.
func (t *transition) applySavedStop() {
	if !t.now.stopSaved {
		return
	}
	if t.s.exists && t.s.record.Run <= t.now.savedStop {
		r := t.change()
		r.StopWanted, r.Stopped = true, messages.Stopped{At: t.now.at} // the file does not say by whom
	}
	t.then(dropSavedStop{})
}

// deleteSession stops the agent, then removes everything.
func (t *transition) deleteSession(from *actor.PID, client messages.ClientID) {
	if !t.known(from, "delete session") {
		return
	}
	t.s.ending.Waiters.Add(ending.Delete, waiter{from: from, client: client})
	if t.s.active() {
		t.stopRun()
		return
	}
	t.remove()
}

// remove deletes the session, withdraws its requests and ends its streams.
func (t *transition) remove() {
	for _, p := range t.s.prompts.List(func(p messages.PermissionRecord) bool { return prompts.Undecided(p) || p.Orphaned() }) {
		t.then(dropPermission{p.Request})
	}
	last := t.s.record
	t.append.Delete, t.append.Record, t.append.Events, t.dirty = true, &last, nil, true // nothing of it is ever shown
	t.auditComplete("delete", t.s.ending.Waiters[ending.Delete])
	t.publishUnnumbered(events.Closed())
	for _, w := range t.s.ending.Waiters[ending.Delete] {
		t.then(act.Reply{To: w.from, With: messages.Done{}})
	}
	for _, id := range t.s.clients.IDs() {
		t.then(dropClient{id})
	}
	if t.s.slot.State() != slot.None {
		t.then(sendToPool{pool.Release{Session: t.s.id}})
	}
	t.notRestarted("the session was deleted")
	t.then(forget{t.s.runsDirectory()}, retire{})
	for _, from := range append(t.s.waitingCallers(), t.s.compaction.waiting...) {
		t.then(act.Reply{To: from, With: messages.Errorf("find session", messages.NotFound, "session %s was deleted", t.s.id).WithCode(messages.SessionClosed)})
	}
	t.stopForwarding()
	t.leaveFamily()
	t.then(sendToDay{day.Last(t.s.id, t.s.record.Budget)})
	bare := t.s.slot.Bare()
	t.s = t.s.afterEnd(t.s.durable.Log)
	t.s.slot.Slot = bare
}

// restartSession ends the agent, if it runs, and starts it again. A running turn is continued.
func (t *transition) restartSession(from *actor.PID) {
	const op = "restart session"
	if !t.known(from, op) {
		return
	}
	if t.s.record.StopWanted || t.s.ending.Shutdown {
		t.then(act.Reply{To: from, With: ending.StoppingError(op, "try again")})
		return
	}
	t.s.ending.Waiters.Add(ending.Restart, waiter{from: from, wasRunning: t.s.active()})
	t.s.ending.Restart = true
	t.unblock()
	switch {
	case t.s.active():
		t.replaceAgent(ending.Restart, run.StopResumable)
	case t.s.agent.readingTranscript: // what follows the end of the former run is this
	case t.s.slot.State() == slot.Queued:
		t.answerRestarters(true, nil)
	}
}

// fleetStopped ends the agent of a session, because the fleet is stopped. A turn is continued when the fleet is resumed: that end
// does not count as an interruption. An agent that an alarm has frozen stays as it is, for a person to decide.
func (t *transition) fleetStopped() {
	t.s.slot.Take()
	if !t.s.active() || t.s.replacing() || t.s.endReason().Final() || t.s.frozen() {
		return
	}
	t.notice("FLEET_STOPPED", "The fleet was stopped; 'betcode fleet resume' starts the agent again if it has work", nil)
	if !t.s.agent.up { // processStarted ends it
		t.s.agent.ending = ending.Fleet
		return
	}
	t.replaceAgent(ending.Fleet, run.StopResumable)
}

// auditComplete reports that a session was stopped or deleted, for the first caller that asked.
func (t *transition) auditComplete(how string, asked []waiter) {
	var by messages.ClientID
	if len(asked) > 0 {
		by = asked[0].client
	}
	t.audit(audit.Complete(how, by, t.s.inputs.Author()))
}
