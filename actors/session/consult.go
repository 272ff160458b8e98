package session

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"betcode/actors/internal/claude/transcript"
	"betcode/actors/internal/texts"
	"betcode/actors/session/recall"
	"betcode/messages"
	"betcode/messages/visible"
)

// When an agent process is gone, its own transcript decides which messages are part of the conversation, and whether the turn has
// ended (package recall). Nothing follows the end of a run before it was read.

// readTranscript is an effect: read the transcript of the agent, for recall.Answer.
type readTranscript struct{ recall.Question }

func (readTranscript) Effect() {}

func (e readTranscript) asks(d *Deps, s *state) func() any {
	id, environment := s.id, d.Environment(s.environment())
	return func() any { return e.Read(environment, func(key string) (bool, error) { return d.Seen(id, key) }) }
}

// consultTranscript looks into the transcript before anything follows the end of a run, if
// some message may be in it. exit is nil for a run that the journal knows as
// ended.
func (t *transition) consultTranscript(exit *messages.Exit) {
	t.s.agent.exit = exit
	question, reads := recall.Ask(&t.s.record, t.s.inputs)
	if !reads {
		t.resume(recall.Answer{})
		return
	}
	t.s.agent.readingTranscript = true
	t.then(readTranscript{question})
}

func (t *transition) transcriptRead(m recall.Answer) {
	if m.Run != t.s.record.Run || !t.s.agent.readingTranscript {
		return
	}
	t.s.agent.readingTranscript, t.s.agent.transcriptMissing = false, !m.Found && m.Err == nil
	if m.Err != nil {
		t.notice("TRANSCRIPT_UNREADABLE", "The agent's transcript cannot be read; messages that may be in it are given again", nil)
	}
	if t.s.endReason().Final() {
		t.follow(messages.Exit{Known: true})
		return
	}
	crashed := t.s.record.Restored && t.s.agent.exit != nil
	t.resume(m)
	if crashed {
		t.maybeRetire() // it did not while the transcript was read
	}
}

// resume marks the inputs that are in the transcript as done and the others as undelivered, then decides what follows.
func (t *transition) resume(m recall.Answer) {
	v := recall.Judge(recall.Work{
		Inputs: t.s.inputs, Turn: t.s.record.Turn, InTranscript: len(t.s.record.InterruptedKeys) > 0, Compacting: t.s.compacting(),
	}, m)
	if v.Turn != t.s.record.Turn {
		t.change().Turn = v.Turn
	}
	for _, key := range v.Done {
		r := t.change()
		r.InterruptedKeys = append(slices.Clone(r.InterruptedKeys), key)
		t.inputDone(key)
	}
	for _, in := range v.Undelivered {
		t.putInput(in)
	}
	t.s.agent.interruptedInputs, t.s.agent.interrupted = v.Begun, t.s.agent.hung || v.Interrupted
	if v.Over {
		t.endUnseenTurn(m.End)
	}
	t.compared(m.Lacking, m.Path)
	if t.s.record.TurnCanceled && t.s.agent.interrupted {
		t.cancelInterrupted()
	}
	if exit := t.s.agent.exit; exit != nil {
		t.s.agent.exit = nil
		t.follow(*exit)
		return
	}
	if !t.s.busy() && t.s.blocked() {
		t.maybeRetire()
		return
	}
	t.afterRun()
}

// endUnseenTurn ends a turn that is over in the transcript, where its messages are, but not in the journal.
func (t *transition) endUnseenTurn(end transcript.End) {
	r := t.change()
	waiting := r.Waiting
	t.withdrawOrphans("agent")
	t.notice("TURN_ENDED_UNSEEN", "The turn has ended, as the agent's transcript shows; it is not continued", map[string]string{"stop_reason": end.Reason})
	r.InTranscript = true
	t.endTurn(end.Reason)
	t.subagentEndedUnseen(end)
	t.s.agent.hung = false
	if t.s.busy() {
		r.Waiting = waiting // for other work
	}
}

// subagentEndedUnseen is subagentTurnEnded for a turn whose end only the transcript has.
func (t *transition) subagentEndedUnseen(end transcript.End) {
	switch end.Reason {
	case transcript.Cancelled:
		t.subagentTurnEnded(messages.SubagentCancelled, "the turn was cancelled")
	case transcript.Failed:
		t.subagentTurnEnded(messages.SubagentFailed, end.Text)
	default:
		t.subagentTurnEnded(messages.SubagentCompleted, end.Text)
	}
}

// compared reports the messages that a restored journal lacks, once. A session without work then waits for no person.
func (t *transition) compared(lacking []transcript.Prompt, path string) {
	if t.s.record.Restored {
		t.change().Restored = false
	}
	if t.s.restored() && !t.s.busy() {
		t.change().Waiting = ""
	}
	n := len(lacking)
	if n == 0 {
		return
	}
	path = visible.Line(path) // the path comes from an agent's command: it may have control characters
	details := map[string]string{"messages": strconv.Itoa(n), "transcript": path}
	first, last := lacking[0].At, lacking[n-1].At
	if !first.IsZero() && !last.IsZero() {
		details["first_at"], details["last_at"] = first.UTC().Format(time.RFC3339), last.UTC().Format(time.RFC3339)
	}
	t.notice("JOURNAL_BEHIND", fmt.Sprintf("The agent remembers %d messages that are newer than the backup, and what it answered. "+
		"This history does not have them; the agent's transcript does: %s", n, texts.Shorten(path, maxShown)), details)
}

// cancelInterrupted ends a cancelled turn whose agent is gone: the next agent neither continues nor repeats it.
func (t *transition) cancelInterrupted() {
	for _, key := range t.s.agent.interruptedInputs {
		t.notice("INPUT_DROPPED", "A message is not given to the agent again: its turn was cancelled", map[string]string{"idempotency_key": key})
		t.inputDone(key)
	}
	t.s.agent.interruptedInputs, t.s.agent.hung = nil, false
	t.change().Turn = true // endTurn announces the end of a turn that runs
	t.endTurn("cancelled")
}
