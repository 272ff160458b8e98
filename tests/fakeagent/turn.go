package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Why a turn ended early.
var (
	errInterrupted = errors.New("interrupted by the user")
	errNow         = errors.New("aborted by a message with priority now")
	errNoResult    = errors.New("ends without a result")
)

// apiError is a turn that ended because the API refused.
type apiError struct{ status int }

func (e *apiError) Error() string { return "API Error: " + statusText(e.status) }

// turn is one run from init to result. Its fields are the running goroutine's;
// those below mu are shared with interrupts and kills.
type turn struct {
	a        *agent
	ctx      context.Context
	stop     context.CancelCauseFunc
	messages []message // that it answers; folded ones are added
	folded   []string  // uuids of those
	command  string    // uuid of the internal command that runs it, if any
	resumed  string    // uuid of the prompt a resumed process continues
	reason   string    // resume_reason
	origin   obj
	steps    []step

	began      time.Time
	calls      int // API calls
	said       string
	stopReason any
	inTool     bool // interrupted in a tool or at a permission
	announced  bool // the first message_start and assistant line named the messages
	denials    []obj
	local      string        // the slash command it was
	after      []func()      // under a.mu, when it has ended
	ended      chan struct{} // closed then

	// written under a.mu
	alsoCompletes []string // uuids sent again while it ran
	sigint        bool     // ended by SIGINT: exit code 0
	silent        bool     // and without a result

	mu     sync.Mutex
	child  *os.Process // the tool that runs
	toolID string
	killed bool // by a signal to us: the goroutine prints nothing more
}

// newTurn returns a turn; the caller starts it.
func (a *agent) newTurn(messages []message, steps []step) *turn {
	ctx, stop := context.WithCancelCause(context.Background())
	return &turn{a: a, ctx: ctx, stop: stop, messages: messages, steps: steps, began: time.Now(), ended: make(chan struct{})}
}

// start takes messages into the conversation and runs their turn: several are
// merged, and only the last one's uuid remains of them in the transcript. The
// caller holds a.mu.
func (a *agent) start(messages []message) {
	var steps []step
	for _, m := range messages {
		a.lifecycle(m.uuid, "started")
		a.disk.note("queue-operation", obj{"operation": "dequeue", "accepted": []string{m.uuid}})
		accept(a.home, a.session.get(), "turn", m)
		if a.replay {
			a.echo(m)
		}
		steps = append(steps, a.script.steps(m.text)...)
	}
	if !slices.ContainsFunc(steps, func(s step) bool { return !s.plain }) {
		text, _ := contentOf(encode(merged(messages)))
		steps = []step{plainStep(text)} // one answer to all
	}
	last := messages[len(messages)-1]
	if _, onDisk := a.past.answered[last.uuid]; !onDisk {
		a.disk.say("user", last.uuid, obj{
			"message":        obj{"role": "user", "content": merged(messages)},
			"permissionMode": a.mode.get(), "promptSource": "sdk",
		})
	}
	a.turn = a.newTurn(messages, steps)
	go a.run(a.turn)
}

// merged is the model's input when several messages become one.
func merged(messages []message) any {
	if len(messages) == 1 {
		return messages[0].raw
	}
	text := ""
	for i, m := range messages {
		if i > 0 {
			text += "\n"
		}
		text += m.text
	}
	return text
}

// echo is the line of --replay-user-messages.
func (a *agent) echo(m message) {
	line := obj{
		"type": "user", "message": obj{"role": "user", "content": m.raw}, "isReplay": true,
		"session_id": a.session.get(), "parent_tool_use_id": nil, "uuid": m.uuid,
	}
	a.out.line(line)
}

// run is the turn's goroutine.
func (a *agent) run(t *turn) { a.finish(t, t.play()) }

