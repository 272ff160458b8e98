package audit

import (
	"strconv"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
	"betcode/messages"
)

// maxShown bounds a name that the agent gives, in characters.
const maxShown = 120

// ByClient is an entry about what a client did.
func ByClient(what messages.AuditType, client messages.ClientID) messages.AuditEntry {
	return messages.AuditEntry{Type: what, ActorType: messages.ActorUser, ActorID: string(client)}
}

// Decision reports how a request was decided: by a client, or by the daemon because of a rule, a grant or a deadline. It reports
// false for a request that is not decided, or needs no decision any more.
func Decision(p messages.PermissionRecord, actorType string) (messages.AuditEntry, bool) {
	e := messages.AuditEntry{
		Type: messages.AuditGranted, ActorType: actorType, ActorID: p.DecidedBy, Tool: p.Tool, Input: p.Input,
		Context: p.Why.Context(),
	}
	e.Context["request_id"] = string(p.Request)
	if p.Agent != "" {
		e.Context["agent_id"] = p.Agent
	}
	if actorType == messages.ActorDaemon {
		e.Type = messages.AuditAutoApproved
	}
	switch p.Decision {
	case messages.AllowOnce, messages.DecisionAnswered:
	case messages.AllowSession:
		e.Context["for"] = "session"
	case messages.AllowWithEdit:
		e.Context["edited"], e.Input = "true", p.Updated
	case messages.DecisionExpired:
		e.Type, e.Outcome, e.ActorType = messages.AuditDenied, messages.OutcomeTimeout, messages.ActorDaemon
	case messages.Deny, messages.DenyNoInterrupt, messages.DenyWithInterrupt:
		e.Type, e.Outcome = messages.AuditDenied, messages.OutcomeDenied
	case messages.Undecided, messages.DecisionWithdrawn:
		return messages.AuditEntry{}, false
	}
	return e, true
}

// AgentDenial reports that the agent refused a tool call by itself.
func AgentDenial(m claude.DeniedByAgent) messages.AuditEntry {
	e := messages.AuditEntry{
		Type: messages.AuditDenied, Outcome: messages.OutcomeDenied, ActorType: messages.ActorSystem, ActorID: "agent",
		Tool: texts.Shorten(m.Tool, maxShown), Context: map[string]string{"tool_use_id": texts.Shorten(m.ToolUse, maxShown)},
	}
	if m.Reason != "" {
		e.Context["reason_type"] = texts.Shorten(m.Reason, maxShown)
	}
	if m.Message != "" {
		e.Context["reason"] = m.Message
	}
	return e
}

// Grant reports that a tool was allowed for the session, or is no longer.
func Grant(client messages.ClientID, tool string, granted bool) messages.AuditEntry {
	e := ByClient(messages.AuditRevoked, client)
	if granted {
		e.Type = messages.AuditGranted
	}
	e.Tool, e.Context = tool, map[string]string{"for": "session"}
	return e
}

// Canceled reports that a client had a turn interrupted.
func Canceled(m messages.CancelTurn) messages.AuditEntry {
	e := ByClient(messages.AuditTurnCanceled, m.Client)
	if m.Reason != "" {
		e.Context = map[string]string{"reason": m.Reason}
	}
	return e
}

// Resumed reports that an agent is started for a session that had one before: by the daemon, or because a client acted.
func Resumed(run messages.RunNumber, attended bool, holder messages.ClientID) messages.AuditEntry {
	e := messages.AuditEntry{Type: messages.AuditSessionResumed, Context: map[string]string{"run": strconv.FormatUint(uint64(run), 10)}}
	if attended {
		e.ActorType, e.ActorID = messages.ActorUser, string(holder)
	}
	return e
}

// Failed reports that an agent crashed, or cannot run.
func Failed(code messages.Code, why string) messages.AuditEntry {
	return messages.AuditEntry{
		Type: messages.AuditSessionError, Outcome: messages.OutcomeFailure, ErrorCode: string(code), ErrorMessage: why,
	}
}

// Complete reports that a session was stopped or deleted, by which client, and which client began the turn that ends with it. Both
// may be empty: a crash of the daemon loses the first, and no turn may run.
func Complete(how string, by, began messages.ClientID) messages.AuditEntry {
	e := ByClient(messages.AuditSessionComplete, by)
	if e.Context = map[string]string{"by": how}; began != "" {
		e.Context["turn_of"] = string(began)
	}
	return e
}

// Damaged reports that a session which cannot be loaded was stopped or deleted. It has the reason of the damage, which the deletion
// removes everywhere else.
func Damaged(how string, by messages.ClientID, damage error) messages.AuditEntry {
	e := ByClient(messages.AuditSessionComplete, by)
	e.Outcome, e.Context = messages.OutcomeSuccess, map[string]string{"by": how, "damage": texts.Shorten(damage.Error(), maxShown)}
	return e
}
