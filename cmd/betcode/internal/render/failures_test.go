package render

import (
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
)

func said(text string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: "b", Text: text, IsComplete: true}}}
}

func failure(e *pb.ErrorEvent) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: e}}
}

func over(failed string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{IsError: failed != "", Error: failed}}}
}

// A failure that comes in several events is written once, with what mends it; another one is written, too.
func TestFailuresAreWrittenOnce(t *testing.T) {
	const login, remedy = "Not logged in · Please run /login", "The agent is not logged in; log in: claude /login"
	stands := &pb.AgentEvent{Event: &pb.AgentEvent_StatusChange{StatusChange: &pb.StatusChange{Status: pb.AgentStatus_ERROR, Message: "The agent is not logged in"}}}
	prompt := &pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "again"}}}
	locked := func(details ...string) *pb.AgentEvent {
		e := &pb.ErrorEvent{Code: "NO_INPUT_LOCK", Message: "another client holds the input lock", Details: map[string]string{"holder_client_id": "lea@box:pts/3#7.x"}}
		for _, detail := range details {
			e.Details[detail] = "true"
		}
		return failure(e)
	}
	for name, c := range map[string]struct {
		events []*pb.AgentEvent
		want   string
	}{
		"not logged in": {
			[]*pb.AgentEvent{said(login), failure(&pb.ErrorEvent{Message: login}), over(login), failure(&pb.ErrorEvent{Message: remedy}), stands},
			login + "\nthe turn failed\nerror: " + remedy + "\n",
		},
		"the same with its code": {
			[]*pb.AgentEvent{said(login), over(login), failure(&pb.ErrorEvent{Code: "NOT_LOGGED_IN", Message: remedy, Details: map[string]string{"reason": login}}), stands},
			login + "\nthe turn failed\nerror: log in: claude /login\n",
		},
		"a condition that nothing was said about": {
			[]*pb.AgentEvent{failure(&pb.ErrorEvent{Code: "NOT_LOGGED_IN", Message: remedy, Details: map[string]string{"reason": login}})}, "error: " + remedy + "\n",
		},
		"and again after the next message": {
			[]*pb.AgentEvent{said(login), over(login), prompt, failure(&pb.ErrorEvent{Message: login})},
			login + "\nthe turn failed\n> again\nerror: " + login + "\n",
		},
		"an error without text":     {[]*pb.AgentEvent{failure(&pb.ErrorEvent{Message: "API Error: 500"}), over("API Error: 500")}, "error: API Error: 500\nthe turn failed\n"},
		"a turn that fails quietly": {[]*pb.AgentEvent{said("so far so good"), over("API Error: 500")}, "so far so good\nthe turn failed: API Error: 500\n"},
		"a status alone":            {[]*pb.AgentEvent{stands}, "the agent cannot go on: The agent is not logged in\n"},
		"the loser of the lock":     {[]*pb.AgentEvent{locked()}, "error: not sent: lea@box pts/3 holds the input lock. /lock asks for it\n"},
		"a reserved lock": {
			[]*pb.AgentEvent{locked("lock_reserved")},
			"error: not sent: the input lock is reserved for lea@box pts/3, which held it before the daemon ended. Send the message again in a moment\n",
		},
		"a lock that was taken": {
			[]*pb.AgentEvent{{Event: &pb.AgentEvent_Lock{Lock: &pb.LockChange{Holder: "bob@box#1.y", PreviousHolder: "lea@box:pts/3#7.x"}}}},
			"note: bob@box has the input lock now, which lea@box pts/3 had; /lock asks for it\n",
		},
		"a lock that was released": {[]*pb.AgentEvent{{Event: &pb.AgentEvent_Lock{Lock: &pb.LockChange{PreviousHolder: "a"}}}}, ""},
	} {
		var out strings.Builder
		r := NewRenderer(&out, false, false)
		for _, e := range c.events {
			r.Event(e)
		}
		if out.String() != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, out.String(), c.want)
		}
	}
}
