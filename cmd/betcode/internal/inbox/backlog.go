package inbox

import (
	"slices"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// Backlog has the messages that a session has accepted while a turn runs and that its agent has not read yet. The agent reads
// them when its running calls have ended, which they cannot while one of them waits for a person, or at the end of the turn.
//
// It is plain data: events go in, lines for a person come out. The zero value is empty.
type Backlog struct {
	running  bool
	calls    map[string]bool // the agent's running calls
	requests []waiting       // that keep it from reading, the oldest first
	messages []unread
}

// waiting is a request that keeps the agent from reading messages.
type waiting struct{ id, what string }

// unread is a message that the agent has not read.
type unread struct {
	key, text string
	behind    bool // a request has kept the agent from reading it
}

// shownWords bounds in bytes how much of a message or a request a line repeats.
const shownWords = 80

// Event takes an event. It returns lines for a person: that a message waits behind a request, and that the agent gets it.
func (b *Backlog) Event(e *pb.AgentEvent) (lines []string) {
	if e.GetVolatile() {
		return nil
	}
	switch event := e.GetEvent().(type) {
	case *pb.AgentEvent_StatusChange:
		switch event.StatusChange.GetStatus() {
		case pb.AgentStatus_IDLE: // published only when no message is left
			b.running, b.calls = false, nil
			return b.read(func(unread) bool { return true })
		case pb.AgentStatus_ERROR: // the agent reads nothing
			b.running, b.calls = false, nil
			return nil
		case pb.AgentStatus_THINKING, pb.AgentStatus_EXECUTING_TOOL, pb.AgentStatus_COMPACTING:
			b.running = true
		case pb.AgentStatus_WAITING_FOR_USER, pb.AgentStatus_AGENT_STATUS_UNSPECIFIED:
		}
	case *pb.AgentEvent_TurnComplete:
		b.running, b.calls = false, nil
		return b.read(func(m unread) bool { // it begins the next turn unless a request keeps it from that
			return len(b.requests) == 0 || slices.Contains(event.TurnComplete.GetInputKeys(), m.key)
		})
	case *pb.AgentEvent_ToolCallStart:
		b.call(event.ToolCallStart, e.GetParentToolUseId())
	case *pb.AgentEvent_ToolCallResult:
		delete(b.calls, event.ToolCallResult.GetToolId())
	case *pb.AgentEvent_PermissionRequest:
		if p := event.PermissionRequest; b.blocks(e, p.GetAgentId()) {
			b.asked(p.GetRequestId(), described(p))
		}
	case *pb.AgentEvent_UserQuestion:
		if q := event.UserQuestion; b.blocks(e, "") {
			b.asked(RequestOf(q.GetQuestionId()), "the question: "+console.Shorten(console.Line(q.GetQuestion()), shownWords))
		}
	case *pb.AgentEvent_PermissionResolved:
		b.requests = slices.DeleteFunc(b.requests, func(w waiting) bool { return w.id == event.PermissionResolved.GetRequestId() })
	case *pb.AgentEvent_UserInput:
		return b.accepted(event.UserInput)
	default:
		return nil
	}
	if len(b.requests) == 0 && len(b.calls) == 0 {
		return b.read(func(m unread) bool { return m.behind })
	}
	return nil
}

func (b *Backlog) call(c *pb.ToolCallStart, parent string) {
	switch {
	case c.GetWithdrawn():
		delete(b.calls, c.GetToolId())
	case parent == "":
		if b.calls == nil {
			b.calls = map[string]bool{}
		}
		b.calls[c.GetToolId()] = true
		b.running = true
	}
}

// blocks reports whether a request keeps the agent from reading: not one of a subagent that works beside it.
func (b *Backlog) blocks(e *pb.AgentEvent, agent string) bool {
	if id, _ := SubagentOf(e); id != "" {
		return false
	}
	return agent == "" || b.calls[e.GetParentToolUseId()]
}

// asked adds a request, once.
func (b *Backlog) asked(id, what string) {
	if !slices.ContainsFunc(b.requests, func(w waiting) bool { return w.id == id }) {
		b.requests = append(b.requests, waiting{id, what})
	}
}

// described names a permission request.
func described(p *pb.PermissionRequest) string {
	if (&Request{Permission: p}).Plan() {
		return "the plan of the agent"
	}
	line := p.GetDescription()
	if len(p.GetInput().GetFields()) > 0 {
		line = "" // it is made from the input, without the agent's words
	}
	return "the request for " + console.Line(p.GetToolName()) + ": " + console.ToolCall(p.GetToolName(), p.GetInput(), line, shownWords)
}

// accepted adds a message that came while a turn runs or a request waits.
func (b *Backlog) accepted(u *pb.UserInput) []string {
	if !b.running && len(b.requests) == 0 || u.GetIteration() > 1 {
		return nil
	}
	m := unread{u.GetIdempotencyKey(), console.Shorten(console.Line(u.GetContent()), shownWords), len(b.requests) > 0}
	b.messages = append(b.messages, m)
	if !m.behind {
		return nil
	}
	return []string{"Queued: the agent reads this message after an answer to " + b.requests[0].what}
}

// read removes messages, and returns a line for each of which a person was told that it waits.
func (b *Backlog) read(which func(unread) bool) (lines []string) {
	b.messages = slices.DeleteFunc(b.messages, func(m unread) bool {
		if which(m) && m.behind {
			lines = append(lines, "The agent gets the queued message: "+m.text)
		}
		return which(m)
	})
	return lines
}

// Len returns how many messages wait.
func (b *Backlog) Len() int { return len(b.messages) }

// Behind returns one line about the messages that wait for the answer to a request, for a client that has just attached. It is
// empty if no message waits.
func (b *Backlog) Behind() string {
	n := len(slices.DeleteFunc(slices.Clone(b.messages), func(m unread) bool { return !m.behind }))
	if n == 0 || len(b.requests) == 0 {
		return ""
	}
	return console.Count(n, "message") + " queued: the agent reads on after an answer to " + b.requests[0].what
}
