package talk

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/inbox"
	pb "betcode/proto/betcode/v1"
)

// Policy is who decides about permissions in a run. It is made by [ParsePolicy].
type Policy string

const (
	askPerson Policy = "ask"
	allowAll  Policy = "allow"
	denyAll   Policy = "deny"
)

// noPersonDecides is the message to the agent when a tool is denied because no person can be asked.
const noPersonDecides = "No person is there to decide: this is an unattended run. Find a way without it, or say what you would need."

// ParsePolicy reads the flag --permissions. Without it a person decides at a terminal. promptFromStdin says that
// standard input is the prompt: then no person can answer.
func ParsePolicy(c *console.Console, flag string, promptFromStdin bool) (Policy, error) {
	switch policy := Policy(flag); policy {
	case askPerson, allowAll, denyAll:
		return policy, nil
	case "":
		if c.Terminal.In && c.Terminal.Err && !promptFromStdin {
			return askPerson, nil
		}
		return denyAll, nil
	default:
		return "", exit.Usage(fmt.Errorf("--permissions %s: it is ask, allow or deny", flag))
	}
}

// turn is the state of a run's turn. It is plain data: events go in, answers come out.
type turn struct {
	key, session string
	policy       Policy

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

// budgetTool is the tool of the daemon's own request to raise a budget.
const budgetTool = "Budget"

// denial is a tool that did not run because no person could be asked.
type denial struct {
	Request string `json:"request_id"`
	Tool    string `json:"tool_name"`
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
		t.budgetWaits = true // since before this message, so no event follows that says why it waits
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
		if keys := event.TurnComplete.GetInputKeys(); slices.Contains(keys, cmp.Or(t.prompt, t.key)) || len(keys) == 0 && event.TurnComplete.GetOrigin() == "" {
			t.complete, t.done = event.TurnComplete, !t.repeats || t.ended != nil
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

// asks reports whether an event is a permission request or a question of this run's turn. No policy decides one that is forwarded from a
// subagent: another client may have spawned it.
func (t *turn) asks(e *pb.AgentEvent) bool {
	return t.accepted && e.GetSequence() > 0 && (e.GetPermissionRequest() != nil || e.GetUserQuestion() != nil)
}

// forPerson reports whether a person at this run is to answer an event: one of this run's turn, or of a subagent.
func (t *turn) forPerson(e *pb.AgentEvent) bool {
	id, _ := inbox.SubagentOf(e)
	return id != "" || t.asks(e)
}

// behind returns the request of an earlier turn that an event shows to be undecided; empty for other events. The message
// waits for the end of that turn.
func (t *turn) behind(e *pb.AgentEvent) string {
	if id, _ := inbox.SubagentOf(e); id != "" || t.accepted || e.GetSequence() > 0 || e.GetVolatile() {
		return ""
	}
	if q := e.GetUserQuestion(); q != nil {
		return inbox.RequestOf(q.GetQuestionId())
	}
	return e.GetPermissionRequest().GetRequestId()
}

// permission decides by policy. A question has no answer that a policy could give.
func (t *turn) permission(e *pb.AgentEvent, request, tool string, question bool) []*pb.AgentRequest {
	if !t.asks(e) || t.policy == askPerson || t.decided[request] {
		return nil
	}
	if tool == budgetTool { // no policy spends more than the budget; the request stays for a person
		t.done, t.overBudget = true, true
		return nil
	}
	if t.decided == nil {
		t.decided = map[string]bool{}
	}
	t.decided[request] = true
	if t.policy == allowAll && !question {
		return []*pb.AgentRequest{inbox.Decide(request, pb.PermissionDecision_ALLOW_ONCE, "")}
	}
	t.denied = append(t.denied, denial{Request: request, Tool: tool})
	return []*pb.AgentRequest{inbox.Decide(request, pb.PermissionDecision_DENY, noPersonDecides)}
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

// failed reports whether the turn failed, and why.
func (t *turn) failed() (bool, string) {
	switch {
	case t.crashed:
		text := "the agent's process ended and could not be started again"
		if t.failure != nil {
			text = t.failure.GetMessage()
		}
		return true, text
	case t.overDay:
		return true, "the daemon's budget of the day is used, so the message waits; see what asks about it with: betcode fleet status"
	case t.overBudget:
		return true, "the budget is used, so the message waits; raise the budget with: betcode session budget " + t.session + " --usd AMOUNT, or answer the request: betcode permission list"
	case t.awaitsResume:
		return true, "the turn was interrupted and waits; resume it with: betcode session resume " + t.session
	case t.complete.GetStopReason() == interruptedTurn && !t.interrupted:
		return true, t.gaveUp()
	case t.complete.GetIsError():
		return true, t.complete.GetError() + loginHint(t.failure)
	case !t.accepted && t.failure != nil:
		return true, t.failure.GetMessage()
	case t.ended.GetState() == pb.RepeatState_REPEAT_STATE_EXHAUSTED, t.ended.GetState() == pb.RepeatState_REPEAT_STATE_FAILED:
		return true, t.ended.GetReason()
	}
	return false, ""
}

// loginHint says how to mend a turn that failed because the agent is not logged in, or its key is refused.
func loginHint(f *pb.ErrorEvent) string {
	if f.GetCode() != "AUTHENTICATION_FAILED" && f.GetCode() != "NOT_LOGGED_IN" {
		return ""
	}
	return ". Log in: claude /login. Or give the daemon an API key (ANTHROPIC_API_KEY) and restart it"
}

// interruptedTurn is the stop reason of a turn that is neither cancelled nor continued: its agent crashed too often, or
// the session never continues turns.
const interruptedTurn = "interrupted"

// gaveUp returns why a turn is not continued, with the end of the agent's standard error.
func (t *turn) gaveUp() string {
	text := "the turn was interrupted and is not continued"
	if t.failure != nil {
		text += ": " + t.failure.GetMessage()
	}
	if words := t.stderr(); words != "" {
		text += "; the end of the agent's standard error: " + words
	}
	return text
}

// stderr returns the agent's standard error before it crashed.
func (t *turn) stderr() string { return strings.TrimSpace(t.failure.GetDetails()["stderr"]) }

// eventExits maps codes of error events to exit codes.
var eventExits = map[string]int{
	"NO_INPUT_LOCK": exit.Denied, "PERMISSION_DENIED": exit.Denied,
	"RATE_LIMITED": exit.RateLimited, "POOL_EXHAUSTED": exit.RateLimited, "RESOURCE_EXHAUSTED": exit.RateLimited,
	"INVALID_ARGUMENT": exit.Invalid, "SESSION_NOT_FOUND": exit.NotFound, "NOT_FOUND": exit.NotFound,
	"INTERNAL": exit.Internal, "SQLITE_ERROR": exit.Internal, "DATA_LOSS": exit.Internal,
	"UNAVAILABLE": exit.Connection, "DEADLINE_EXCEEDED": exit.Connection,
}

// exit returns the error with which the command ends.
func (t *turn) exit() error {
	failed, why := t.failed()
	switch {
	case t.interrupted:
		return exit.Silent(exit.Interrupted)
	case failed && !t.accepted && t.failure.GetCode() == noInputLock:
		return refusedByLock(t.failure)
	case failed:
		code := exit.Failed
		if t.overBudget {
			code = exit.RateLimited
		} else if known, ok := eventExits[t.failure.GetCode()]; ok && (!t.accepted || known == exit.RateLimited) {
			code = known
		}
		if why == "" {
			why = "the agent reported an error"
		}
		return exit.With(code, errors.New(console.Line(why)))
	case t.ended.GetState() == pb.RepeatState_REPEAT_STATE_CANCELLED && t.complete.GetStopReason() != "cancelled":
		return exit.With(exit.Failed, errors.New(console.Line("the prompt is not repeated any more: "+t.ended.GetReason())))
	case t.complete.GetStopReason() == "cancelled":
		return exit.With(exit.Failed, errors.New("the turn was interrupted by another client"))
	case len(t.denied) > 0:
		tools := make([]string, len(t.denied))
		for i, d := range t.denied {
			tools[i] = d.Tool
		}
		return exit.With(exit.Denied, fmt.Errorf("%s denied because no person was asked: %s. Use --permissions or --allow-tools",
			console.Count(len(tools), "request"), console.Line(strings.Join(tools, ", "))))
	}
	return nil
}

// finalText is the text of the last message, without retracted blocks.
type finalText struct {
	ids   []string
	texts map[string]*strings.Builder
}

func (f *finalText) reset() { f.ids, f.texts = nil, nil }

func (f *finalText) add(d *pb.TextDelta) {
	if d.GetThinking() {
		return
	}
	id := d.GetBlockId()
	at := slices.Index(f.ids, id)
	if d.GetWithdrawn() {
		if at >= 0 { // this block and those after it
			f.ids = f.ids[:at]
		}
		return
	}
	if f.texts == nil {
		f.texts = map[string]*strings.Builder{}
	}
	if at < 0 {
		f.ids = append(f.ids, id)
		f.texts[id] = &strings.Builder{}
	}
	f.texts[id].WriteString(d.GetText())
}

// retract removes retracted blocks.
func (f *finalText) retract(blocks []string) {
	f.ids = slices.DeleteFunc(f.ids, func(id string) bool { return slices.Contains(blocks, id) })
	for _, id := range blocks {
		delete(f.texts, id)
	}
}

// String returns the text, with a blank line between blocks.
func (f *finalText) String() string {
	var parts []string
	for _, id := range f.ids {
		if text := f.texts[id].String(); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n")
}