// play is the turn up to its result.
func (t *turn) play() error {
	if len(t.steps) == 1 && t.steps[0].slash {
		return t.steps[0].do(t, t.steps[0].arg)
	}
	t.init()
	for _, s := range t.steps {
		if err := s.do(t, s.arg); err != nil {
			return err
		}
	}
	return nil
}

// init prints the line that begins a turn.
func (t *turn) init() {
	a := t.a
	a.mu.Lock()
	defer a.mu.Unlock()
	tools := []string{"Task", "AskUserQuestion", "Bash", "Edit", "ExitPlanMode", "Read", "Write"}
	servers, more := mcpServers()
	line := obj{
		"cwd": a.cwd, "original_cwd": a.cwd, "model": a.model.get(), "permissionMode": a.mode.get(),
		"tools":       append(tools, more...),
		"mcp_servers": servers, "slash_commands": []string{"clear", "compact", "cost"}, "skills": []any{},
		"agents": []string{"general-purpose"}, "plugins": []any{}, "capabilities": capabilities,
		"apiKeySource": "ANTHROPIC_API_KEY", "claude_code_version": version, "output_style": "default",
	}
	if uuids := t.uuids(); len(uuids) > 0 {
		line["user_message_uuids"] = uuids
	}
	a.system("init", line)
}

// mcpServers are those that FAKE_AGENT_MCP lists, and a tool of each that is connected.
func mcpServers() (servers []any, tools []string) {
	servers = []any{}
	for _, one := range strings.Fields(os.Getenv("FAKE_AGENT_MCP")) {
		name, status, _ := strings.Cut(one, "=")
		server := obj{"name": name, "status": status}
		if status == "connected" {
			tools = append(tools, "mcp__"+name+"__search")
		} else {
			server["error"] = "it did not start"
		}
		servers = append(servers, server)
	}
	return servers, tools
}

var capabilities = []string{
	"interrupt_receipt_v1", "interrupt_cancel_queued_v1", "interrupt_send_now_v1",
	"interrupt_requeue_taken_v1", "msg_lifecycle_v1", "request_marker_lists_v1", "ask_user_question_unanswered_v1",
}

// uuids are those of the messages it answers.
func (t *turn) uuids() []string {
	var uuids []string
	for _, m := range t.messages {
		if m.uuid != "" {
			uuids = append(uuids, m.uuid)
		}
	}
	return uuids
}

// wait sleeps; an error means that the turn must end.
func (t *turn) wait(d time.Duration) error {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-t.ctx.Done():
		}
	}
	return context.Cause(t.ctx)
}

// requesting announces an API call.
func (t *turn) requesting() {
	line := obj{"status": "requesting"}
	if uuids := t.uuids(); len(uuids) > 0 {
		line["user_message_uuids"] = uuids
	}
	t.a.system("status", line)
}

// killTool kills the command that runs, with everything it started, and returns the id of the call.
// The turn prints nothing about it.
func (t *turn) killTool() (toolID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.killed = true
	if t.child == nil {
		return ""
	}
	_ = syscall.Kill(-t.child.Pid, syscall.SIGKILL)
	return t.toolID
}

// fold takes everything queued into the running turn, as happens after each tool
// result: those messages get no turn and no result of their own.
func (t *turn) fold() {
	a := t.a
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range a.queue {
		t.messages = append(t.messages, m)
		t.folded = append(t.folded, m.uuid)
		a.disk.note("queue-operation", obj{
			"operation": "remove", "content": m.text,
			"reason": "absorbed_mid_turn", "commandUuid": m.uuid, "accepted": []string{m.uuid},
		})
		a.disk.say("attachment", "", obj{"attachment": obj{
			"type": "queued_command", "prompt": m.text,
			"source_uuid": m.uuid, "commandMode": "prompt", "timestamp": timestamp(),
		}})
		accept(a.home, a.session.get(), "folded", m)
		a.lifecycle(m.uuid, "started")
		if a.replay {
			a.echo(m)
		}
	}
	a.queue = nil
}
