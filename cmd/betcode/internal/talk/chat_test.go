package talk

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/eventtest"
	pb "betcode/proto/betcode/v1"
)

// numbered gives events their numbers.
func numbered(events ...*pb.AgentEvent) []*pb.AgentEvent {
	for i, e := range events {
		e.Sequence = uint64(i + 1)
	}
	return events
}

// TestChatShowsOnlyOpenRequests replays a history with requests that were answered long ago.
func TestChatShowsOnlyOpenRequests(t *testing.T) {
	var out bytes.Buffer
	c := newChat(&out, console.Terminal{}, 3, false, false)
	for _, e := range numbered(eventtest.Asks("old", "Bash", "ls"), eventtest.Resolved("old"), eventtest.Asks("new", "Edit", "x"), eventtest.Text("more")) {
		c.event(e)
	}
	if got := out.String(); strings.Contains(got, "allow Bash") || strings.Count(got, "allow Edit") != 1 {
		t.Errorf("shown:\n%s", got)
	}
	if r := c.typed("y"); len(r.send) != 1 || r.send[0].GetPermission().GetRequestId() != "new" {
		t.Errorf("answered %v", r)
	}
	if r := c.typed("hello"); r.say != "hello" {
		t.Errorf("said %v", r)
	}
}

func TestChatTyped(t *testing.T) {
	for name, test := range map[string]struct {
		readOnly, waits bool
		lines           []string
		say             string
		leave           bool
		request         string // beginning of its text
		shows           string
	}{
		"message":            {lines: []string{"fix it"}, say: "fix it"},
		"two lines":          {lines: []string{`first\`, "second"}, say: "first\nsecond"},
		"agent's command":    {lines: []string{"/compact now"}, say: "/compact now"},
		"quit":               {lines: []string{"/quit"}, leave: true},
		"cancel":             {lines: []string{"/cancel"}, request: "cancel:"},
		"model":              {lines: []string{"/model opus"}, request: `settings:{model:"opus"}`},
		"mode":               {lines: []string{"/mode plan"}, request: `settings:{permission_mode:"plan"}`},
		"release":            {lines: []string{"/release"}, request: "lock:{action:LOCK_ACTION_RELEASE}"},
		"refuse":             {lines: []string{"/refuse"}, request: "lock:{action:LOCK_ACTION_REFUSE}"},
		"model alone":        {lines: []string{"/model"}, shows: "Name missing"},
		"help":               {lines: []string{"/help"}, shows: "/cancel"},
		"empty":              {lines: []string{""}},
		"answer":             {waits: true, lines: []string{"y"}, request: "permission:"},
		"say while waiting":  {waits: true, lines: []string{"/say wait"}, say: "wait"},
		"wrong answer":       {waits: true, lines: []string{"hello"}, shows: "Answer with"},
		"watching":           {readOnly: true, lines: []string{"hello"}, shows: "only watching"},
		"leave the watching": {readOnly: true, lines: []string{"/quit"}, leave: true},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			c := newChat(&out, console.Terminal{}, 0, false, test.readOnly)
			if test.waits {
				c.event(eventtest.Asks("r", "Bash", "ls"))
			}
			var r reaction
			for _, line := range test.lines {
				r = c.typed(line)
			}
			if r.say != test.say || r.leave != test.leave || !strings.Contains(out.String(), test.shows) {
				t.Errorf("got %+v, shown %q", r, &out)
			}
			var request string
			for _, q := range r.send {
				request = strings.ReplaceAll(q.String(), "  ", " ")
			}
			if !strings.HasPrefix(request, test.request) || request == "" != (test.request == "") {
				t.Errorf("sent %q, want %q", request, test.request)
			}
		})
	}
}

// Changes of the input lock are shown, and so is a request of another client for it.
func TestChatLock(t *testing.T) {
	var out bytes.Buffer
	c := newChat(&out, console.Terminal{}, 0, false, false)
	if r := c.typed("/lock"); !r.lock || r.say != "" {
		t.Errorf("asked %+v", r)
	}
	for _, step := range []struct {
		tell func()
		want string
	}{
		{func() { c.lockAnswered(&pb.InputLockResponse{Granted: true, PreviousHolder: "bob"}, nil) }, "You have the input lock."},
		{func() { c.lockAnswered(&pb.InputLockResponse{PreviousHolder: "bob", Refused: true}, nil) }, "bob keeps the input lock"},
		{func() { c.lockAnswered(&pb.InputLockResponse{PreviousHolder: "bob"}, nil) }, "bob has the input lock"},
		{func() { c.lockAnswered(nil, io.ErrUnexpectedEOF) }, "error: unexpected EOF"},
		{func() {
			c.event(&pb.AgentEvent{Event: &pb.AgentEvent_Lock{Lock: &pb.LockChange{Holder: "ann", RequestedBy: "bob"}}})
		}, "bob asks ann for the input lock\n"},
		{func() {
			c.render.As("ann")
			c.event(&pb.AgentEvent{Event: &pb.AgentEvent_Lock{Lock: &pb.LockChange{Holder: "ann", RequestedBy: "bob"}}})
		}, "bob asks for your input lock: /release gives it up, /refuse keeps it"},
		{func() {
			c.render.As("bob")
			c.event(&pb.AgentEvent{Event: &pb.AgentEvent_Lock{Lock: &pb.LockChange{Holder: "ann", RequestedBy: "bob"}}})
		}, "you asked ann for the input lock; it is yours in ten seconds unless ann keeps it"},
		{func() {
			c.event(&pb.AgentEvent{Event: &pb.AgentEvent_Lock{Lock: &pb.LockChange{Holder: "ann", OfferedTo: "bob"}}})
		}, "offered to you: /lock takes it"},
		{func() { c.render.As("") }, ""},
		{func() {
			c.event(&pb.AgentEvent{Event: &pb.AgentEvent_Lock{Lock: &pb.LockChange{Holder: "ann", OfferedTo: "bob"}}})
		}, "offered to bob"},
	} {
		out.Reset()
		if step.tell(); !strings.Contains(out.String(), step.want) {
			t.Errorf("shown %q, want %q", &out, step.want)
		}
	}
}

func TestChatInterrupt(t *testing.T) {
	var out bytes.Buffer
	c := newChat(&out, console.Terminal{}, 0, false, false)
	if r := c.interrupt(); r.leave || len(r.send) > 0 {
		t.Errorf("idle: %+v", r)
	}
	if r := c.interrupt(); !r.leave {
		t.Errorf("again: %+v", r)
	}
	c.typed("go")
	c.event(eventtest.Status(pb.AgentStatus_THINKING))
	if r := c.interrupt(); r.leave || len(r.send) != 1 || r.send[0].GetCancel() == nil {
		t.Errorf("running: %+v", r)
	}
	c.event(eventtest.TurnOver()[1])
	if r := c.interrupt(); r.leave {
		t.Error("the turn had ended: the first press after it must not leave")
	}
	if r := newChat(&out, console.Terminal{}, 0, false, true).interrupt(); !r.leave {
		t.Error("watching: nothing else to interrupt")
	}
}

// TestChatReadsAPipeLineByLine checks that the next line is read when the turn is over, or
// when a request waits for an answer.
func TestChatReadsAPipeLineByLine(t *testing.T) {
	c := newChat(&bytes.Buffer{}, console.Terminal{}, 0, false, false)
	step := func(what string, want bool) {
		t.Helper()
		if c.wantsLine() != want {
			t.Errorf("%s: reads a line: %v, want %v", what, !want, want)
		}
	}
	step("at first", true)
	c.said("k1")
	step("said", false)
	c.event(&pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{IdempotencyKey: "k1"}}})
	c.event(eventtest.Status(pb.AgentStatus_THINKING))
	step("running", false)
	c.event(eventtest.Asks("r", "Bash", "ls"))
	step("asked", true)
	c.typed("y")
	step("answered", false)
	for _, e := range eventtest.TurnOver("k1") {
		c.event(e)
	}
	step("over", true)
	c.said("k2")
	c.event(&pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{Details: map[string]string{"idempotency_key": "k2"}}}})
	step("refused", true)
}

// A message that waits behind a request is announced, and so is that the agent gets it.
func TestChatQueued(t *testing.T) {
	var out bytes.Buffer
	c := newChat(&out, console.Terminal{}, 0, false, false)
	c.event(eventtest.Status(pb.AgentStatus_THINKING))
	c.event(eventtest.Question("q/0", "Which branch?", false, "main", "dev"))
	c.event(&pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{IdempotencyKey: "k", Content: "and test"}}})
	const queued = "> and test\nQueued: the agent reads this message after an answer to the question: Which branch?\n"
	if got := out.String(); !strings.Contains(got, queued) || strings.Contains(got, "The agent gets") {
		t.Errorf("shown:\n%s", got)
	}
	out.Reset()
	c.event(eventtest.Resolved("q"))
	if got := out.String(); !strings.Contains(got, "The agent gets the queued message: and test\n") {
		t.Errorf("after the answer:\n%s", got)
	}

	out.Reset()
	c = newChat(&out, console.Terminal{}, 2, false, false)
	for _, e := range numbered(eventtest.Question("q/0", "Which branch?", false, "main", "dev"),
		&pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{IdempotencyKey: "k", Content: "and test"}}}) {
		c.event(e)
	}
	if got := out.String(); strings.Contains(got, "Queued:") || !strings.Contains(got, "1 message queued: the agent reads on after an answer to the question: Which branch?\n") {
		t.Errorf("attached later:\n%s", got)
	}
}
