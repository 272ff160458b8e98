package talk

import (
	"cmp"
	"slices"
	"strings"

	"betcode/cmd/betcode/internal/inbox"
	pb "betcode/proto/betcode/v1"
)

// turn is the state of a run's turn. It is plain data: events go in, answers come out.
type turn struct {
	key, session string
	client       string // id of this client
	policy       Policy

	shown   bool               // text is written while it comes, for a person
	repeats bool               // the daemon repeats the message
	prompt  string             // key of its newest prompt; empty: that of the message
	ended   *pb.RepeatProgress // how the repetition ended; nil: it has not

	accepted     bool // our message is in the journal
	done         bool
	mayBeOver    bool // no event will report the end; ask the daemon
	interrupted  bool // by this run
	decided      map[string]bool
	denied       []denial
	text         finalText
	usage        *pb.UsageReport
	complete     *pb.TurnComplete
	failure      *pb.ErrorEvent // the last error since the message was accepted, or its refusal
	last         uint64
	crashed      bool
	awaitsResume bool // it was interrupted, and a person has to resume it
	budgetWaits  bool // a person was asked before this run to raise the budget
	overBudget   bool // the message waits, because a budget is used
	overDay      bool // it is that of the day
}

// event takes one event and returns the answers to send. It ignores volatile events: the journal failed, and publishes
// them again after its recovery. Until then a message that they acknowledge may still be refused.
func (t *turn) event(e *pb.AgentEvent) []*pb.AgentRequest {
	if e.GetVolatile() {
		return nil
	}
	t.last = max(t.last, e.GetSequence())
	if event, ok := e.GetEvent().(*pb.AgentEvent_UserInput); ok && event.UserInput.GetIdempotencyKey() == t.key {
		t.accepted = true
		t.mayBeOver = t.budgetWaits && t.policy != askPerson
	}
	if id, _ := inbox.SubagentOf(e); id == "" && e.GetPermissionRequest().GetToolName() == budgetTool && e.GetSequence() == 0 {
		t.budgetWaits = true // since before this message, so no event with the reason follows
	}
	if f := e.GetError(); f != nil && (t.accepted || f.GetDetails()["idempotency_key"] == t.key) {
		t.failure = f
		t.done = t.done || !t.accepted // it was refused
	}
	if !t.accepted {
		return nil
	}
	switch event := e.GetEvent().(type) {
	case *pb.AgentEvent_TextDelta:
		if e.GetParentToolUseId() == "" {
			t.text.add(event.TextDelta)
		}
	case *pb.AgentEvent_ToolCallStart:
		if e.GetParentToolUseId() == "" && !event.ToolCallStart.GetWithdrawn() {
			t.text.reset() // text before a tool call is not the answer
		}
	case *pb.AgentEvent_PermissionRequest:
		return t.permission(e, event.PermissionRequest.GetRequestId(), event.PermissionRequest.GetToolName(), false)
	case *pb.AgentEvent_UserQuestion:
		return t.permission(e, inbox.RequestOf(event.UserQuestion.GetQuestionId()), "AskUserQuestion", true)
	case *pb.AgentEvent_Retraction:
		t.text.retract(event.Retraction.GetBlockIds())
	case *pb.AgentEvent_Usage:
		t.usage = event.Usage
	case *pb.AgentEvent_TurnComplete:
		if t.ends(event.TurnComplete) {
			t.complete, t.done = event.TurnComplete, !t.repeats || t.ended != nil
		} else { // what it said and consumed is not this turn's
			t.text.reset()
			t.usage = nil
		}
	case *pb.AgentEvent_UserInput:
		t.nextPrompt(event.UserInput)
	case *pb.AgentEvent_Repeat:
		t.repeated(event.Repeat)
	case *pb.AgentEvent_StatusChange:
		s := event.StatusChange.GetStatus()
		t.mayBeOver = s == pb.AgentStatus_IDLE || s == pb.AgentStatus_ERROR
	case *pb.AgentEvent_Notice:
		t.mayBeOver = t.mayBeOver || t.stopsAt(event.Notice.GetCode())
	}
	return nil
}

// ends reports whether a turn that is complete is that of the message. The message may have waited for the turn of another one.
func (t *turn) ends(c *pb.TurnComplete) bool {
	keys := c.GetInputKeys()
	return t.accepted && (slices.Contains(keys, cmp.Or(t.prompt, t.key)) || len(keys) == 0 && c.GetOrigin() == "")
}

// nextPrompt begins the turn of another prompt of a repeated message.
func (t *turn) nextPrompt(u *pb.UserInput) {
	if t.repeats && u.GetIteration() > 1 {
		t.prompt, t.complete, t.failure, t.mayBeOver = u.GetIdempotencyKey(), nil, nil, false
		t.text.reset()
	}
}

// repeated takes the end of the repetition. A turn that runs is over later.
func (t *turn) repeated(p *pb.RepeatProgress) {
	if t.repeats && p.GetIdempotencyKey() == t.key && p.GetState() != pb.RepeatState_REPEAT_STATE_PROMPTED {
		t.ended, t.done = p, t.complete != nil
	}
}

// stopsAt reports whether a notice may say that the message waits for something that this run does not wait for.
func (t *turn) stopsAt(code string) bool {
	switch code {
	case "TURN_WAITS", "BUDGET_REFUSED":
		return true
	case "DAY_BUDGET_USED": // another session may be the one that asks
		return t.policy != askPerson
	}
	return false
}

// quiescent applies the state of a session whose agent is idle.
func (t *turn) quiescent(v *pb.ShowSessionResponse) {
	status := v.GetSummary().GetStatus()
	if status == "waiting" {
		t.done = true
		t.overBudget, t.overDay = strings.HasPrefix(v.GetSummary().GetWaiting(), "budget"), v.GetSummary().GetWaiting() == "budget_day"
		t.awaitsResume = !t.overBudget
		return
	}
	if status == "crashed" || status == "closed" {
		t.done, t.crashed = true, true
		return
	}
	waiting := slices.ContainsFunc(v.GetInputs(), func(i *pb.PendingInput) bool { return i.GetIdempotencyKey() == t.key })
	if status == "idle" && !waiting {
		t.done = true
	}
}
