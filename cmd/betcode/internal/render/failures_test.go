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
		"between two processes": {
			[]*pb.AgentEvent{{Event: &pb.AgentEvent_Lock{Lock: &pb.LockChange{Holder: "lea@box#1.y", PreviousHolder: "lea@box#2.x"}}}},
			"note: lea@box (1) has the input lock now, which lea@box (2) had; /lock asks for it\n",
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

// Texts about the input lock distinguish two clients of one user and machine, and name the reader's own.
func TestLockOfOneUser(t *testing.T) {
	const here, there, script, other = "lea@box:pts/3#7.x", "lea@box:pts/5#8.y", "lea@box#9.z", "lea@box#10.w"
	lock := func(l *pb.LockChange) *pb.AgentEvent { return &pb.AgentEvent{Event: &pb.AgentEvent_Lock{Lock: l}} }
	refused := func(details ...string) *pb.AgentEvent {
		e := &pb.ErrorEvent{Code: "NO_INPUT_LOCK", Message: "another client holds the input lock", Details: map[string]string{"holder_client_id": there}}
		for _, d := range details {
			e.Details[d] = "true"
		}
		return &pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: e}}
	}
	for name, c := range map[string]struct {
		reader string
		event  *pb.AgentEvent
		want   string
	}{
		"it is asked for":      {here, lock(&pb.LockChange{Holder: here, RequestedBy: there}), "note: your other terminal (pts/5) asks for your input lock: /release gives it up, /refuse keeps it\n"},
		"it asks":              {here, lock(&pb.LockChange{Holder: there, RequestedBy: here}), "note: you asked your other terminal (pts/5) for the input lock; it is yours in ten seconds unless your other terminal (pts/5) keeps it\n"},
		"it watches":           {here, lock(&pb.LockChange{Holder: there, RequestedBy: script}), "note: your other process (9) asks your other terminal (pts/5) for the input lock\n"},
		"it watches scripts":   {"phone", lock(&pb.LockChange{Holder: script, RequestedBy: other}), "note: lea@box (10) asks lea@box (9) for the input lock\n"},
		"a reader of the logs": {"", lock(&pb.LockChange{Holder: script, RequestedBy: other}), "note: lea@box (10) asks lea@box (9) for the input lock\n"},
		"it loses the lock":    {here, lock(&pb.LockChange{Holder: there, PreviousHolder: here}), "note: your other terminal (pts/5) has the input lock now, which you had; /lock asks for it\n"},
		"it gets the lock":     {here, lock(&pb.LockChange{Holder: here, PreviousHolder: there}), "note: you have the input lock now, which your other terminal (pts/5) had\n"},
		"it is offered":        {here, lock(&pb.LockChange{OfferedTo: there}), "note: the input lock is offered to your other terminal (pts/5)\n"},
		"it may not write":     {here, refused(), "error: not sent: your other terminal (pts/5) holds the input lock. /lock asks for it\n"},
		"it is reserved":       {here, refused("lock_reserved"), "error: not sent: the input lock is reserved for your other terminal (pts/5), which held it before the daemon ended. Send the message again in a moment\n"},
		"it has decided":       {here, &pb.AgentEvent{Event: &pb.AgentEvent_PermissionResolved{PermissionResolved: &pb.PermissionResolved{Decision: pb.PermissionDecision_DENY, ResolvedBy: here}}}, "denied by you\n"},
	} {
		var out strings.Builder
		r := NewRenderer(&out, false, false)
		r.As(c.reader)
		if r.Event(c.event); out.String() != c.want {
			t.Errorf("%s: %q, want %q", name, out.String(), c.want)
		}
	}
}
