package talk

import (
	"strings"
	"testing"

	"betcode/cmd/betcode/internal/eventtest"

	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/render"
	pb "betcode/proto/betcode/v1"
)

// TestRunReportsRepeatedCrashes plays the events of a session whose agent crashes too
// often in one turn.
func TestRunReportsRepeatedCrashes(t *testing.T) {
	at := &turn{key: "k", session: "s"}
	for _, e := range []*pb.AgentEvent{
		{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{IdempotencyKey: "k"}}},
		{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{
			Code: "SUBPROCESS_CRASHED", Message: "Claude process crashed: killed",
			Details: map[string]string{"exit_code": "137", "stderr": "out of memory"},
		}}},
		{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{StopReason: "interrupted"}}},
	} {
		at.event(e)
	}
	if !at.done {
		t.Fatal("the turn is not over")
	}
	failed, why := at.failed()
	if !failed || !strings.Contains(why, "out of memory") || !strings.Contains(why, "killed") {
		t.Errorf("failed %t: %q", failed, why)
	}
	if code := exit.Code(at.exit()); code != exit.Failed {
		t.Errorf("exit %d", code)
	}
	var out strings.Builder
	if err := (jsonOutput{&out}).finish(at); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"is_error": true`, `"stop_reason": "interrupted"`, `"stderr": "out of memory"`, `"error_code": "SUBPROCESS_CRASHED"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %s", want, out.String())
		}
	}
	at.interrupted = true
	if code := exit.Code(at.exit()); code != exit.Interrupted {
		t.Errorf("interrupted by us: exit %d", code)
	}
}

// TestTurnBehindAnother plays a message that waits for the turn of another one: only its own turn counts.
func TestTurnBehindAnother(t *testing.T) {
	text := func(block, text string) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: block, Text: text}}}
	}
	usage := func(tokens uint32) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_Usage{Usage: &pb.UsageReport{InputTokens: tokens}}}
	}
	end := func(key string) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{StopReason: "end_turn", InputKeys: []string{key}}}}
	}
	at := &turn{key: "own", session: "s"}
	var screen, out strings.Builder
	live := &liveOutput{screen: render.NewRenderer(&screen, false, false)}
	for _, e := range []*pb.AgentEvent{
		{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{IdempotencyKey: "own"}}},
		text("a", "not mine"), usage(7001), end("other"), text("b", "mine"), usage(8001), end("own"),
	} {
		if at.done {
			t.Fatal("the turn is over before its end")
		}
		at.event(e)
		if err := live.event(at, e); err != nil {
			t.Fatal(err)
		}
	}
	if err := (&textOutput{stdout: &out}).finish(at); err != nil || out.String() != "mine\n" {
		t.Errorf("answer %q, %v", out.String(), err)
	}
	if at.usage.GetInputTokens() != 8001 || !at.done {
		t.Errorf("usage %v, over %t", at.usage, at.done)
	}
	if shown := screen.String(); strings.Contains(shown, "7001") || !strings.Contains(shown, "8001") || !strings.Contains(shown, "The turn before this message has ended.\nmine") {
		t.Errorf("the screen shows %q", shown)
	}
}

// TestRunWaitsForTheEndOfARepetition plays a prompt that is repeated. The first turn is not the end.
func TestRunWaitsForTheEndOfARepetition(t *testing.T) {
	input := func(key string, n uint32) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{IdempotencyKey: key, Iteration: n}}}
	}
	turnOf := func(key string) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{StopReason: "end_turn", InputKeys: []string{key}}}}
	}
	say := func(text string) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: text, Text: text}}}
	}
	repeat := func(n uint32, state pb.RepeatState, reason string) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_Repeat{Repeat: &pb.RepeatProgress{IdempotencyKey: "k", Iteration: n, Max: 2, State: state, Reason: reason}}}
	}
	before := []*pb.AgentEvent{
		repeat(1, pb.RepeatState_REPEAT_STATE_PROMPTED, ""), input("k", 1), say("more"), turnOf("k"), repeat(2, pb.RepeatState_REPEAT_STATE_PROMPTED, ""), input("k2", 2),
		turnOf("another client's"),
	}
	for name, c := range map[string]struct {
		end  []*pb.AgentEvent
		code int
	}{
		"complete":                   {[]*pb.AgentEvent{say("DONE"), turnOf("k2"), repeat(2, pb.RepeatState_REPEAT_STATE_COMPLETE, "")}, 0},
		"exhausted":                  {[]*pb.AgentEvent{say("DONE"), turnOf("k2"), repeat(2, pb.RepeatState_REPEAT_STATE_EXHAUSTED, "enough")}, exit.Failed},
		"ended, then the turn is":    {[]*pb.AgentEvent{repeat(2, pb.RepeatState_REPEAT_STATE_CANCELLED, "ended by bob"), say("DONE"), turnOf("k2")}, exit.Failed},
		"the turn of another prompt": {[]*pb.AgentEvent{say("DONE"), turnOf("k2"), repeat(2, pb.RepeatState_REPEAT_STATE_FAILED, "")}, exit.Failed},
	} {
		at := &turn{key: "k", session: "s", repeats: true}
		for _, e := range before {
			at.event(e)
		}
		for i, e := range c.end {
			if at.done {
				t.Errorf("%s: it is over before event %d", name, i)
			}
			at.event(e)
		}
		if code := exit.Code(at.exit()); !at.done || code != c.code || at.text.String() != "DONE" {
			t.Errorf("%s: done %t, exit %d, text %q", name, at.done, code, at.text.String())
		}
	}
}

