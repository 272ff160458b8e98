package session

import (
	"slices"
	"strconv"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/title"
	"betcode/actors/run"
	"betcode/actors/session/compaction"
	"betcode/actors/session/events"
	"betcode/actors/session/repeat"
	"betcode/actors/session/requests"
	"betcode/messages"
)

// How work begins and ends in the records of the session: messages, exchanges and compactions, and the status and the phase that
// follow.

// recordInput journals a message.
func (t *transition) recordInput(m messages.SendInput) messages.InputRecord {
	in := messages.InputRecord{Key: m.Key, Content: m.Content, Attachments: m.Attachments, Client: m.Client, At: t.now.at}
	t.exchangeBegins()
	iteration := repeat.Iteration(t.s.record.Repetition, m.Key)
	if iteration > 0 {
		t.emit(events.Prompted(t.s.record.Repetition))
	}
	in.Seq, in.Number = t.s.record.Head+1, t.nextProxyInput()
	t.emit(events.UserInput(in, iteration))
	t.putInput(in)
	t.recordResult(requests.Key{Name: m.Key, Digest: m.Digest}, messages.InputAcknowledged{Key: in.Key, Seq: in.Seq})
	r := t.change()
	if r.Messages == 0 && in.Client != ourselves {
		r.Title = title.Of(in.Content)
	}
	r.Messages++
	r.Phase, r.Stopped = messages.PhaseActive, messages.Stopped{}
	return in
}

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

// inputDone removes an input: the agent's transcript contains it, or it is given up.
func (t *transition) inputDone(key string) {
	next, known := t.s.inputs.Remove(key)
	if !known {
		return
	}
	t.s.inputs = next
	t.s.agent.long = slices.DeleteFunc(slices.Clone(t.s.agent.long), func(k string) bool { return k == key })
	t.append.Inputs = slices.DeleteFunc(t.append.Inputs, func(in messages.InputRecord) bool { return in.Key == key })
	t.append.Done = append(t.append.Done, key)
	t.dirty = true
	t.compactionSettled(key)
}

// compactionSettled ends the compaction after its message is done. The agent does not get that message again.
func (t *transition) compactionSettled(key string) {
	if c := &t.s.record.Past.Compaction; t.s.compacting() && c.Key == key {
		t.endCompaction(compaction.Failure(c))
	}
}

// endCompaction moves the boundary, or reports why it does not move, and answers the callers that wait.
func (t *transition) endCompaction(failure string) {
	r := t.change()
	compaction.End(&r.Past, failure, r.Messages)
	c := &r.Past.Compaction
	if failure == "" {
		t.notice("HISTORY_COMPACTED", "The history up to here is no longer replayed, except for the last exchange", map[string]string{
			"boundary": strconv.FormatUint(uint64(c.To.Seq), 10), "trigger": c.Trigger,
			"messages_before": strconv.FormatUint(uint64(c.MessagesBefore), 10),
			"messages_after":  strconv.FormatUint(uint64(c.MessagesAfter), 10),
		})
	} else {
		t.emit(events.Error(messages.CompactionFailed, "Session compaction failed: "+failure, map[string]string{"trigger": c.Trigger}))
	}
	for _, from := range t.s.compaction.waiting {
		t.then(act.Reply{To: from, With: compaction.Outcome(c)})
	}
	t.s.compaction.waiting = nil
	if !t.s.busy() && r.Phase != messages.PhaseCrashed {
		t.becomeIdle()
	}
}

// exchangeBegins records where an exchange begins: with the event that ends the idleness.
func (t *transition) exchangeBegins() {
	if !t.s.busy() || (t.s.compacting() && !t.s.record.Turn && len(t.s.inputs) == 1) {
		t.change().Past.Begun = messages.Place{Seq: t.s.record.Head, Messages: t.s.record.Messages}
	}
}

// exchangeEnds records that an exchange is complete, and the present size of the
// model's context.
func (t *transition) exchangeEnds(m claude.TurnEnded) {
	p := &t.change().Past
	if m.ContextTokens > 0 {
		p.ContextTokens = m.ContextTokens
	}
	if m.ContextWindow > 0 {
		p.ContextWindow = m.ContextWindow
	}
	if !m.IsError && !m.LocalCommand && m.StopReason == "end_turn" && !t.s.compacting() {
		p.Exchange, t.s.compaction.due = p.Begun, true
	}
}
