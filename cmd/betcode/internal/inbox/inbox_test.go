package inbox

import (
	"strings"
	"testing"
	"time"

	"betcode/cmd/betcode/internal/eventtest"
	pb "betcode/proto/betcode/v1"
)

func TestLineAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		event     *pb.AgentEvent
		line      string
		decision  pb.PermissionDecision
		message   string
		answer    string
		complains string
	}{
		"edit":             {eventtest.Asks("r", "Bash", "ls"), "e ls -l", pb.PermissionDecision_ALLOW_WITH_EDIT, "", "", ""},
		"edit nothing":     {eventtest.Asks("r", "Bash", "ls"), "e", 0, "", "", "Add the command"},
		"no rule":          {eventtest.Asks("r", "Bash", "ls"), "r", 0, "", "", "suggests no rule"},
		"stop":             {eventtest.Asks("r", "Bash", "ls"), "x", pb.PermissionDecision_DENY_WITH_INTERRUPT, "", "", ""},
		"a plan, edits":    {eventtest.Asks("r", "ExitPlanMode", ""), "a", pb.PermissionDecision_ALLOW_ONCE, "", "", ""},
		"yes":              {eventtest.Asks("r", "Bash", "ls"), " Y ", pb.PermissionDecision_ALLOW_ONCE, "", "", ""},
		"session":          {eventtest.Asks("r", "Bash", "ls"), "a", pb.PermissionDecision_ALLOW_SESSION, "", "", ""},
		"no":               {eventtest.Asks("r", "Bash", "ls"), "no", pb.PermissionDecision_DENY, "", "", ""},
		"no, because":      {eventtest.Asks("r", "Bash", "ls"), "d use make instead", pb.PermissionDecision_DENY, "use make instead", "", ""},
		"d alone":          {eventtest.Asks("r", "Bash", "ls"), "d", 0, "", "", "Add a text for the agent"},
		"anything else":    {eventtest.Asks("r", "Bash", "ls"), "hm", 0, "", "", "y = yes"},
		"option":           {eventtest.Question("q/0", "Which?", false, "main", "dev"), "2", 0, "", "dev", ""},
		"own words":        {eventtest.Question("q/0", "Which?", false, "main", "dev"), "neither 1 nor 2", 0, "", "neither 1 nor 2", ""},
		"several":          {eventtest.Question("q/0", "Which?", true, "a", "b", "c"), "1, 3", 0, "", "a, c", ""},
		"too many":         {eventtest.Question("q/0", "Which?", false, "a", "b"), "1,2", 0, "", "", "Choose one"},
		"out of range":     {eventtest.Question("q/0", "Which?", false, "a", "b"), "3", 0, "", "", "no option 3"},
		"number as answer": {eventtest.Question("q/0", "How many?", false), "3", 0, "", "3", ""},
		"declined":         {eventtest.Question("q/0", "Which?", false, "a"), "-", pb.PermissionDecision_DENY, "The user declined to answer.", "", ""},
		"nothing":          {eventtest.Question("q/0", "Which?", false, "a"), "", 0, "", "", "number of an option"},
	} {
		t.Run(name, func(t *testing.T) {
			var b Queue
			b.Event(test.event)
			if b.Event(test.event); b.Len() != 1 {
				t.Fatal("it must wait, once")
			}
			request, complaint := b.Answer(test.line)
			if test.complains != "" {
				if request != nil || !strings.Contains(complaint, test.complains) || b.Head() == nil {
					t.Errorf("got %v, %q", request, complaint)
				}
				return
			}
			if b.Event(test.event); complaint != "" || b.Head() != nil {
				t.Errorf("after the answer: %q, %v waits", complaint, b.Head())
			}
			if p := request.GetPermission(); p.GetDecision() != test.decision || p.GetMessage() != test.message {
				t.Errorf("decided %v", p)
			}
			var answer string
			for _, a := range request.GetQuestionResponse().GetAnswers() {
				answer = a
			}
			if answer != test.answer {
				t.Errorf("answered %q, want %q", answer, test.answer)
			}
		})
	}
}

func TestLineOrder(t *testing.T) {
	var b Queue
	b.Event(eventtest.Asks("r1", "Bash", "ls"))
	b.Event(eventtest.Question("q/0", "A?", false))
	b.Event(eventtest.Question("q/1", "B?", false))
	b.Event(eventtest.Asks("r2", "Edit", "x"))
	b.Event(eventtest.Resolved("r1"))
	if b.Key() != "q/0" {
		t.Errorf("first %s", b.Key())
	}
	if r, _ := b.Answer("x"); r.GetQuestionResponse().GetQuestionId() != "q/0" || r.GetQuestionResponse().GetAnswers()["A?"] != "x" {
		t.Errorf("answered %v", r)
	}
	if b.Key() != "q/1" {
		t.Errorf("then %s", b.Key())
	}
	b.Event(eventtest.Resolved("q"))
	if b.Event(eventtest.Question("q/1", "B?", false)); b.Key() != "r2" || b.Len() != 1 {
		t.Errorf("then %s", b.Key())
	}
}

func TestText(t *testing.T) {
	e := eventtest.Asks("r", "Bash", "rm -rf build\nmake\x1b[2J")
	w := &Request{Permission: e.GetPermissionRequest()}
	want := "? allow Bash: rm -rf build\\nmake\\x1b[2J\n    command: rm -rf build\n    make\\x1b[2J\n  " + w.keys() + "\n"
	if got := w.Text(false, time.Now(), true); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	q := &Request{Questions: []*pb.UserQuestion{eventtest.Question("q/0", "Which?", true, "a", "b").GetUserQuestion()}}
	want = "? Which?\n    1  a\n    2  b\n  numbers of options, as 1,3, or your own words; - declines\n"
	if got := q.Text(false, time.Now(), true); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestQueueOfRequests(t *testing.T) {
	var q Queue
	q.Event(eventtest.Asks("r1", "Bash", "ls"))
	q.Event(eventtest.Question("q/0", "A?", false))
	q.Event(eventtest.Question("q/1", "B?", false))
	q.Event(eventtest.Asks("r1", "Bash", "ls")) // again, after a reconnection
	if q.Len() != 2 || q.Head().ID != "r1" {
		t.Errorf("%d wait, first %v", q.Len(), q.Head())
	}
	q.Event(eventtest.Resolved("r1"))
	if q.Head().ID != "q" || len(q.Head().Questions) != 2 {
		t.Errorf("then %v", q.Head())
	}
	q.Done("q")
	if q.Event(eventtest.Question("q/1", "B?", false)); q.Head() != nil {
		t.Error("an answered question waits again")
	}
}

// Edits are accepted when the agent has left its plan mode, once, and not when that failed.
func TestAcceptEdits(t *testing.T) {
	for _, fails := range []bool{false, true} {
		var q Queue
		e := eventtest.Asks("r", "ExitPlanMode", "")
		e.GetPermissionRequest().ToolUseId = "t"
		q.Event(e)
		if a, _ := q.Answer("a"); a.GetPermission().GetDecision() != pb.PermissionDecision_ALLOW_ONCE {
			t.Errorf("answered %v", a)
		}
		left := &pb.AgentEvent{Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{ToolId: "t", IsError: fails}}}
		if due := q.Due(eventtest.Asks("x", "Bash", "")); due != nil {
			t.Errorf("too early: %v", due)
		}
		if due := q.Due(left); (due.GetSettings().GetPermissionMode() == "acceptEdits") == fails {
			t.Errorf("due: %v", due)
		}
		if due := q.Due(left); due != nil {
			t.Errorf("again: %v", due)
		}
	}
}
