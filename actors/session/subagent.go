package session

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/rules"
	"betcode/actors/session/audit"
	"betcode/actors/session/subagent"
	"betcode/messages"
)

// The record of a session has the part about the subagent that it is. Package subagent decides; this file changes the record.

// byAutoApprove is the author of decisions by auto-approve, byTools that of denials of tools that a subagent was not given.
const (
	byAutoApprove = "auto_approve"
	byTools       = "allowed_tools"
)

// subagentView is what a session remembers of itself as a subagent until its actor ends.
type subagentView struct {
	queued   bool     // calls wait for their rate, and the audit log has it
	restored bool     // it was loaded with work, and its agent has not begun a turn since
	waiters  []waiter // of requests to cancel it
}

// subagentChanged replaces the part of the record.
func (t *transition) subagentChanged(next messages.SubagentRecord) { t.change().Subagent = &next }

// subagentLives reports whether the session is a subagent that has not ended.
func (s *state) subagentLives() bool {
	return s.exists && s.record.Subagent != nil && !s.record.Subagent.Status.Final()
}

// subagentBegan notes that the agent works on a turn.
func (t *transition) subagentBegan() {
	t.s.subagent.restored = false
	if r := t.s.record.Subagent; t.s.subagentLives() && !t.s.record.StopWanted && (r.Status != messages.SubagentRunning || r.Ending.Status != messages.SubagentAny) {
		t.subagentChanged(subagent.Began(*r))
	}
}

// subagentTurnEnded notes how the subagent ends if nothing follows the turn.
func (t *transition) subagentTurnEnded(status messages.SubagentStatus, text string) {
	if r := t.s.record.Subagent; t.s.subagentLives() && !t.s.record.StopWanted {
		next := *r
		next.Status = messages.SubagentRunning
		next.Ending = messages.SubagentEnding{Status: status, Reason: subagent.Cut(text, subagent.MaxResult)}
		t.subagentChanged(next)
	}
}

// subagentAnswered is subagentTurnEnded for a turn that the agent has ended.
func (t *transition) subagentAnswered(m claude.TurnEnded) {
	switch {
	case t.s.compacting(): // the turn before the compaction counts
	case t.s.record.TurnCanceled || m.StopReason == stopCanceled:
		t.subagentTurnEnded(messages.SubagentCancelled, "the turn was cancelled")
	case m.IsError:
		t.subagentTurnEnded(messages.SubagentFailed, m.Error)
	default:
		t.subagentTurnEnded(messages.SubagentCompleted, m.Text)
	}
}

// subagentInterrupted is subagentTurnEnded for a turn that no agent has ended.
func (t *transition) subagentInterrupted(reason string) {
	switch {
	case reason == stopCanceled:
		t.subagentTurnEnded(messages.SubagentCancelled, "the turn was cancelled")
	case t.s.subagent.restored:
		t.subagentTurnEnded(messages.SubagentFailed, subagent.Restarted)
	default:
		t.subagentTurnEnded(messages.SubagentFailed, "the turn was interrupted")
	}
}

// subagentCalled counts a tool call that came back.
func (t *transition) subagentCalled() {
	if t.s.subagentLives() {
		next := *t.s.record.Subagent
		next.ToolCalls++
		t.subagentChanged(next)
	}
}

// boundsOf decides a call by the bounds of a subagent, unless rules or grants have; asks says that a person decides whatever the
// bounds say. It reports whether the call waits for its rate.
func (t *transition) boundsOf(p *messages.PermissionRecord, call rules.Call, asks bool) (waits bool) {
	if !t.s.subagentLives() || p.Decision == messages.Deny {
		return false
	}
	r := *t.s.record.Subagent
	verdict, again := subagent.Judge(r, toolsCover(r.Tools, call), t.now.at)
	switch {
	case verdict == subagent.Forbid:
		p.Decision, p.DecidedBy = messages.Deny, byTools
		p.Message = "This subagent was not given the tool " + p.Tool + " for such a call."
		return false
	case asks || p.Decision != messages.Undecided:
		return false
	}
	switch verdict {
	case subagent.Approve:
		p.Decision, p.DecidedBy = messages.AllowOnce, byAutoApprove
		t.subagentChanged(subagent.Approved(r, t.now.at))
	case subagent.Late:
		p.Decision, p.DecidedBy = messages.Deny, byAutoApprove
		p.Message = "The time for which calls were approved is over."
	case subagent.Exceeds:
		p.Decision, p.DecidedBy = messages.Deny, byAutoApprove
		p.Message = "Too many calls in this minute. Try again later."
		t.audit(audit.RateExceeded(*p, byAutoApprove, "deny"))
	case subagent.Wait:
		if !t.s.subagent.queued {
			t.s.subagent.queued = true
			t.audit(audit.RateExceeded(*p, byAutoApprove, "queue"))
		}
		t.putPermission(*p)
		t.then(act.After{Delay: max(time.Second, again.Sub(t.now.at)), Message: rateDue{}})
		return true
	case subagent.AskPerson, subagent.Forbid:
	}
	return false
}

// toolsCover reports whether the tools of a subagent cover a call.
func toolsCover(tools []string, call rules.Call) bool {
	if len(tools) == 0 {
		return true
	}
	list := make([]rules.Rule, 0, len(tools))
	for _, tool := range tools {
		list = append(list, rules.Rule{Effect: rules.Allow, Text: tool})
	}
	set, _ := rules.New(list...) // each was read when the subagent was spawned
	return set.Decide(call).Effect == rules.Allow
}

// rateDue is the timer's message when calls that waited for their rate are decided again.
type rateDue struct{}

// stopCanceled is the stop reason of a turn that was cancelled.
const stopCanceled = "cancelled"

// subagentDue is the timer's message when the time of a subagent is over.
type subagentDue struct{}

// watchSubagent sets a timer for the end of the subagent's time.
func (t *transition) watchSubagent() {
	if !t.s.subagentLives() {
		return
	}
	if at, _ := subagent.Due(*t.s.record.Subagent); !at.IsZero() {
		t.then(act.After{Delay: max(0, at.Sub(t.now.at)), Message: subagentDue{}})
	}
}

// isSubagent reports whether the session is a subagent; if not, the refusal is pending.
func (t *transition) isSubagent(from *actor.PID, op string) bool {
	if t.s.exists && !t.s.deleting() && t.s.record.Subagent != nil {
		return true
	}
	t.then(act.Reply{To: from, With: messages.NoSubagent(op, t.s.id)})
	t.maybeRetire()
	return false
}

func (t *transition) subagentCanceled(now bool) messages.SubagentCanceled {
	r := t.s.record.Subagent
	return messages.SubagentCanceled{
		Canceled: now, Status: r.Status, ToolCalls: r.ToolCalls, AutoApproved: r.AutoApproved, Worktree: t.s.record.WorktreeID,
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
