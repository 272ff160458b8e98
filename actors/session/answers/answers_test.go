package answers

import (
	"strings"
	"testing"
	"time"

	"betcode/messages"
	"betcode/messages/claudecode"
)

func TestLine(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	asked := messages.PermissionRecord{
		Request: "r", Tool: "Bash", Input: []byte(`{"command":"ls"}`), ReceivedAt: at, ForwardedAt: at, ExpiresAt: at.Add(time.Hour),
		Suggestions: []byte(`[{"type":"setMode","mode":"acceptEdits","destination":"session"}]`),
	}
	for name, test := range map[string]struct {
		answer messages.AnswerPermission
		own    messages.PermissionRecord // makes it a request of the daemon's own
		bare   bool
		want   string // part of the line; empty: it is refused
	}{
		"allowed":                {answer: messages.AnswerPermission{Decision: messages.AllowOnce}, bare: true, want: `"behavior":"allow"`},
		"allowed, an old agent":  {answer: messages.AnswerPermission{Decision: messages.AllowSession}, want: `"updatedInput":{"command":"ls"}`},
		"with a suggestion":      {answer: messages.AnswerPermission{Decision: messages.AllowOnce, Suggestions: []uint32{0}}, bare: true, want: `"updatedPermissions":[`},
		"edited":                 {answer: messages.AnswerPermission{Decision: messages.AllowWithEdit, Updated: []byte(`{"command":"pwd"}`)}, want: `"updatedInput":{"command":"pwd"}`},
		"denied":                 {answer: messages.AnswerPermission{Decision: messages.Deny}, want: "User denied permission."},
		"denied with a reason":   {answer: messages.AnswerPermission{Decision: messages.DenyNoInterrupt, Message: "not now"}, want: `"message":"not now"`},
		"denied and interrupted": {answer: messages.AnswerPermission{Decision: messages.DenyWithInterrupt, Message: "stop"}, want: `"interrupt":true`},
		"expired":                {answer: messages.AnswerPermission{Decision: messages.DecisionExpired}, want: "expired after 1h"},
		"undecided":              {},
		"a suggestion, denied":   {answer: messages.AnswerPermission{Decision: messages.Deny, Suggestions: []uint32{0}}},
		"a mode, edited":         {answer: messages.AnswerPermission{Decision: messages.AllowWithEdit}, own: messages.PermissionRecord{Mode: "plan"}},
		"a budget, edited":       {answer: messages.AnswerPermission{Decision: messages.AllowWithEdit}, own: messages.PermissionRecord{Budget: messages.HeldByBudget}},
	} {
		p := asked
		p.Mode, p.Budget = test.own.Mode, test.own.Budget
		line, err := Line(Decide(p, test.answer), claudecode.Capabilities{BareAllow: test.bare})
		if (err == nil) != (test.want != "") || !strings.Contains(string(line), test.want) {
			t.Errorf("%s: %s, %v", name, line, err)
		}
		if err != nil && messages.KindOf(err) != messages.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if asked.Decision != messages.Undecided {
		t.Error("the request itself was decided")
	}
}
