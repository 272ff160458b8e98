package events

import (
	"maps"
	"strings"
	"testing"

	"betcode/messages"
)

// A resolved request says what runs in place of what was asked, and how questions were answered.
func TestPermissionResolved(t *testing.T) {
	long := strings.Repeat("x", 10*maxAnswer)
	for name, test := range map[string]struct {
		record      messages.PermissionRecord
		description string
		answers     map[string]string
	}{
		"allowed":  {messages.PermissionRecord{Tool: "Bash", Decision: messages.AllowOnce, Input: []byte(`{"command":"ls"}`)}, "", nil},
		"edited":   {messages.PermissionRecord{Tool: "Bash", Decision: messages.AllowWithEdit, Updated: []byte(`{"command":"ls\n-l","description":"list"}`)}, `ls\n-l (the agent says: "list")`, nil},
		"answered": {messages.PermissionRecord{Question: true, Decision: messages.DecisionAnswered, Answers: map[string]string{"Which?": "dev"}}, "", map[string]string{"Which?": "dev"}},
		"declined": {messages.PermissionRecord{Question: true, Decision: messages.Deny, Answers: map[string]string{"Which?": "dev"}}, "", nil},
	} {
		r := PermissionResolved(test.record).GetPermissionResolved()
		if r.GetDescription() != test.description || !maps.Equal(r.GetAnswers(), test.answers) {
			t.Errorf("%s: %v", name, r)
		}
	}
	r := PermissionResolved(messages.PermissionRecord{Decision: messages.DecisionAnswered, Answers: map[string]string{long: long}}).GetPermissionResolved()
	for question, answer := range r.GetAnswers() {
		if len(question) > 2*maxAnswer || len(answer) > 2*maxAnswer {
			t.Errorf("%d and %d bytes", len(question), len(answer))
		}
	}
}
