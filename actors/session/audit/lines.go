package audit

import (
	"github.com/rs/zerolog"

	"betcode/actors/internal/texts"
	"betcode/messages"
)

// Line is a line of the daemon's log: a level of the daemon document's table, a message, and pairs of names and values. It has nothing
// of the conversation.
type Line struct {
	Level   zerolog.Level
	Message string
	Fields  []any
}

// lines are the levels of events that the daemon's log has as well.
var lines = map[messages.AuditType]Line{
	messages.AuditSessionError:    {Level: zerolog.ErrorLevel, Message: "agent failed"},
	messages.AuditDenied:          {Level: zerolog.WarnLevel, Message: "permission denied"},
	messages.AuditSessionCreated:  {Level: zerolog.InfoLevel, Message: "session created"},
	messages.AuditSessionResumed:  {Level: zerolog.InfoLevel, Message: "session resumed"},
	messages.AuditSessionComplete: {Level: zerolog.InfoLevel, Message: "session ended"},
	messages.AuditAutoApproved:    {Level: zerolog.DebugLevel, Message: "permission granted by a rule or a grant"},
	messages.AuditGranted:         {Level: zerolog.DebugLevel, Message: "permission granted"},
	messages.AuditRevoked:         {Level: zerolog.DebugLevel, Message: "grant taken back"},
}

// LineOf returns the line of the daemon's log about an entry, if there is one. It has no inputs. stderr is the end of the agent's
// standard error.
func LineOf(e messages.AuditEntry, stderr string) (Line, bool) {
	l, ok := lines[e.Type]
	for _, f := range []struct{ name, value string }{
		{"by", e.ActorID},
		{"tool", texts.Shorten(e.Tool, maxShown)},
		{"request_id", e.Context["request_id"]},
		{"outcome", string(e.Outcome)},
		{"code", e.ErrorCode},
		{"err", e.ErrorMessage},
		{"stderr", stderr},
	} {
		if f.value != "" {
			l.Fields = append(l.Fields, f.name, f.value)
		}
	}
	return l, ok
}
