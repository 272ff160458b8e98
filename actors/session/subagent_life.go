package session

import (
	"bytes"
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/process"
	"betcode/actors/run"
	"betcode/actors/session/audit"
	"betcode/actors/session/events"
	"betcode/actors/session/prompts"
	"betcode/actors/session/subagent"
	"betcode/messages"
)

// subagentEnded is an effect: the end of a subagent is durable.
type subagentEnded struct{ record messages.SessionRecord }

func (subagentEnded) Effect() {}

// beginSubagent creates the session of a subagent with its first message, in one append.
func (t *transition) beginSubagent(from *actor.PID, m messages.BeginSubagent) {
	const op = "spawn subagent"
	answer := messages.SubagentSpawned{Subagent: t.s.id, Fenced: m.Fenced}
	if t.s.exists {
		if known := t.s.record.Subagent; known == nil || !bytes.Equal(known.Digest, m.Subagent.Digest) {
			t.then(act.Reply{To: from, With: subagent.ExistsError(op, t.s.id)})
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
	t.emit(events.SubagentSpawned(m.Subagent.Parent, m.Start.Model))
	t.takeInput(messages.SendInput{Key: m.Key, Content: m.Prompt, Client: m.Start.Client})
	t.watchSubagent()
	t.askAbove()
	t.audit(audit.Spawned(m))
	t.then(act.Reply{To: from, With: answer})
}

// subagentLate ends a subagent whose deadline has passed.
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
		t.audit(audit.SubagentLate(why))
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
		t.then(act.Reply{To: from, With: subagent.EndedError(op, t.s.id, r.Status)})
		return
	}
	t.sendInput(from, m.Input)
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
	t.audit(audit.SubagentCanceled(m))
	how := run.StopTerminate
	if m.Force {
		how = run.StopKill
	}
	t.endSubagent(messages.SubagentEnding{Status: messages.SubagentCancelled, Reason: subagent.Cut(m.Reason, subagent.MaxResult)}, how)
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
	code := 0
	if t.s.run != nil && t.s.run.State == messages.RunFinished {
		code = process.Status(t.s.run.Exit)
	}
	exit := subagent.ExitCode(ending, code)
	t.emit(events.SubagentEnded(r.Parent, ending, exit))
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

// auditEnded reports the end of a subagent, unless another entry has.
func (t *transition) auditEnded(ending messages.SubagentEnding) {
	ending.Reason = subagent.Cut(ending.Reason, maxShown)
	if e, told := audit.SubagentEnded(ending); told {
		t.audit(e)
	}
}

// rateOver decides the calls again that are not shown to a person yet.
func (t *transition) rateOver() {
	t.s.subagent.queued = false
	for _, p := range t.s.prompts.List(func(p messages.PermissionRecord) bool { return !prompts.Screened(p) && !p.Orphaned() }) {
		t.then(lookAround{p.Request, t.callOf(p), t.keptEdit(p), p.Why.Reason})
	}
}

// revokeAutoApprove lets a person decide from here on. Calls that wait for their rate are decided again, by a person.
func (t *transition) revokeAutoApprove(from *actor.PID, m messages.RevokeAutoApprove) {
	if !t.isSubagent(from, "revoke auto-approve") {
		return
	}
	r := *t.s.record.Subagent
	if !subagent.AutoApproves(r) {
		t.then(act.Reply{To: from, With: messages.AutoApproveRevoked{Status: r.Status}})
		return
	}
	pending := 0
	if t.s.run != nil && t.s.active() {
		pending = len(t.s.run.CallsDecided)
	}
	t.subagentChanged(subagent.Revoked(r, m.Client, m.Reason))
	t.audit(audit.AutoApproveRevoked(m))
	if pending > 0 && m.Terminate {
		t.endSubagent(messages.SubagentEnding{Status: messages.SubagentFailed, Reason: "auto-approve was revoked: " + m.Reason}, run.StopTerminate)
	} else {
		t.rateOver()
	}
	t.then(act.Reply{To: from, With: messages.AutoApproveRevoked{Revoked: true, Pending: pending, Status: t.s.record.Subagent.Status}})
}
