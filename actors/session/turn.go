package session

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/run"
	"betcode/actors/session/events"
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
		t.cancelAsked(m)
		if t.s.agent.up {
			t.interrupt()
		} else if !t.s.active() {
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
	t.auditCanceled(m)
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
	r.Turn, r.TurnCanceled, r.Interruptions, r.Waiting = false, false, 0, ""
	t.s.agent.interrupted = false
	t.deliverLong()
	t.becomeIdle()
	if ended {
		t.afterTurn(before)
	}
}

// inputLong keeps a line that does not fit into the pipe for a moment without a
// turn: a kill in the middle of it would tear it, and a inputTorn line ends the agent.
func (t *transition) inputLong(m run.InputTooLong) {
	if m.Run != t.s.record.Run || t.s.input(m.Key) < 0 {
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
		in := t.s.inputs[t.s.input(key)]
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
