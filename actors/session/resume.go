package session

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/run"
	"betcode/actors/session/events"
	"betcode/messages"
)

// An interrupted turn is continued by itself a few times, or it waits for a person, or it is over: that is the session's policy,
// or the daemon's. The number of interruptions is part of the session's record, so neither crashes nor restarts of the daemon reset
// it. An end that the daemon or a person ordered does not count.

// continuationDue is the timer's message when a resumed agent has had its time to continue its turn.
type continuationDue struct{ run messages.RunNumber }

// ourselves is the client of messages that the daemon sends.
const ourselves messages.ClientID = "betcode"

// continuationPrompt asks an agent to continue that does not do so by itself.
const continuationPrompt = "Continue from where you left off."

// interruptsTurn reports whether the run that ends was working on a turn.
func (s *state) interruptsTurn() bool {
	return !s.compacting() && (s.agent.hung || s.agent.working && s.record.Turn || slices.ContainsFunc(s.inputs, func(in messages.InputRecord) bool {
		return in.State >= messages.InputStarted && in.Run == s.record.Run
	}))
}

// awaitResume blocks an interrupted turn until a person acts.
func (t *transition) awaitResume(reason, message string) {
	r := t.change()
	r.Waiting, r.Phase = reason, messages.PhaseWaiting
	message += ": betcode session resume, a message or a cancellation decides"
	details := map[string]string{"reason": reason}
	t.notice("TURN_WAITS", message, details)
	t.status(pb.AgentStatus_WAITING_FOR_USER, message)
	t.call("TURN_WAITS", message, details)
}

// continueSession continues a session that waits for a person.
func (t *transition) continueSession(from *actor.PID) {
	if !t.known(from, "continue session") {
		return
	}
	waiting := t.s.blocked() && t.s.busy() || t.s.frozen()
	t.thaw()
	if t.s.blocked() {
		t.unblock()
	}
	t.then(act.Reply{To: from, With: messages.SessionContinued{WasWaiting: waiting}})
}

// restartSession ends the agent, if it runs, and starts it again. A running turn is continued.
func (t *transition) restartSession(from *actor.PID) {
	const op = "restart session"
	if !t.known(from, op) {
		return
	}
	if t.s.record.StopWanted || t.s.ending.shutdown {
		t.then(act.Reply{To: from, With: messages.Errorf(op, messages.Unavailable, "the agent is being stopped").WithHint("try again in a moment")})
		return
	}
	t.s.ending.waiters.add(endRestart, waiter{from: from, wasRunning: t.s.active()})
	t.s.ending.restart = true
	t.unblock()
	switch {
	case t.s.active():
		t.replaceAgent(endRestart, run.StopResumable)
	case t.s.agent.readingTranscript: // what follows the end of the former run is this
	case t.s.slot.state == slotQueued:
		t.answerRestarters(true, nil)
	}
}

// expectTurn ensures that a resumed agent continues the interrupted turn: by itself, if its version does that, else by a message.
func (t *transition) expectTurn(m messages.ProcessStarted) {
	if !m.Record.Resumed || !t.s.record.Turn || t.s.agent.working {
		return
	}
	if t.now.versions.continues(t.s.record.AgentVersion) {
		t.then(act.After{Delay: t.s.options.ContinueGrace, Message: continuationDue{m.Record.Run}})
		return
	}
	t.sendContinuation()
}

// continuationLate sends that message to an agent that did not continue by itself.
func (t *transition) continuationLate(m continuationDue) {
	if t.s.agent.freezeReasons != 0 && m.run == t.s.record.Run {
		t.then(act.After{Delay: t.s.options.ContinueGrace, Message: m})
		return
	}
	if m.run == t.s.record.Run && t.s.agent.up && t.s.record.Turn && !t.s.agent.working && !t.s.replacing() && !t.s.blocked() {
		t.sendContinuation()
	}
}

// sendContinuation gives the agent the daemon's message to continue, unless it has one already. It is an input like any other:
// journaled, shown, and given once.
func (t *transition) sendContinuation() {
	if t.s.hasContinuation() {
		return
	}
	t.notice("TURN_NOT_CONTINUED", "The agent did not continue the interrupted turn by itself; the daemon asks it to", nil)
	in := messages.InputRecord{Key: t.now.id(), Content: continuationPrompt, Client: ourselves, At: t.now.at, Seq: t.s.record.Head + 1}
	t.emit(events.UserInput(in))
	t.putInput(in)
}

// noteAgentVersion notes the agent's version, and what is known of it now: one that
// begins its turn with our message did not continue by itself.
func (t *transition) noteAgentVersion(version string, inputs []string) {
	if version == "" {
		return
	}
	if t.s.record.AgentVersion != version {
		t.change().AgentVersion = version
	}
	for _, key := range inputs {
		if i := t.s.input(key); i >= 0 && t.s.inputs[i].Client == ourselves && t.now.versions.continues(version) {
			t.then(noteVersion{version})
		}
	}
}

// announceRestored announces, once, that the restored session waits for a person.
func (t *transition) announceRestored() {
	if !t.s.restored() || t.s.record.Phase == messages.PhaseWaiting {
		return
	}
	t.change().Phase = messages.PhaseWaiting
	const message = "This session was restored from a backup and does not go on by itself. " +
		"Send a message, or resume or cancel its work: betcode session resume"
	details := map[string]string{"reason": messages.WaitsRestored}
	t.notice("SESSION_RESTORED", message, details)
	t.status(pb.AgentStatus_WAITING_FOR_USER, message)
	t.call("SESSION_RESTORED", message, details)
}
