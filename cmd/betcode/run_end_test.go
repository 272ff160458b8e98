package main

import (
	"strings"
	"testing"

	"betcode/cmd/betcode/internal/exit"
	pb "betcode/proto/betcode/v1"
)

// TestRunWhoseAgentGaveUp plays what a session says when its agent crashes too often
// in a turn.
func TestRunWhoseAgentGaveUp(t *testing.T) {
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
