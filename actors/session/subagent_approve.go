package session

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/run"
	"betcode/actors/session/audit"
	"betcode/actors/session/prompts"
	"betcode/actors/session/subagent"
	"betcode/messages"
)

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
	e := audit.ByClient(messages.AuditRevoked, m.Client)
	e.Context = map[string]string{"for": "auto_approve", "reason": m.Reason}
	t.audit(e)
	if pending > 0 && m.Terminate {
		t.endSubagent(messages.SubagentEnding{Status: messages.SubagentFailed, Reason: "auto-approve was revoked: " + m.Reason}, run.StopTerminate)
	} else {
		t.rateOver()
	}
	t.then(act.Reply{To: from, With: messages.AutoApproveRevoked{Revoked: true, Pending: pending, Status: t.s.record.Subagent.Status}})
}
