package session

import (
	"cmp"

	"betcode/actors/session/audit"
	"betcode/messages"
)

// auditing writes an entry to the audit log when the fact that it reports is durable. stderr, the end of the agent's standard
// error, is for the daemon's log only.
type auditing struct {
	entry  messages.AuditEntry
	stderr string
}

func (auditing) Effect() {}

// audit reports something for the audit log.
func (t *transition) audit(e messages.AuditEntry) {
	e.Session, e.Outcome = t.s.id, cmp.Or(e.Outcome, messages.OutcomeSuccess)
	if e.ActorType == "" {
		e.ActorType = messages.ActorDaemon
	}
	if child := t.s.record.Subagent; child != nil {
		e.Subagent, e.Parent = string(t.s.id), child.Parent
	}
	said := auditing{entry: e}
	if e.Type == messages.AuditSessionError {
		said.stderr = t.s.agent.stderr
	}
	t.then(said)
}

// auditDecision reports how a request was decided.
func (t *transition) auditDecision(p messages.PermissionRecord, actorType string) {
	if e, decided := audit.Decision(p, actorType); decided {
		t.audit(e)
	}
}

// auditComplete reports that a session was stopped or deleted, for the first caller that asked.
func (t *transition) auditComplete(how string, asked []waiter) {
	var by messages.ClientID
	if len(asked) > 0 {
		by = asked[0].client
	}
	t.audit(audit.Complete(how, by, t.s.turnOf()))
}

// turnOf is the client whose message began the turn that runs, or is to; empty where
// none does, or the agent woke by itself.
func (s *state) turnOf() messages.ClientID {
	for _, in := range s.inputs {
		if in.State == messages.InputStarted {
			return in.Client
		}
	}
	if len(s.inputs) > 0 {
		return s.inputs[0].Client
	}
	return ""
}