// TestRunCountsJournaledEventsOnly plays a journal that fails: when it refuses the message, and in the middle of the
// answer, which it publishes again after its recovery.
func TestRunCountsJournaledEventsOnly(t *testing.T) {
	input := func(volatile bool) *pb.AgentEvent {
		return &pb.AgentEvent{Volatile: volatile, Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{IdempotencyKey: "k"}}}
	}
	text := func(volatile bool, text string) *pb.AgentEvent {
		return &pb.AgentEvent{Volatile: volatile, Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: "b", Text: text}}}
	}
	over := func(volatile bool) *pb.AgentEvent {
		return &pb.AgentEvent{Volatile: volatile, Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{InputKeys: []string{"k"}}}}
	}
	refused := &turn{key: "k"}
	refused.event(input(true))
	refused.event(&pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{
		Code: "SQLITE_ERROR", Message: "no space left", Details: map[string]string{"idempotency_key": "k"},
	}}})
	if failed, why := refused.failed(); !refused.done || !failed || why != "no space left" {
		t.Errorf("a refused message: done %t, failed %t: %s", refused.done, failed, why)
	}

	answered := &turn{key: "k"}
	for _, e := range []*pb.AgentEvent{
		input(false), text(false, "one "), text(true, "two "), over(true),
	} {
		answered.event(e)
	}
	if answered.done {
		t.Error("a turn is over before the journal has its end")
	}
	for _, e := range []*pb.AgentEvent{text(false, "two "), text(false, "three"), over(false)} {
		answered.event(e)
	}
	if got := answered.text.String(); got != "one two three" || !answered.done {
		t.Errorf("done %t: %q", answered.done, got)
	}
}

// TestRunLeavesOutRetractedText checks that the answer of a run has no retracted text.
func TestRunLeavesOutRetractedText(t *testing.T) {
	at := &turn{key: "k"}
	for _, e := range eventtest.Retracted() {
		at.event(e)
	}
	if got := at.text.String(); got != "Stays." {
		t.Errorf("got %q", got)
	}
}

func TestFinalText(t *testing.T) {
	var f finalText
	add := func(id, text string) { f.add(&pb.TextDelta{BlockId: id, Text: text}) }
	add("1", "a")
	add("1", "b")
	add("2", "c")
	if f.String() != "ab\n\nc" {
		t.Errorf("got %q", f.String())
	}
	f.add(&pb.TextDelta{BlockId: "2", Withdrawn: true})
	f.add(&pb.TextDelta{BlockId: "3", Text: "thought", Thinking: true})
	if f.String() != "ab" {
		t.Errorf("got %q", f.String())
	}
	add("2", "d")
	if f.String() != "ab\n\nd" {
		t.Errorf("got %q", f.String())
	}
}

// A run reports that its message is queued behind a turn that waits for a person, because no other output may follow for days.
func TestRunNamesWhatItsMessageWaitsBehind(t *testing.T) {
	request := func(seq uint64) *pb.AgentEvent {
		return &pb.AgentEvent{Sequence: seq, Event: &pb.AgentEvent_PermissionRequest{PermissionRequest: &pb.PermissionRequest{RequestId: "r"}}}
	}
	question := &pb.AgentEvent{Event: &pb.AgentEvent_UserQuestion{UserQuestion: &pb.UserQuestion{QuestionId: "q/1"}}}
	at := &turn{key: "k"}
	if got := at.behind(request(0)); got != "r" {
		t.Errorf("behind the request %q", got)
	}
	if got := at.behind(question); got != "q" {
		t.Errorf("behind the question %q", got)
	}
	if got := at.behind(request(7)); got != "" {
		t.Errorf("a request of the history, which may be decided: %q", got)
	}
	at.event(&pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{IdempotencyKey: "k"}}})
	if got := at.behind(request(0)); got != "" {
		t.Errorf("a request of its own turn: %q", got)
	}
}

// An agent that is not logged in is reported once: on standard error, or on the screen by the agent's text and then the hint.
func TestRunSaysOnceThatTheAgentIsNotLoggedIn(t *testing.T) {
	const said, hint = "Not logged in · Please run /login", "log in: claude /login. Or give the daemon an API key (ANTHROPIC_API_KEY) and restart it"
	for name, test := range map[string]struct {
		shown             bool
		text, error, code string
		want, output      string
	}{
		"in a pipe":         {false, said, said, "AUTHENTICATION_FAILED", "the agent is not logged in; " + hint, ""},
		"on a screen":       {true, said, said, "AUTHENTICATION_FAILED", hint, ""},
		"a refused key":     {false, "", "API Error: 401", "AUTHENTICATION_FAILED", "API Error: 401; " + hint, ""},
		"another error":     {false, "so far", "API Error: 500", "API_ERROR", "API Error: 500", "so far\n"},
		"the answer itself": {false, "API Error: 500", "API Error: 500", "API_ERROR", "API Error: 500", ""},
	} {
		u := &turn{key: "k", shown: test.shown}
		for _, e := range []*pb.AgentEvent{
			{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{IdempotencyKey: "k"}}},
			eventtest.Text(test.text),
			{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{Code: test.code, Message: test.error}}},
			{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{IsError: true, Error: test.error, InputKeys: []string{"k"}}}},
		} {
			u.event(e)
		}
		var out strings.Builder
		if err := (&textOutput{stdout: &out}).finish(u); err != nil || out.String() != test.output {
			t.Errorf("%s: printed %q, %v, want %q", name, out.String(), err, test.output)
		}
		if _, why := u.failed(); why != test.want {
			t.Errorf("%s: %q, want %q", name, why, test.want)
		}
	}
}
