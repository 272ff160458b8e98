package session

import (
	"cmp"
	"strconv"
	"strings"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
	"betcode/messages"
)

// auditing writes an entry to the audit log when the fact that it reports is durable. complaint, the end of the agent's standard
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

// byClient is an entry about what a client did.
func byClient(what messages.AuditType, client messages.ClientID) messages.AuditEntry {
	return messages.AuditEntry{Type: what, ActorType: messages.ActorUser, ActorID: string(client)}
}

// auditDecision reports how a request was decided: by a client, or by the daemon
// because of a rule, a grant or a deadline.
func (t *transition) auditDecision(p messages.PermissionRecord, actorType string) {
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
		return
	}
	t.audit(e)
}

// auditAgentDenial reports that the agent refused a tool call by itself.
func (t *transition) auditAgentDenial(m claude.DeniedByAgent) {
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
	t.audit(e)
}

// auditGrant reports that a tool was allowed for the session, or is no longer.
func (t *transition) auditGrant(client messages.ClientID, tool string, granted bool) {
	e := byClient(messages.AuditRevoked, client)
	if granted {
		e.Type = messages.AuditGranted
	}
	e.Tool, e.Context = tool, map[string]string{"for": "session"}
	t.audit(e)
}

// auditCreated reports a new session, and what its agent may do unasked.
func (t *transition) auditCreated(m messages.StartSession) {
	e := byClient(messages.AuditSessionCreated, m.Client)
	e.Context = map[string]string{"directory": m.WorkingDirectory}
	if m.PermissionMode != "" {
		e.Context["permission_mode"] = m.PermissionMode
	}
	if n := len(m.AllowedTools); n > 0 {
		e.Context["allowed_tools"] = strconv.Itoa(n)
	}
	auditOptions(e.Context, m.Options)
	if m.Fork.Session != "" {
		e.Context["forked_from"] = string(m.Fork.Session)
	}
	t.audit(e)
}

// auditCanceled reports that a client had a turn interrupted.
func (t *transition) auditCanceled(m messages.CancelTurn) {
	e := byClient(messages.AuditTurnCanceled, m.Client)
	if m.Reason != "" {
		e.Context = map[string]string{"reason": m.Reason}
	}
	t.audit(e)
}

// auditResumed reports that an agent is started for a session that had one before.
func (t *transition) auditResumed() {
	e := messages.AuditEntry{Type: messages.AuditSessionResumed, Context: map[string]string{"run": strconv.FormatUint(uint64(t.s.record.Run), 10)}}
	if t.s.attended {
		e.ActorType, e.ActorID = messages.ActorUser, string(t.s.lock.Holder())
	}
	t.audit(e)
}

// auditFailed reports that an agent crashed, or cannot run.
func (t *transition) auditFailed(code messages.Code, why string) {
	t.audit(messages.AuditEntry{
		Type: messages.AuditSessionError, Outcome: messages.OutcomeFailure, ErrorCode: string(code), ErrorMessage: why,
	})
}

// auditComplete reports that a session was stopped or deleted, by which client, and which client began the turn that ends with it.
// A crash of the daemon loses the first.
func (t *transition) auditComplete(how string, asked []waiter) {
	e := byClient(messages.AuditSessionComplete, "")
	if e.Context = map[string]string{"by": how}; len(asked) > 0 {
		e.ActorID = string(asked[0].client)
	}
	if began := t.s.turnOf(); began != "" {
		e.Context["turn_of"] = string(began)
	}
	t.audit(e)
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

// auditOptions adds to an entry which options a session was given. Of MCP servers, agents and prompts it has the names only.
func auditOptions(context map[string]string, o messages.AgentOptions) {
	if names := o.Names(); len(names) > 0 {
		context["options"] = strings.Join(names, " ")
	}
	for name, list := range map[string][]string{
		"directories": o.Directories, "mcp_servers": o.ServerNames(), "agents": o.AgentNames(),
	} {
		if len(list) > 0 {
			context[name] = texts.Shorten(strings.Join(list, "\n"), maxShown)
		}
	}
	if o.MaxBudgetUSD > 0 {
		context["max_budget_usd"] = strconv.FormatFloat(o.MaxBudgetUSD, 'f', -1, 64)
	}
}
