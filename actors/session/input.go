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
	"betcode/actors/session/events"
	"betcode/actors/session/inputs"
	"betcode/actors/session/repeat"
	"betcode/actors/session/requests"
	"betcode/messages"
)

// Messages of people: they are accepted, repeated, and given to the agent (package inputs).

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

// costReached refuses a message to a session whose agents have reached the limit of their cost. It reports whether it did.
func (t *transition) costReached(from *actor.PID, op string) bool {
	most, spent := t.s.agentOptions().MaxBudgetUSD, t.s.record.Usage.CostUSD
	if most == 0 || spent < most {
		return false
	}
	t.then(act.Reply{To: from, With: budget.CostError(op, t.s.id, spent, most)})
	return true
}

// repeated reports whether a message has arrived before; if so, its answer is pending.
func (t *transition) repeated(from *actor.PID, m messages.SendInput) bool {
	key := requests.Key{Name: m.Key, Digest: m.Digest}
	answer, used := t.s.ledger.Find("send input", key)
	if in, waits := t.s.inputs.Find(m.Key); waits && !used { // from before a crash
		was := messages.StoredResult{Digest: requests.InputDigest(in.Content, in.Attachments, nil)}
		if repeat.Iteration(t.s.record.Repetition, m.Key) > 0 {
			was.Digest = nil // directions were appended
		}
		answer, used = requests.Repeat("send input", key, was, messages.InputAcknowledged{Key: in.Key, Seq: in.Seq}), true
	}
	if used {
		t.then(act.Reply{To: from, With: answer})
	}
	return used
}

// acceptInput journals a message that has passed the checks, and acknowledges it.
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
	held := t.s.compacting() || t.s.paused()
	for _, in := range t.s.inputs.Due(t.s.record.Run) {
		if held && in.Key != t.s.record.Past.Compaction.Key {
			continue
		}
		in.Run = t.s.record.Run
		t.s.attended = false
		t.s.agent.trust.Given()
		t.keepInput(in)
		line, err := claude.UserLine(in.Key, in.Content, in.Attachments)
		if err != nil { // impossible: it was encoded before
			panic("encode accepted input: " + err.Error())
		}
		t.sendToAgent(run.WriteInput{Key: in.Key, Line: line})
	}
}

func (t *transition) inputWritten(m messages.InputWrittenTo) {
	in, ok := t.s.inputs.Find(m.Key)
	if !ok || m.Run != t.s.record.Run || in.State >= messages.InputWritten {
		return // done meanwhile, or a late report of an earlier run
	}
	in.State, in.Run = messages.InputWritten, m.Run
	t.putInput(in)
}

// inputState follows the agent's reports about a message.
func (t *transition) inputState(m claude.InputState) {
	in, ok := t.s.inputs.Find(m.Key)
	if !ok {
		if t.foreignInput(m) {
			t.forgedInput(map[string]string{"idempotency_key": texts.Shorten(m.Key, maxShown)})
		}
		return
	}
	in, verdict := inputs.Reported(in, m.State, t.s.record.Turn, t.s.agent.working)
	switch verdict {
	case inputs.Moves:
		t.putInput(in)
	case inputs.Known:
		t.notice("INPUT_KNOWN", "The agent knows this message already; no answer follows", map[string]string{"idempotency_key": in.Key})
		t.inputDone(in.Key)
		t.becomeIdle()
	case inputs.Done:
		t.inputDone(in.Key)
		t.becomeIdle()
	case inputs.Stays:
	}
}

// A repeated message is sent to the agent again when the turn that answers it has ended, in the same append. Package repeat decides;
// here the prompts are accepted, and the end is announced. A prompt is an input like any other: it waits for a budget, for a slot and for
// a daemon that comes back, and is given to the agent once.

// mayRepeat reports whether a message may be repeated, if it is to be; if not, the refusal is pending.
func (t *transition) mayRepeat(from *actor.PID, op string, m messages.SendInput) bool {
	if m.Repeat == nil {
		return true
	}
	refusal := repeat.Check(op, m)
	if r := t.s.record.Repetition; refusal == nil && r.Active() {
		refusal = repeat.BusyError(op, t.s.id, r)
	}
	if refusal == nil {
		return true
	}
	t.then(act.Reply{To: from, With: refusal})
	return false
}

// beginRepeat notes that a message is to be repeated, and returns its first prompt.
func (t *transition) beginRepeat(m messages.SendInput) messages.SendInput {
	if m.Repeat == nil {
		return m
	}
	r := repeat.Begin(m, act.Wall(t.now.at))
	t.change().Repetition = r
	m.Content = r.Content
	return m
}

// repeatAnswered accepts the next prompt if the turn that has ended answered the newest one. A prompt that is in the transcript
// of an agent that was killed has no input any more: the turn that another agent continues answers it.
func (t *transition) repeatAnswered(m claude.TurnEnded) {
	r := t.s.record.Repetition
	if !r.Active() || t.s.inputs.Has(repeat.Key(r)) {
		return
	}
	next, verdict := repeat.Step(r, repeat.Answer{Text: m.Text, Failed: m.IsError, Canceled: m.StopReason == stopCanceled})
	if verdict != repeat.Again {
		t.endRepeat(verdict, repeat.Why(r, verdict, m.Error))
		return
	}
	t.change().Repetition = next
	t.recordInput(messages.SendInput{Key: repeat.Key(next), Client: next.Client, Content: next.Content})
}

// updateRepeat ends a repetition whose newest prompt no turn answers.
func (t *transition) updateRepeat() {
	r := t.s.record.Repetition
	switch {
	case !r.Active():
	case t.s.record.StopWanted:
		t.endRepeat(repeat.Canceled, "the session was stopped")
	case !t.s.inputs.Has(repeat.Key(r)) && !t.s.record.Turn && !t.s.agent.readingTranscript:
		t.endRepeat(repeat.Failed, "no turn answers the prompt")
	}
}

// endRepeat ends the repetition, if there is one.
func (t *transition) endRepeat(how repeat.Verdict, reason string) {
	if r := t.s.record.Repetition; r.Active() {
		t.change().Repetition = messages.Repetition{}
		t.emit(events.RepeatEnded(r, how, reason, t.now.at))
	}
}

// stopRepeat ends the repetition for a client. The turn that runs goes on.
func (t *transition) stopRepeat(from *actor.PID, m messages.StopRepeat) {
	if !t.known(from, "stop repeat") {
		return
	}
	answer := messages.RepeatStopped{WasRepeating: t.s.record.Repetition.Active(), Iteration: t.s.record.Repetition.Sent}
	t.endRepeat(repeat.Canceled, "ended by "+m.Client.Shown())
	t.then(act.Reply{To: from, With: answer})
}
