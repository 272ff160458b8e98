package session

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/asynkron/protoactor-go/actor"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/process"
	"betcode/actors/run"
	"betcode/actors/session/audit"
	"betcode/actors/session/subagent"
	"betcode/messages"
)

// subagentDue is the timer's message when the time of a subagent is over.
type subagentDue struct{}

// subagentEnded is an effect: the end of a subagent is durable.
type subagentEnded struct{ record messages.SessionRecord }

func (subagentEnded) Effect() {}

// beginSubagent creates the session of a subagent with its first message, in one append.
func (t *transition) beginSubagent(from *actor.PID, m messages.BeginSubagent) {
	const op = "spawn subagent"
	answer := messages.SubagentSpawned{Subagent: t.s.id, Fenced: m.Fenced}
	if t.s.exists {
		if known := t.s.record.Subagent; known == nil || !bytes.Equal(known.Digest, m.Subagent.Digest) {
			t.then(act.Reply{To: from, With: messages.Errorf(op, messages.AlreadyExists, "there is another session %s", t.s.id).
				With("session_id", string(t.s.id)).WithHint("leave subagent_id empty, or give a new one")})
			return
		}
		t.then(act.Reply{To: from, With: answer})
		return
	}
	if !t.roomFor(from, op) {
		return
	}
	if err := claude.CheckInput(m.Prompt, nil); err != nil {
		t.then(act.Reply{To: from, With: messages.AsError(op, err)})
		return
	}
	t.create(m.Start)
	r := t.change()
	r.Environment, r.Grants = m.Start.Environment, m.Grants
	t.subagentChanged(m.Subagent)
	t.emit(&pb.AgentEvent{Event: &pb.AgentEvent_Subagent{Subagent: &pb.SubagentChange{
		Status: messages.SubagentPending.String(), ParentSessionId: string(m.Subagent.Parent), Model: m.Start.Model,
	}}})
	t.takeInput(messages.SendInput{Key: m.Key, Content: m.Prompt, Client: m.Start.Client})
	t.watchSubagent()
	t.askAbove()
	t.auditSpawned(m)
	t.then(act.Reply{To: from, With: answer})
}

// watchSubagent sets a timer for the end of the subagent's time.
func (t *transition) watchSubagent() {
	if !t.s.subagentLives() {
		return
	}
	if at, _ := subagent.Due(*t.s.record.Subagent); !at.IsZero() {
		t.then(act.After{Delay: max(0, at.Sub(t.now.at)), Message: subagentDue{}})
	}
}

// subagentLate ends a subagent whose time is over.
func (t *transition) subagentLate() {
	if !t.s.subagentLives() || t.s.record.StopWanted {
		return
	}
	at, what := subagent.Due(*t.s.record.Subagent)
	switch {
	case at.IsZero():
	case t.now.at.Before(at): // the clock was changed, or auto-approve was revoked
		t.watchSubagent()
	default:
		why := what + " is over"
		e := t.subagentEntry(messages.AuditSubagentTimeout)
		e.Outcome, e.ErrorMessage = messages.OutcomeTimeout, why
		t.audit(e)
		t.endSubagent(messages.SubagentEnding{Status: messages.SubagentFailed, Reason: why}, run.StopTerminate)
	}
}

// endSubagent ends the agent, and the subagent when that has gone.
func (t *transition) endSubagent(e messages.SubagentEnding, how run.StopKind) {
	next := *t.s.record.Subagent
	next.Ending = e
	if next.Auto.Given && !next.Auto.Revoked {
		next = subagent.Revoked(next, "", e.Reason)
	}
	t.subagentChanged(next)
	t.change().StopWanted = true
	if t.s.active() {
		t.sendToAgent(run.Stop{How: how})
		return
	}
	t.stopped()
}

// sendToSubagent is sendInput for a subagent that has not ended.
func (t *transition) sendToSubagent(from *actor.PID, m messages.SendToSubagent) {
	const op = "send to subagent"
	if !t.isSubagent(from, op) || t.repeated(from, m.Input) {
		return
	}
	if r := t.s.record.Subagent; r.Status.Final() {
		t.then(act.Reply{To: from, With: messages.Errorf(op, messages.WrongState, "the subagent has ended: %s", r.Status).
			With("session_id", string(t.s.id)).WithHint("spawn another one, or go on with its session: betcode chat " + string(t.s.id))})
		return
	}
	t.sendInput(from, m.Input)
}

// isSubagent reports whether the session is a subagent; if not, the refusal is on its way.
func (t *transition) isSubagent(from *actor.PID, op string) bool {
	if t.s.exists && !t.s.deleting() && t.s.record.Subagent != nil {
		return true
	}
	t.then(act.Reply{To: from, With: messages.NoSubagent(op, t.s.id)})
	t.maybeRetire()
	return false
}

