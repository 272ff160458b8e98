package session

import (
	"cmp"
	"errors"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"betcode/actors/client"
	"betcode/actors/internal/act"
	"betcode/actors/internal/notify"
	"betcode/actors/internal/texts"
	"betcode/actors/session/audit"
	"betcode/messages"
)

// The effects of a session.
type (
	persist struct{ messages.Append }
	// publish sends events to every attached stream.
	publish struct {
		events   []messages.Event
		head     messages.Seq
		progress messages.Progress
	}
	// sendToStream sends events that are not journaled to one stream.
	sendToStream struct {
		stream   string
		events   []messages.Event
		progress messages.Progress
	}
	sendToRun struct {
		run     messages.RunNumber
		message any
	}
	sendToPermission struct { // to the actor of a permission, as if from the asker
		request messages.RequestID
		from    *actor.PID
		message any
	}
	spawnRun struct {
		record messages.RunRecord
		cursor messages.Cursor
		fresh  bool // never tried: spawn; else look for the process first
		resume bool // a cut-off turn is to be continued
	}
	spawnClient struct {
		attach messages.Attach
		state  client.State
	}
	dropClient      struct{ stream string }
	spawnPermission struct{ record messages.PermissionRecord }
	dropPermission  struct{ request messages.RequestID }
	update          struct{ record messages.PermissionRecord } // gives the actor of a request its newest record
	notifyPerson    struct{ event Notice }                     // to people who do not watch the session
	noteVersion     struct{ version string }                   // that it does not continue a turn by itself
	requestRefused  struct{ request, why string }              // a malformed request of the agent; for the log alone
	dropRun         struct{ run messages.RunNumber }
	loadAgain       struct{} // ask the journal once more
	openProxy       struct { // sink takes what the session sends to the connection from now on
		connection string
		sink       messages.ProxySink
	}
	sendToProxy struct {
		connection string
		event      messages.ProxyEvent
	}
	closeProxy struct { // ends a connection behind what was sent; a nil reason is a clean end
		connection string
		last       messages.ProxyEvent // nil = none
		reason     *messages.Error
	}
	rebuild struct{} // asks for this actor to be replaced by one that is rebuilt from the journal
	retire  struct{} // nothing is left to do here: the actor may go
	forget  struct{ directory string }
)

func (persist) Effect()          {}
func (publish) Effect()          {}
func (sendToStream) Effect()     {}
func (sendToRun) Effect()        {}
func (sendToPermission) Effect() {}
func (spawnRun) Effect()         {}
func (spawnClient) Effect()      {}
func (dropClient) Effect()       {}
func (spawnPermission) Effect()  {}
func (dropPermission) Effect()   {}
func (update) Effect()           {}
func (notifyPerson) Effect()     {}
func (noteVersion) Effect()      {}
func (requestRefused) Effect()   {}
func (dropRun) Effect()          {}
func (loadAgain) Effect()        {}
func (openProxy) Effect()        {}
func (sendToProxy) Effect()      {}
func (closeProxy) Effect()       {}
func (rebuild) Effect()          {}
func (retire) Effect()           {}
func (forget) Effect()           {}

// archiveRuns is an effect: archive the spools of a session's runs that have ended.
type archiveRuns struct {
	directory string
	upTo      messages.RunNumber
}

func (archiveRuns) Effect() {}

// question is an effect that reads the disk or the journal: the session's worker sends the answer as a message.
type question interface {
	act.Effect
	// asks returns the work. It does not touch the state, which may change before the answer.
	asks(d *Deps, s *state) func() any
}

// Notice is a notification to people who do not watch the session.
type Notice = notify.Notice

// auditing writes an entry to the audit log when the fact that it reports is durable. stderr, the end of the agent's standard
// error, is for the daemon's log only.
type auditing struct {
	entry  messages.AuditEntry
	stderr string
}

func (auditing) Effect() {}

// audit adds an entry to the audit log.
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

// lineOf is the table of the effects that are logged, with their levels. Other effects have no line. See docs/logging.md.
func lineOf(e act.Effect) (audit.Line, bool) {
	switch e := e.(type) {
	case auditing:
		return audit.LineOf(e.entry, e.stderr)
	case act.After:
		if due, ok := e.Message.(restartDue); ok {
			return logged(zerolog.WarnLevel, "agent is started again", act.LogRun, due.run+1, "again_in", e.Delay)
		}
	case act.Reply:
		var stale *messages.Error
		if err, ok := e.With.(error); ok && errors.As(err, &stale) && stale.Code == messages.PermissionStale {
			return logged(zerolog.WarnLevel, "answer to a request that does not wait", "request_id", stale.Details["request_id"])
		}
	case requestRefused:
		return logged(zerolog.WarnLevel, "malformed permission request of the agent is refused", "request_id", e.request, "reason", e.why)
	case rebuild:
		return logged(zerolog.WarnLevel, "session is rebuilt from the journal")
	case spawnRun:
		if e.fresh {
			return logged(zerolog.InfoLevel, "agent is started", act.LogRun, e.record.Run)
		}
		return logged(zerolog.WarnLevel, "agent of an earlier daemon is looked for", act.LogRun, e.record.Run)
	case spawnClient:
		return logged(zerolog.InfoLevel, "client attached", "client", e.attach.Client, "stream", e.attach.Stream, "observer", e.attach.Observer)
	case dropClient:
		return logged(zerolog.InfoLevel, "client detached", "stream", e.stream)
	case spawnPermission:
		return logged(zerolog.DebugLevel, "permission is asked of people", "request_id", e.record.Request, "tool", texts.Shorten(e.record.Tool, maxShown))
	}
	return audit.Line{}, false
}

func logged(level zerolog.Level, message string, fields ...any) (audit.Line, bool) {
	return audit.Line{Level: level, Message: message, Fields: fields}, true
}

// logEffect logs an effect. The agent's standard error is masked.
func (s *session) logEffect(e act.Effect) {
	l, ok := lineOf(e)
	if !ok || !s.deps.Shows(l.Level) {
		return
	}
	for i := 1; i < len(l.Fields); i += 2 {
		if l.Fields[i-1] == "stderr" {
			l.Fields[i] = s.deps.Mask(l.Fields[i].(string))
		}
	}
	s.log().WithLevel(l.Level).Fields(l.Fields).Msg(l.Message)
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

// show reports each change of phase to the tree and the log, once.
func (s *session) show(ctx actor.Context, before messages.Phase) {
	phase := s.state.record.Phase
	if phase == before && s.state.durable.Commits() > 1 {
		return
	}
	s.deps.Tree.Detail(ctx.Self(), "phase", phase.String())
	if phase != before {
		s.log().Info().Str("from", before.String()).Str("to", phase.String()).Msg("session changed")
	}
}
