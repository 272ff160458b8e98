package session

import (
	"testing"

	"betcode/messages"
)

// Answers to questions do not allow a call of a tool.
func TestAnswersDoNotAllowACall(t *testing.T) {
	b := ruled(t, nil)
	b.tell(b.out(asksFor("p1", "Bash", "make")))
	b.quiet()
	b.on(messages.AnswerPermission{Session: sessionA, Client: "ann", Request: "p1", Decision: messages.DecisionAnswered, Answers: map[string]string{"1": "2"}},
		"to ann: invalid")
}
