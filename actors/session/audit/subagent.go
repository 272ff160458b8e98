package audit

import (
	"strconv"

	"betcode/messages"
)

// Spawned reports a new subagent, and what it may do without a person.
func Spawned(m messages.BeginSubagent) messages.AuditEntry {
	e := ByClient(messages.AuditSubagentSpawn, m.Start.Client)
	e.Context = map[string]string{"depth": strconv.FormatUint(uint64(m.Subagent.Depth), 10), "tools": strconv.Itoa(len(m.Subagent.Tools))}
	if a := m.Subagent.Auto; a.Given {
		e.Context["auto_approve"], e.Context["fenced"] = a.Until.Sub(a.Since).String(), strconv.FormatBool(m.Fenced)
		e.Context["per_minute"] = strconv.FormatUint(uint64(a.PerMinute), 10)
	}
	return e
}

// SubagentLate reports a subagent whose time is over.
func SubagentLate(why string) messages.AuditEntry {
	return messages.AuditEntry{
		Type: messages.AuditSubagentTimeout, Outcome: messages.OutcomeTimeout, ActorType: messages.ActorDaemon, ErrorMessage: why,
	}
}

// SubagentCanceled reports that a client cancels a subagent.
func SubagentCanceled(m messages.CancelSubagent) messages.AuditEntry {
	e := ByClient(messages.AuditSubagentCancel, m.Client)
	e.Context = map[string]string{"reason": m.Reason, "force": strconv.FormatBool(m.Force)}
	return e
}

// SubagentEnded reports the end of a subagent. It reports false where another entry tells of it.
func SubagentEnded(ending messages.SubagentEnding) (messages.AuditEntry, bool) {
	switch ending.Status {
	case messages.SubagentCompleted:
		return messages.AuditEntry{Type: messages.AuditSubagentComplete, ActorType: messages.ActorDaemon}, true
	case messages.SubagentFailed:
		return messages.AuditEntry{
			Type: messages.AuditSubagentFail, Outcome: messages.OutcomeFailure, ActorType: messages.ActorDaemon, ErrorMessage: ending.Reason,
		}, true
	case messages.SubagentAny, messages.SubagentPending, messages.SubagentRunning, messages.SubagentCancelled:
	}
	return messages.AuditEntry{}, false
}

// RateExceeded reports a call above the rate of auto-approve, and what becomes of it: deny or queue.
func RateExceeded(p messages.PermissionRecord, by, then string) messages.AuditEntry {
	return messages.AuditEntry{
		Type: messages.AuditRateLimited, Outcome: messages.OutcomeDenied, ActorType: messages.ActorDaemon, ActorID: by, Tool: p.Tool, Input: p.Input,
		Context: map[string]string{"request_id": string(p.Request), "then": then},
	}
}

// AutoApproveRevoked reports that a client has ended auto-approve.
func AutoApproveRevoked(m messages.RevokeAutoApprove) messages.AuditEntry {
	e := ByClient(messages.AuditRevoked, m.Client)
	e.Context = map[string]string{"for": "auto_approve", "reason": m.Reason}
	return e
}
