package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"betcode/actors/internal/act"
	"betcode/messages"
)

func TestLineOf(t *testing.T) {
	t.Parallel()
	stale := messages.Errorf("answer permission", messages.WrongState, "gone").WithCode(messages.PermissionStale).With("request_id", "r")
	for _, c := range []struct {
		e      act.Effect
		level  zerolog.Level
		fields string
	}{
		{auditing{messages.AuditEntry{Type: messages.AuditSessionError, ErrorCode: "SUBPROCESS_CRASHED"}, "oh"}, zerolog.ErrorLevel, "code SUBPROCESS_CRASHED stderr oh"},
		{auditing{entry: messages.AuditEntry{Type: messages.AuditDenied, Tool: "Bash", Input: []byte("rm"), ActorID: "rule"}}, zerolog.WarnLevel, "by rule tool Bash"},
		{act.Reply{With: stale}, zerolog.WarnLevel, "request_id r"},
		{act.After{Delay: time.Second, Message: restartDue{3}}, zerolog.WarnLevel, "run 4 again_in 1s"},
		{requestRefused{"r", "no tool"}, zerolog.WarnLevel, "request_id r reason no tool"},
		{rebuild{}, zerolog.WarnLevel, ""},
		{spawnRun{record: messages.RunRecord{Run: 2}}, zerolog.WarnLevel, "run 2"},
		{spawnRun{record: messages.RunRecord{Run: 2}, fresh: true}, zerolog.InfoLevel, "run 2"},
		{auditing{entry: messages.AuditEntry{Type: messages.AuditSessionCreated}}, zerolog.InfoLevel, ""},
		{auditing{entry: messages.AuditEntry{Type: messages.AuditSessionComplete}}, zerolog.InfoLevel, ""},
		{spawnClient{attach: messages.Attach{Client: "c", Stream: "s"}}, zerolog.InfoLevel, "client c stream s observer false"},
		{dropClient{"s"}, zerolog.InfoLevel, "stream s"},
		{auditing{entry: messages.AuditEntry{Type: messages.AuditAutoApproved, Tool: "Read"}}, zerolog.DebugLevel, "tool Read"},
		{spawnPermission{messages.PermissionRecord{Request: "r", Tool: "Bash", Input: []byte("rm")}}, zerolog.DebugLevel, "request_id r tool Bash"},
	} {
		l, ok := lineOf(c.e)
		var words []string
		for _, f := range l.Fields {
			words = append(words, fmt.Sprint(f))
		}
		if got := strings.Join(words, " "); !ok || l.Level != c.level || got != c.fields || l.Message == "" {
			t.Errorf("%T is logged at %v as %q with %q, want %v with %q", c.e, l.Level, l.Message, got, c.level, c.fields)
		}
	}
	for _, e := range []act.Effect{persist{}, publish{}, act.Reply{With: messages.Done{}}, act.After{Delay: time.Second, Message: silenceDue{}}, sendToRun{}} {
		if l, ok := lineOf(e); ok {
			t.Errorf("%T is logged as %q", e, l.Message)
		}
	}
}
