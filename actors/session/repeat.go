package session

import (
	"cmp"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/session/events"
	"betcode/actors/session/repeat"
	"betcode/messages"
)

// A repeated message is sent to the agent again when the turn that answers it has ended, in the same append. Package repeat decides;
// here the prompts are accepted, and the end is announced. A prompt is an input like any other: it waits for a budget, for a slot and for
// a daemon that comes back, and is given to the agent once.

// mayRepeat reports whether a message may be repeated, if it is to be; if not, the refusal is on its way.
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
	if !r.Active() || t.s.input(repeat.Key(r)) >= 0 {
		return
	}
	next, verdict := repeat.Step(r, repeat.Answer{Text: m.Text, Failed: m.IsError, Canceled: m.StopReason == stopCanceled})
	switch verdict {
	case repeat.Again:
		t.change().Repetition = next
		t.recordInput(messages.SendInput{Key: repeat.Key(next), Client: next.Client, Content: next.Content})
	case repeat.Exhausted:
		t.endRepeat(verdict, fmt.Sprintf("the agent has not answered %s after %d prompts", r.Marker, r.Sent))
	case repeat.Failed:
		t.endRepeat(verdict, cmp.Or(m.Error, "the turn failed"))
	case repeat.Canceled:
		t.endRepeat(verdict, "the turn was cancelled")
	case repeat.Complete:
		t.endRepeat(verdict, "")
	}
}

// updateRepeat ends a repetition whose newest prompt no turn answers.
func (t *transition) updateRepeat() {
	r := t.s.record.Repetition
	switch {
	case !r.Active():
	case t.s.record.StopWanted:
		t.endRepeat(repeat.Canceled, "the session was stopped")
	case t.s.input(repeat.Key(r)) < 0 && !t.s.record.Turn && !t.s.agent.readingTranscript:
		t.endRepeat(repeat.Failed, "no turn answers the prompt")
	}
}

// endRepeat ends the repetition, if there is one.
func (t *transition) endRepeat(how repeat.Verdict, reason string) {
	if r := t.s.record.Repetition; r.Active() {
		t.change().Repetition = messages.Repetition{}
		t.emit(events.RepeatEnded(r, repeatStates[how], reason, t.now.at))
	}
}

// repeatStates are the states of the API after a verdict.
var repeatStates = map[repeat.Verdict]pb.RepeatState{
	repeat.Again:     pb.RepeatState_REPEAT_STATE_PROMPTED,
	repeat.Complete:  pb.RepeatState_REPEAT_STATE_COMPLETE,
	repeat.Exhausted: pb.RepeatState_REPEAT_STATE_EXHAUSTED,
	repeat.Failed:    pb.RepeatState_REPEAT_STATE_FAILED,
	repeat.Canceled:  pb.RepeatState_REPEAT_STATE_CANCELLED,
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
