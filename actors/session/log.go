package session

import (
	"cmp"
	"errors"

	"github.com/rs/zerolog"

	"betcode/actors/internal/act"
	"betcode/actors/internal/texts"
	"betcode/actors/session/audit"
	"betcode/messages"
)

// line is a line of the log: a level of the daemon document's table, a message, and pairs of names and values. It has nothing of
// the conversation.
type line struct {
	level   zerolog.Level
	message string
	fields  []any
}

// auditLines are the levels of events that the audit log has as well.
var auditLines = map[messages.AuditType]line{
	messages.AuditSessionError:    {level: zerolog.ErrorLevel, message: "agent failed"},
	messages.AuditDenied:          {level: zerolog.WarnLevel, message: "permission denied"},
	messages.AuditSessionCreated:  {level: zerolog.InfoLevel, message: "session created"},
	messages.AuditSessionResumed:  {level: zerolog.InfoLevel, message: "session resumed"},
	messages.AuditSessionComplete: {level: zerolog.InfoLevel, message: "session ended"},
	messages.AuditAutoApproved:    {level: zerolog.DebugLevel, message: "permission granted by a rule or a grant"},
	messages.AuditGranted:         {level: zerolog.DebugLevel, message: "permission granted"},
	messages.AuditRevoked:         {level: zerolog.DebugLevel, message: "grant taken back"},
}

// lineOf is the table of what a session does and the level it is logged at; there is no
// line for the rest. See docs/logging.md.
func lineOf(e act.Effect) (line, bool) {
	switch e := e.(type) {
	case auditing:
		l, ok := auditLines[e.entry.Type]
		l.fields = auditFields(e)
		return l, ok
	case act.After:
		if due, ok := e.Message.(restartDue); ok {
			return line{zerolog.WarnLevel, "agent is started again", []any{act.LogRun, due.run + 1, "again_in", e.Delay}}, true
		}
	case act.Reply:
		var stale *messages.Error
		if err, ok := e.With.(error); ok && errors.As(err, &stale) && stale.Code == messages.PermissionStale {
			return line{zerolog.WarnLevel, "answer to a request that does not wait", []any{"request_id", stale.Details["request_id"]}}, true
		}
	case requestRefused:
		return line{zerolog.WarnLevel, "malformed permission request of the agent is refused", []any{"request_id", e.request, "reason", e.why}}, true
	case rebuild:
		return line{level: zerolog.WarnLevel, message: "session is rebuilt from the journal"}, true
	case spawnRun:
		if e.fresh {
			return line{zerolog.InfoLevel, "agent is started", []any{act.LogRun, e.record.Run}}, true
		}
		return line{zerolog.WarnLevel, "agent of an earlier daemon is looked for", []any{act.LogRun, e.record.Run}}, true
	case spawnClient:
		return line{zerolog.InfoLevel, "client attached", []any{
			"client", e.attach.Client, "stream", e.attach.Stream, "observer", e.attach.Observer,
		}}, true
	case dropClient:
		return line{zerolog.InfoLevel, "client detached", []any{"stream", e.stream}}, true
	case spawnPermission:
		return line{zerolog.DebugLevel, "permission is asked of people", []any{"request_id", e.record.Request, "tool", texts.Shorten(e.record.Tool, maxShown)}}, true
	}
	return line{}, false
}

// auditFields are the fields of a line about an entry, without inputs.
func auditFields(e auditing) []any {
	var fields []any
	for _, f := range []struct{ name, value string }{
		{"by", e.entry.ActorID},
		{"tool", texts.Shorten(e.entry.Tool, maxShown)},
		{"request_id", e.entry.Context["request_id"]},
		{"outcome", string(e.entry.Outcome)},
		{"code", e.entry.ErrorCode},
		{"err", e.entry.ErrorMessage},
		{"stderr", e.stderr},
	} {
		if f.value != "" {
			fields = append(fields, f.name, f.value)
		}
	}
	return fields
}

// logEffect logs an effect. The agent's standard error is masked.
func (s *session) logEffect(e act.Effect) {
	l, ok := lineOf(e)
	if !ok || !s.deps.Shows(l.level) {
		return
	}
	for i := 1; i < len(l.fields); i += 2 {
		if l.fields[i-1] == "stderr" {
			l.fields[i] = s.deps.Mask(l.fields[i].(string))
		}
	}
	s.log().WithLevel(l.level).Fields(l.fields).Msg(l.message)
}

// log is the log of this session.
func (s *session) log() *zerolog.Logger {
	log := s.deps.Log(act.ChildName("session", s.id)).With().Str(act.LogSession, string(s.id)).Logger()
	return &log
}

// logStrays logs agents that no daemon supervised.
func (s *session) logStrays(m straysEnded) {
	if m.err != nil {
		s.log().Error().Err(m.err).Msg("an agent of a damaged session could not be ended")
	}
	if m.ended > 0 {
		s.log().Warn().Int("agents", m.ended).Msg("agents of a damaged session ended")
	}
}

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
