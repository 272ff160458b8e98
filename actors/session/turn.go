package session

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/run"
	"betcode/actors/session/audit"
	"betcode/actors/session/events"
	"betcode/actors/session/repeat"
	"betcode/messages"
)

// cancelTurn interrupts the running turn. Inputs that were accepted and not begun are dropped only if there is no agent to
// interrupt.
func (t *transition) cancelTurn(from *actor.PID, m messages.CancelTurn) {
	const op = "cancel turn"
	if !t.known(from, op) || (!m.Force && !t.ensureLock(from, m.Client, op)) || !t.thawed(from, op) {
		return
	}
	t.withdrawOrphans("cancel")
	active := t.s.busy()
	if active {
		t.endRepeat(repeat.Canceled, "the turn was cancelled by "+m.Client.Shown())
		t.cancelAsked(m)
		begun := t.s.record.Turn || t.s.agentHasInput()
		heldBack := (t.s.record.Budget.Held != "" || t.s.proxied()) && !begun
		switch {
		case t.s.agent.up && !heldBack:
			t.interrupt()
		case !t.s.active() || !begun: // an agent that is being started would not know of an interrupt when it gets the message
			t.dropInputs("the turn was cancelled before the agent had begun")
			t.endTurn("cancelled")
		}
	}
	t.then(act.Reply{To: from, With: messages.TurnCanceling{WasActive: active}})
}

// cancelAsked records the client that cancels the turn, and the reason in the history if there is one. A repeated request adds
// nothing.
func (t *transition) cancelAsked(m messages.CancelTurn) {
	r := t.change()
	if r.TurnCanceled {
		return
	}
	r.TurnCanceled = true
	if m.Reason != "" {
		t.notice("TURN_CANCELLED", "The turn was cancelled: "+m.Reason, map[string]string{"client": string(m.Client), "reason": m.Reason})
	}
	t.audit(audit.Canceled(m))
}

func (t *transition) interrupt() {
	if t.s.agent.interrupt == "" {
		t.s.agent.interrupt = t.control("interrupt")
		t.sendToAgent(run.Interrupt{ID: t.s.agent.interrupt})
	}
}

// dropInputs gives up every input that is not done, and reports each.
func (t *transition) dropInputs(why string) {
	for _, in := range slices.Clone(t.s.inputs) {
		t.notice("INPUT_DROPPED", "A message was not given to the agent: "+why, map[string]string{"idempotency_key": in.Key})
		t.inputDone(in.Key)
	}
}

// endTurn closes a turn that the agent itself will not close.
func (t *transition) endTurn(reason string) {
	r := t.change()
	before, ended := r.Status, r.Turn
	if ended {
		t.emit(events.TurnComplete(reason))
	}
	t.subagentInterrupted(reason)
	r.Turn, r.TurnCanceled, r.Interruptions, r.Waiting = false, false, 0, ""
	t.s.agent.interrupted = false
	t.deliverLong()
	t.becomeIdle()
	if ended {
		t.afterTurn(before)
	}
}

// inputLong keeps a line that does not fit into the pipe until no turn runs: a kill
// in the middle of it would tear it, and a torn line ends the agent.
func (t *transition) inputLong(m run.InputTooLong) {
	if m.Run != t.s.record.Run || !t.s.inputs.Has(m.Key) {
		return
	}
	t.s.agent.long = append(slices.Clone(t.s.agent.long), m.Key)
	t.deliverLong()
}

// deliverLong writes the long lines, between durable marks, if no turn runs.
func (t *transition) deliverLong() {
	if t.s.record.Turn && !t.s.stalled() || len(t.s.agent.long) == 0 || !t.s.agent.up {
		return
	}
	for _, key := range t.s.agent.long {
		in, waits := t.s.inputs.Find(key)
		if !waits {
			panic("a long message is written that is done: " + key)
		}
		in.State, in.Run = messages.InputWriting, t.s.record.Run
		t.putInput(in)
		line, err := claude.UserLine(in.Key, in.Content, in.Attachments)
		if err != nil {
			panic("encode accepted input: " + err.Error())
		}
		t.sendToAgent(run.WriteInput{Key: key, Line: line, Long: true})
	}
	t.s.agent.long = nil
}

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
	return !s.compacting() && (s.agent.hung || s.agent.working && s.record.Turn || s.inputs.Begun(s.record.Run))
}

// expectTurn ensures that a resumed agent continues the interrupted turn: by itself, if its version does that, otherwise by a message.
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
	t.emit(events.UserInput(in, 0))
	t.putInput(in)
}

// noteAgentVersion records the agent's version. A version that begins its turn with our
// message is noted as one that does not continue by itself.
func (t *transition) noteAgentVersion(version string, inputs []string) {
	if version == "" {
		return
	}
	if t.s.record.AgentVersion != version {
		t.change().AgentVersion = version
	}
	for _, key := range inputs {
		if in, ok := t.s.inputs.Find(key); ok && in.Client == ourselves && t.now.versions.continues(version) {
			t.then(noteVersion{version})
		}
	}
}