// cancelSubagent ends a subagent. It answers when that has ended.
func (t *transition) cancelSubagent(from *actor.PID, m messages.CancelSubagent) {
	if !t.isSubagent(from, "cancel subagent") {
		return
	}
	if t.s.record.Subagent.Status.Final() {
		t.then(act.Reply{To: from, With: t.subagentCanceled(false)})
		return
	}
	t.s.subagent.waiters = append(slices.Clip(t.s.subagent.waiters), waiter{from: from, client: m.Client})
	e := t.subagentEntry(messages.AuditSubagentCancel)
	e.ActorType, e.ActorID = messages.ActorUser, string(m.Client)
	e.Context = map[string]string{"reason": m.Reason, "force": strconv.FormatBool(m.Force)}
	t.audit(e)
	how := run.StopTerminate
	if m.Force {
		how = run.StopKill
	}
	t.endSubagent(messages.SubagentEnding{Status: messages.SubagentCancelled, Reason: subagent.Cut(m.Reason, subagent.MaxResult)}, how)
}

func (t *transition) subagentCanceled(now bool) messages.SubagentCanceled {
	r := t.s.record.Subagent
	return messages.SubagentCanceled{
		Canceled: now, Status: r.Status, ToolCalls: r.ToolCalls, AutoApproved: r.AutoApproved, Worktree: t.s.record.WorktreeID,
	}
}

// updateSubagent ends a subagent that has nothing left to do, or that no agent will continue.
func (t *transition) updateSubagent() {
	if !t.s.subagentLives() || t.s.deleting() {
		return
	}
	r := *t.s.record.Subagent
	ending, ends := subagent.Ends(r, subagent.Facts{
		Working: t.s.occupied() || t.s.agent.readingTranscript, Live: t.s.active(), Stopping: t.s.record.StopWanted, GaveUp: t.s.gaveUp(),
	})
	if !ends {
		return
	}
	exit := int32(0)
	if ending.Status != messages.SubagentCompleted {
		exit = 1
		if t.s.run != nil && t.s.run.State == messages.RunFinished {
			exit = max(1, int32(min(255, process.Status(t.s.run.Exit)))) //nolint:gosec // at most 255
		}
	}
	t.emit(&pb.AgentEvent{Event: &pb.AgentEvent_Subagent{Subagent: &pb.SubagentChange{
		Status: ending.Status.String(), ParentSessionId: string(r.Parent), ResultSummary: ending.Reason, ExitCode: exit,
	}}})
	t.subagentChanged(subagent.End(r, ending, exit, t.now.at, t.s.record.Head))
	t.auditEnded(ending)
	for _, w := range t.s.subagent.waiters {
		t.then(act.Reply{To: w.from, With: t.subagentCanceled(ending.Status == messages.SubagentCancelled)})
	}
	t.s.subagent.waiters = nil
	t.then(subagentEnded{t.s.record})
	if t.s.canPark() {
		t.park() // a completed subagent rarely gets another message
	}
}

// gaveUp returns why no agent follows without a person; empty if one may.
func (s *state) gaveUp() string {
	switch {
	case s.subagent.restored && (s.record.Condition == messages.MemoryGone || s.record.Condition == messages.ConversationDeleted):
		return subagent.Restarted
	case s.record.Condition != "":
		return "the agent cannot run: " + string(s.record.Condition)
	case s.record.Phase == messages.PhaseCrashed:
		return "the agent crashed too often"
	}
	return ""
}

// subagentEntry is an entry of the audit log about the subagent.
func (t *transition) subagentEntry(what messages.AuditType) messages.AuditEntry {
	return messages.AuditEntry{Type: what, ActorType: messages.ActorDaemon}
}

// auditSpawned reports a new subagent, and what it may do without a person.
func (t *transition) auditSpawned(m messages.BeginSubagent) {
	e := audit.ByClient(messages.AuditSubagentSpawn, m.Start.Client)
	e.Context = map[string]string{"depth": strconv.FormatUint(uint64(m.Subagent.Depth), 10), "tools": strconv.Itoa(len(m.Subagent.Tools))}
	if a := m.Subagent.Auto; a.Given {
		e.Context["auto_approve"], e.Context["fenced"] = a.Until.Sub(a.Since).String(), strconv.FormatBool(m.Fenced)
		e.Context["per_minute"] = strconv.FormatUint(uint64(a.PerMinute), 10)
	}
	t.audit(e)
}

// auditEnded reports the end of a subagent, unless another entry has.
func (t *transition) auditEnded(ending messages.SubagentEnding) {
	switch ending.Status {
	case messages.SubagentCompleted:
		t.audit(t.subagentEntry(messages.AuditSubagentComplete))
	case messages.SubagentFailed:
		e := t.subagentEntry(messages.AuditSubagentFail)
		e.Outcome, e.ErrorMessage = messages.OutcomeFailure, subagent.Cut(ending.Reason, maxShown)
		t.audit(e)
	case messages.SubagentAny, messages.SubagentPending, messages.SubagentRunning, messages.SubagentCancelled:
	}
}
