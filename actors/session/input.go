package session

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
	"betcode/actors/run"
	"betcode/actors/session/budget"
	"betcode/actors/session/ending"
	"betcode/actors/session/requests"
	"betcode/messages"
)

// sendInput accepts a user message: it is journaled before anything else, its
// UserInput event is the acknowledgement, and only then it goes to the agent.
func (t *transition) sendInput(from *actor.PID, m messages.SendInput) {
	const op = "send input"
	if !t.known(from, op) {
		return
	}
	if t.repeated(from, m) || !t.thawed(from, op) {
		return
	}
	if t.s.record.StopWanted {
		t.then(act.Reply{To: from, With: ending.StoppingError(op, "send the message again")})
		return
	}
	if !t.ensureLock(from, m.Client, op) || !t.roomFor(from, op) || t.costReached(from, op) {
		return
	}
	if err := claude.CheckInput(m.Content, m.Attachments); err != nil {
		t.then(act.Reply{To: from, With: messages.AsError(op, err)})
		return
	}
	if !t.mayRepeat(from, op, m) {
		return
	}
	if !t.s.paused() && !t.s.active() && (!t.s.slot.Promised()) {
		t.s.slot.admissions = append(slices.Clip(t.s.slot.admissions), admission{from, m})
		t.wantSlot()
		return
	}
	t.acceptInput(from, m)
}

// costReached refuses a message to a session whose agents have cost all that they may. It reports whether it did.
func (t *transition) costReached(from *actor.PID, op string) bool {
	most, spent := t.s.agentOptions().MaxBudgetUSD, t.s.record.Usage.CostUSD
	if most == 0 || spent < most {
		return false
	}
	t.then(act.Reply{To: from, With: budget.CostError(op, t.s.id, spent, most)})
	return true
}

// repeated reports whether a message has come before; if so, its answer is on its way.
func (t *transition) repeated(from *actor.PID, m messages.SendInput) bool {
	key := requests.Key{Name: m.Key, Digest: m.Digest}
	answer, used := t.s.ledger.Find("send input", key)
	if i := t.s.input(m.Key); i >= 0 && !used { // from before a crash
		in := t.s.inputs[i]
		was := messages.Remembered{Digest: requests.InputDigest(in.Content, in.Attachments, nil)}
		if t.s.iteration(m.Key) > 0 {
			was.Digest = nil // directions were appended
		}
		answer, used = requests.Repeat("send input", key, was, messages.InputAcknowledged{Key: in.Key, Seq: in.Seq}), true
	}
	if used {
		t.then(act.Reply{To: from, With: answer})
	}
	return used
}

// acceptInput journals a message that was found good, and acknowledges it.
func (t *transition) acceptInput(from *actor.PID, m messages.SendInput) {
	in := t.takeInput(t.beginRepeat(m))
	t.then(act.Reply{To: from, With: messages.InputAcknowledged{Key: in.Key, Seq: in.Seq}})
}

// takeInput journals a message of a person.
func (t *transition) takeInput(m messages.SendInput) messages.InputRecord {
	in := t.recordInput(m)
	t.unblock() // a person has looked: try again
	t.change().Budget.Refused = false
	return in
}

// deliver gives the run the inputs that it does not have yet. The agent's answer, or the run's report that the line is written,
// follows.
func (t *transition) deliver() {
	if t.s.agent.barrier != "" || t.s.record.StopWanted || t.s.replacing() || t.trustUnchecked() {
		return
	}
	for _, in := range t.s.inputs {
		if in.State != messages.InputAccepted || in.Run == t.s.record.Run || ((t.s.compacting() || t.s.paused()) && in.Key != t.s.record.Past.Compaction.Key) {
			continue
		}
		in.Run = t.s.record.Run
		t.s.attended = false
		t.s.agent.trust.Given()
		t.keepInput(in)
		line, err := claude.UserLine(in.Key, in.Content, in.Attachments)
		if err != nil { // it was encoded once before: cannot be
			panic("encode accepted input: " + err.Error())
		}
		t.sendToAgent(run.WriteInput{Key: in.Key, Line: line})
	}
}

func (t *transition) inputWritten(m messages.InputWrittenTo) {
	i := t.s.input(m.Key)
	if i < 0 || m.Run != t.s.record.Run {
		return // settled meanwhile, or an earlier run, reporting late
	}
	if in := t.s.inputs[i]; in.State < messages.InputWritten {
		in.State, in.Run = messages.InputWritten, m.Run
		t.putInput(in)
	}
}

// inputState follows the agent's reports about a message (wire notes, section 6).
func (t *transition) inputState(m claude.InputState) {
	i := t.s.input(m.Key)
	if i < 0 {
		if t.foreignInput(m) {
			t.forgedInput(map[string]string{"idempotency_key": texts.Shorten(m.Key, maxShown)})
		}
		return
	}
	in := t.s.inputs[i]
	switch m.State {
	case claude.Queued:
		in.State = max(in.State, messages.InputQueued)
		t.putInput(in)
	case claude.Started:
		in.State = messages.InputStarted
		if t.s.record.Turn && t.s.agent.working {
			in.State = messages.InputFolded
		}
		t.putInput(in)
	case claude.Canceled:
		t.inputDone(in.Key)
		t.becomeIdle()
	case claude.Completed:
		// Completed without started: it was in the agent's memory already.
		// Completed after its turn's result: nothing more will come.
		if in.State < messages.InputStarted {
			t.notice("INPUT_KNOWN", "The agent knows this message already; no answer follows", map[string]string{"idempotency_key": in.Key})
		}
		if in.State < messages.InputStarted || !t.s.record.Turn {
			t.inputDone(in.Key)
			t.becomeIdle()
		}
	}
}
