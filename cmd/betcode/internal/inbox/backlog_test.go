package inbox

import (
	"slices"
	"testing"

	"betcode/cmd/betcode/internal/eventtest"
	pb "betcode/proto/betcode/v1"
)

// input returns a message that was accepted.
func input(key, text string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{IdempotencyKey: key, Content: text}}}
}

// called and returned are the begin and the end of a call, by a subagent within the agent if parent is not empty.
func called(id, parent string) *pb.AgentEvent {
	return &pb.AgentEvent{ParentToolUseId: parent, Event: &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{ToolId: id, ToolName: "Bash"}}}
}

func returned(id string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{ToolId: id}}}
}

func over(keys ...string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{InputKeys: keys}}}
}

// ofSubagent makes a request one of a subagent: with a session of its own, or within the agent, below a call.
func ofSubagent(e *pb.AgentEvent, session, agent, call string) *pb.AgentEvent {
	e.ParentToolUseId = call
	p := e.GetPermissionRequest()
	p.SubagentId, p.AgentId = session, agent
	return e
}

func TestBacklog(t *testing.T) {
	thinks, idle := eventtest.Status(pb.AgentStatus_THINKING), eventtest.Status(pb.AgentStatus_IDLE)
	asks := eventtest.Asks("r", "Bash", "rm -rf build")
	const queued, gets = "Queued: the agent reads this message after an answer to the request for Bash: rm -rf build", "The agent gets the queued message: "
	for name, test := range map[string]struct {
		events []*pb.AgentEvent
		lines  []string
		left   int
	}{
		"behind a request":       {[]*pb.AgentEvent{thinks, called("t", ""), asks, input("k", "and then test")}, []string{queued}, 1},
		"until its call ends":    {[]*pb.AgentEvent{thinks, called("t", ""), asks, input("k", "a"), eventtest.Resolved("r")}, []string{queued}, 1},
		"after its call":         {[]*pb.AgentEvent{thinks, called("t", ""), asks, input("k", "a\nb"), eventtest.Resolved("r"), returned("t"), over("k")}, []string{queued, gets + "a b"}, 0},
		"two calls":              {[]*pb.AgentEvent{called("t", ""), called("u", ""), asks, input("k", "a"), eventtest.Resolved("r"), returned("t")}, []string{queued}, 1},
		"a call is taken back":   {[]*pb.AgentEvent{called("t", ""), asks, input("k", "a"), eventtest.Resolved("r"), {Event: &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{ToolId: "t", Withdrawn: true}}}}, []string{queued, gets + "a"}, 0},
		"the turn is cancelled":  {[]*pb.AgentEvent{called("t", ""), asks, input("k", "a"), eventtest.Resolved("r"), over()}, []string{queued, gets + "a"}, 0},
		"shown again":            {[]*pb.AgentEvent{called("t", ""), asks, asks, input("k", "a"), eventtest.Resolved("r"), returned("t")}, []string{queued, gets + "a"}, 0},
		"a question":             {[]*pb.AgentEvent{thinks, eventtest.Question("q/0", "Which?", false), eventtest.Question("q/1", "Why?", false), input("k", "a"), eventtest.Resolved("q")}, []string{"Queued: the agent reads this message after an answer to the question: Which?", gets + "a"}, 0},
		"a plan":                 {[]*pb.AgentEvent{thinks, eventtest.Asks("r", "ExitPlanMode", ""), input("k", "a")}, []string{"Queued: the agent reads this message after an answer to the plan of the agent"}, 1},
		"between turns":          {[]*pb.AgentEvent{over("j"), idle, eventtest.Asks("r", "Budget", "5 USD"), idle, input("k", "a")}, []string{"Queued: the agent reads this message after an answer to the request for Budget: 5 USD"}, 1},
		"another session asks":   {[]*pb.AgentEvent{thinks, ofSubagent(eventtest.Asks("r", "Bash", "x"), "s", "", ""), input("k", "a")}, nil, 1},
		"beside the agent":       {[]*pb.AgentEvent{idle, ofSubagent(eventtest.Asks("r", "Bash", "x"), "", "g", "t"), input("k", "a")}, nil, 0},
		"within a running call":  {[]*pb.AgentEvent{called("t", ""), ofSubagent(eventtest.Asks("r", "Bash", "rm -rf build"), "", "g", "t"), input("k", "a")}, []string{queued}, 1},
		"a turn runs":            {[]*pb.AgentEvent{thinks, input("k", "a")}, nil, 1},
		"a turn ran":             {[]*pb.AgentEvent{thinks, input("k", "a"), over("j")}, nil, 0},
		"no turn runs":           {[]*pb.AgentEvent{idle, input("k", "a"), thinks}, nil, 0},
		"the agent fails":        {[]*pb.AgentEvent{thinks, asks, input("k", "a"), eventtest.Status(pb.AgentStatus_ERROR)}, []string{queued}, 1},
		"a call of a subagent":   {[]*pb.AgentEvent{thinks, called("u", "t"), asks, input("k", "a"), eventtest.Resolved("r")}, []string{queued, gets + "a"}, 0},
		"another prompt of loop": {[]*pb.AgentEvent{thinks, {Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{IdempotencyKey: "k", Iteration: 2}}}}, nil, 0},
		"not journaled":          {[]*pb.AgentEvent{thinks, asks, {Volatile: true, Event: input("k", "a").GetEvent()}}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var b Backlog
			var lines []string
			for _, e := range test.events {
				lines = append(lines, b.Event(e)...)
			}
			if !slices.Equal(lines, test.lines) || b.Len() != test.left {
				t.Errorf("%q, %d left", lines, b.Len())
			}
		})
	}
}

// A person who attaches learns what the messages wait for.
func TestBehind(t *testing.T) {
	var b Backlog
	for _, e := range []*pb.AgentEvent{called("t", ""), input("j", "early"), eventtest.Asks("r", "Bash", "rm -rf build"), input("k", "a"), input("l", "b")} {
		b.Event(e)
	}
	if got, want := b.Behind(), "2 messages queued: the agent reads on after an answer to the request for Bash: rm -rf build"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b.Event(eventtest.Resolved("r"))
	if got := b.Behind(); got != "" {
		t.Errorf("after the answer: %q", got)
	}
}
