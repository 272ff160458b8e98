package session

import (
	"slices"
	"strconv"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/run"
	"betcode/actors/session/events"
	"betcode/messages"
)

// interruptOver reports to the run that the interrupted turn has ended.
func (t *transition) interruptOver() {
	if t.s.agent.interrupt != "" {
		t.sendToAgent(run.InterruptDone{ID: t.s.agent.interrupt})
		t.s.agent.interrupt = ""
	}
}

// afterTurn ensures that a status follows every TurnComplete: THINKING when a message is
// queued or a background task runs, else IDLE. Clients show that status. before is the last
// published status when the turn ended.
func (t *transition) afterTurn(before string) {
	r := t.change()
	if r.Status != before || r.Condition != "" {
		return // it was announced
	}
	status := pb.AgentStatus_THINKING
	if !t.s.busy() && len(r.Background) == 0 {
		status = pb.AgentStatus_IDLE
	}
	r.Status = status.String()
	t.emit(events.Status(status, ""))
	if t.s.prompts.AgentWaits() {
		t.status(pb.AgentStatus_WAITING_FOR_USER, "")
	}
}

// becomeIdle sets the phase and the status of a session without work.
func (t *transition) becomeIdle() {
	r := t.change()
	if t.s.busy() {
		return
	}
	r.TurnCanceled = false
	t.interruptOver()
	if len(r.Background) > 0 || r.Condition != "" {
		return
	}
	r.Phase = messages.PhaseIdle
	t.status(pb.AgentStatus_IDLE, "")
}

// inputDone forgets an input: it is in the agent's memory, or given up.
func (t *transition) inputDone(key string) {
	i := t.s.input(key)
	if i < 0 {
		return
	}
	t.s.inputs = slices.Delete(slices.Clone(t.s.inputs), i, i+1)
	t.s.agent.long = slices.DeleteFunc(slices.Clone(t.s.agent.long), func(k string) bool { return k == key })
	t.append.Inputs = slices.DeleteFunc(t.append.Inputs, func(in messages.InputRecord) bool { return in.Key == key })
	t.append.Settled = append(t.append.Settled, key)
	t.dirty = true
	t.compactionSettled(key)
}

// compactionSettled ends the compaction whose message is done. The agent does not get that message again.
func (t *transition) compactionSettled(key string) {
	c := t.s.record.Past.Compaction
	switch {
	case !t.s.compacting() || c.Key != key:
		return
	case c.Failure != "":
		t.endCompaction(c.Failure)
	case !c.Summarized:
		t.endCompaction("the agent did not get to it")
	default:
		t.endCompaction("")
	}
}

// endCompaction moves the boundary, or reports why it does not move, and answers the callers that wait.
func (t *transition) endCompaction(failure string) {
	r := t.change()
	p, c := &r.Past, &r.Past.Compaction
	if failure == "" {
		c.Phase, c.Failure = messages.CompactionDone, ""
		p.Boundary = c.To
		c.MessagesAfter = r.Messages - p.Boundary.Messages
		t.notice("HISTORY_COMPACTED", "The history up to here is no longer replayed, except for the last exchange", map[string]string{
			"boundary": strconv.FormatUint(uint64(p.Boundary.Seq), 10), "trigger": c.Trigger,
			"messages_before": strconv.FormatUint(uint64(c.MessagesBefore), 10),
			"messages_after":  strconv.FormatUint(uint64(c.MessagesAfter), 10),
		})
	} else {
		c.Phase, c.Failure = messages.CompactionUndone, failure
		c.TokensAfter = c.TokensBefore
		t.emit(events.Error(messages.CompactionFailed, "Session compaction failed: "+failure, map[string]string{"trigger": c.Trigger}))
	}
	for _, from := range t.s.compaction.waiting {
		t.then(act.Reply{To: from, With: compactionOutcome(c)})
	}
	t.s.compaction.waiting = nil
	if !t.s.busy() && r.Phase != messages.PhaseCrashed {
		t.becomeIdle()
	}
}

// compactionOutcome returns the reply to a caller that asked for a compaction.
func compactionOutcome(c *messages.Compaction) any {
	if c.Phase == messages.CompactionUndone {
		return messages.Errorf("compact session", messages.Internal, "session compaction failed: %s", c.Failure).
			WithCode(messages.CompactionFailed).WithHint("nothing has changed; try again under another key")
	}
	return messages.SessionCompacted{
		Done: c.Phase == messages.CompactionDone, Boundary: c.To.Seq, MessagesBefore: c.MessagesBefore, MessagesAfter: c.MessagesAfter,
		TokensBefore: c.TokensBefore, TokensAfter: c.TokensAfter,
	}
}
