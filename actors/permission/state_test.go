package permission

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// answerOf is an answer of a client to request "p".
func answerOf(client messages.ClientID, d messages.Decision) messages.AnswerPermission {
	return messages.AnswerPermission{Session: "s", Client: client, Request: "p", Decision: d}
}

// chosen is the answer of ann to one of several questions, "p/n", or to all.
func chosen(request messages.RequestID, pairs ...string) messages.AnswerPermission {
	a := messages.AnswerPermission{Session: "s", Client: "ann", Request: request, Decision: messages.DecisionAnswered, Answers: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		a.Answers[pairs[i]] = pairs[i+1]
	}
	return a
}

func showPermission(effects []act.Effect) string {
	var words []string
	for _, e := range effects {
		switch e := e.(type) {
		case act.Reply:
			if err, late := e.With.(*messages.Error); late {
				words = append(words, fmt.Sprintf("to %s: %s", e.To.Id, err.Code))
				continue
			}
			m := e.With.(messages.PermissionAnswered)
			words = append(words, fmt.Sprintf("to %s: applied %v, %d by %s", e.To.Id, m.Applied, m.Decision, m.By))
		case ToSession:
			d, ok := e.Message.(Decided)
			if !ok {
				words = append(words, fmt.Sprintf("%T%v", e.Message, e.Message))
				continue
			}
			word := fmt.Sprintf("decided %d by %s at %s", d.Answer.Decision, d.By, d.At.Format("15:04"))
			if d.From != nil {
				word += " for " + d.From.Id
			}
			for _, q := range slices.Sorted(maps.Keys(d.Answer.Answers)) {
				word += fmt.Sprintf(", %s=%s", q, d.Answer.Answers[q])
			}
			words = append(words, word)
		}
	}
	return strings.Join(words, "; ")
}

func TestPermissionState(t *testing.T) {
	type step struct {
		in   any
		want string
	}
	for _, c := range []struct {
		name      string
		questions int
		steps     []step
	}{
		{"the first answer wins", 0, []step{
			{answerOf("ann", messages.AllowOnce), "decided 1 by ann at 06:00 for asker"},
			{answerOf("bob", messages.Deny), "decided 3 by bob at 06:00 for asker"}, // the session replies that it came too late
			{answerOf("ann", messages.AllowOnce), "decided 1 by ann at 06:00 for asker"},
			{deadlineReached{}, ""},
		}},
		{"the deadline wins", 0, []step{
			{deadlineReached{}, "decided 101 by deadline at 06:00"},
			{answerOf("bob", messages.AllowOnce), "decided 1 by bob at 06:00 for asker"},
			{deadlineReached{}, ""},
		}},
		{"one question", 1, []step{
			{chosen("p", "Why?", "because"), "decided 102 by ann at 06:00 for asker, Why?=because"},
			{chosen("p", "Why?", "no"), "decided 102 by ann at 06:00 for asker, Why?=no"},
		}},
		{"one question by its number", 1, []step{
			{chosen("p/0", "Why?", "because"), "decided 102 by ann at 06:00 for asker, Why?=because"},
		}},
		{"several questions are collected", 3, []step{
			{chosen("p/1", "Who?", "me"), "to asker: applied true, 102 by ann"},
			{chosen("p/0", "Why?", "because"), "to asker: applied true, 102 by ann"},
			{chosen("p/1", "Who?", "you"), "to asker: applied true, 102 by ann"},
			{chosen("p/2", "When?", "now"), "decided 102 by ann at 06:00 for asker, When?=now, Who?=you, Why?=because"},
			{chosen("p/2", "When?", "later"), "decided 102 by ann at 06:00 for asker, When?=later"},
		}},
		{"several questions answered at once, some of them", 3, []step{
			{chosen("p", "Who?", "me", "Why?", "because"), "decided 102 by ann at 06:00 for asker, Who?=me, Why?=because"},
		}},
		{"collected answers go with those that end it", 3, []step{
			{chosen("p/1", "Who?", "me"), "to asker: applied true, 102 by ann"},
			{chosen("p", "Why?", "because"), "decided 102 by ann at 06:00 for asker, Who?=me, Why?=because"},
		}},
		{"questions with one and the same text", 2, []step{
			{chosen("p/0", "Sure?", "yes"), "to asker: applied true, 102 by ann"},
			{chosen("p/1", "Sure?", "no"), "decided 102 by ann at 06:00 for asker, Sure?=no"},
		}},
		{"a question may be denied", 2, []step{
			{chosen("p/0", "Why?", "because"), "to asker: applied true, 102 by ann"},
			{answerOf("bob", messages.Deny), "decided 3 by bob at 06:00 for asker"},
		}},
		{"the deadline drops what was collected", 2, []step{
			{chosen("p/0", "Why?", "because"), "to asker: applied true, 102 by ann"},
			{deadlineReached{}, "decided 101 by deadline at 06:00"},
		}},
		{"anything else is ignored", 0, []step{{"hello", ""}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := State{record: messages.PermissionRecord{Request: "p", Session: "s"}, questions: c.questions}
			for i, step := range c.steps {
				var effects []act.Effect
				s, effects = s.Step(dawn, actor.NewPID("here", "asker"), step.in)
				if got := showPermission(effects); got != step.want {
					t.Fatalf("step %d:\ngot  %q\nwant %q", i+1, got, step.want)
				}
			}
		})
	}
}

// The error of a deadline names the request and the session.
func TestDeadlineNamesTheRequest(t *testing.T) {
	s := State{record: messages.PermissionRecord{Request: "p", Session: "s"}}
	_, effects := s.Step(dawn, nil, deadlineReached{})
	a := effects[0].(ToSession).Message.(Decided).Answer
	if a.Request != "p" || a.Session != "s" {
		t.Errorf("%+v", a)
	}
}

// Answers that were sent are not changed by later ones.
func TestCollectedAnswersAreCopied(t *testing.T) {
	s := State{questions: 2}
	mine := chosen("p/0", "Why?", "because")
	s, _ = s.Step(dawn, actor.NewPID("here", "asker"), mine)
	before := s
	s, _ = s.Step(dawn, actor.NewPID("here", "asker"), chosen("p/1", "Who?", "me"))
	if len(mine.Answers) != 1 || len(before.answers) != 1 || len(s.answers) != 2 {
		t.Errorf("the message has %v, the state before %v, the state after %v", mine.Answers, before.answers, s.answers)
	}
}
