package session

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
	"betcode/actors/permission"
	"betcode/actors/run"
	"betcode/actors/session/answers"
	"betcode/actors/session/events"
	"betcode/actors/session/prompts"
	"betcode/actors/session/requests"
	"betcode/messages"
)

// maxRequestID bounds the id of a request: it is the key of a record.
const maxRequestID = 256

// maxRequests bounds the requests of an agent that wait. Agents ask for a few tools at a time; each request is a record, an actor and
// a reminder.
const maxRequests = 100

// permissionAsked takes a request of the agent. A rule or a session grant decides
// it at once; otherwise it becomes a durable record, an event for every client and an
// actor.
func (t *transition) permissionAsked(m claude.PermissionAsked) {
	id := messages.RequestID(m.Request)
	if known, ok := t.s.prompts.Find(id); ok && (!known.Orphaned() || known.Own()) {
		return
	}
	_, _, forwarded := messages.ParseForwarded(id)
	switch {
	case len(id) > maxRequestID:
		t.refuseRequest(m, "the request id is too long")
		return
	case forwarded: // an answer would decide about another agent
		t.refuseRequest(m, "the request id names a request of a subagent")
		return
	case strings.TrimSpace(m.Tool) == "": // people could not know what they allow
		t.refuseRequest(m, "the request names no tool")
		return
	case len(t.s.prompts.List(prompts.Undecided)) >= maxRequests:
		t.refuseExcess(m)
		return
	}
	now := act.Wall(t.now.at)
	p := messages.PermissionRecord{
		Request: id, Session: t.s.id, Run: t.s.record.Run, Tool: m.Tool, ToolUse: m.ToolUse, Agent: m.Agent,
		Description: m.Description, Input: m.Input, Suggestions: m.Suggestions, Question: m.Question, Why: m.Why, Reason: m.Insists,
		ReceivedAt: now, ForwardedAt: now, ExpiresAt: now.Add(t.s.options.PermissionTTL),
	}
	t.screen(p, m.NeedsPerson)
}

// refuseRequest answers a malformed request with an error. No person, rule or grant decides
// it.
func (t *transition) refuseRequest(m claude.PermissionAsked, why string) {
	t.sendToAgent(run.WriteControl{Line: claude.RefuseLine(m.Request, "malformed permission request: "+why)})
	t.notice("PERMISSION_MALFORMED", "The agent's permission request is malformed and was refused: "+why,
		map[string]string{"request_id": texts.Shorten(m.Request, maxShown)})
	t.then(requestRefused{texts.Shorten(m.Request, maxShown), why})
}

// refuseExcess answers a request beyond the bound with an error. The agent may ask again when some are decided.
func (t *transition) refuseExcess(m claude.PermissionAsked) {
	why := fmt.Sprintf("%d requests of this session wait for an answer already; ask again when some are decided", maxRequests)
	t.sendToAgent(run.WriteControl{Line: claude.RefuseLine(m.Request, why)})
	t.notice("PERMISSIONS_FULL", "A permission request was refused: "+why, map[string]string{"tool": texts.Shorten(m.Tool, maxShown)})
	t.then(requestRefused{texts.Shorten(m.Request, maxShown), why})
}

// answerPermission forwards an answer to the request's actor, or reports the decision that was made before.
func (t *transition) answerPermission(from *actor.PID, m messages.AnswerPermission) {
	const op = "answer permission"
	if !t.known(from, op) {
		return
	}
	id := t.s.prompts.Current(prompts.RequestOf(m.Request))
	m.Request = id + m.Request[len(prompts.RequestOf(m.Request)):]
	p, pending := t.s.prompts.Find(id)
	switch {
	case pending && p.Decision == messages.Undecided:
		if p.Question && m.Decision == messages.AllowOnce && len(m.Answers) > 0 {
			m.Decision = messages.DecisionAnswered
		}
		if !p.Question && m.Decision == messages.DecisionAnswered {
			t.then(act.Reply{To: from, With: prompts.NoQuestionError(op, id)})
			return
		}
		t.s.announced.exposed = cmp.Or(m.Exposed, t.s.announced.exposed)
		if _, err := answers.Line(answers.Decide(p, m), t.s.can()); err != nil {
			t.then(act.Reply{To: from, With: messages.AsError(op, err)})
			return
		}
		t.then(sendToPermission{id, from, m})
	case pending:
		t.then(act.Reply{To: from, With: messages.PermissionAnswered{Applied: false, By: p.DecidedBy, Decision: p.Decision, Request: m.Request, At: p.DecidedAt}})
	default:
		t.then(act.Reply{To: from, With: t.s.ledger.Late(id)})
	}
}

// permissionDecided journals a verdict, publishes it, answers the caller and gives it to the agent, in this order.
func (t *transition) permissionDecided(m permission.Decided) {
	id := prompts.RequestOf(m.Answer.Request)
	p, ok := t.s.prompts.Find(id)
	if !ok { // withdrawn meanwhile
		t.then(act.Reply{To: m.From, With: t.s.ledger.Late(id)})
		return
	}
	if p.Decision != messages.Undecided {
		first := messages.PermissionAnswered{Applied: false, By: p.DecidedBy, Decision: p.Decision, Request: m.Answer.Request, At: p.DecidedAt}
		t.then(act.Reply{To: m.From, With: requests.LateAnswer(id, first)})
		return
	}
	if m.Answer.Decision == messages.DecisionExpired && t.now.at.Before(p.ExpiresAt) {
		t.then(update{p}) // extended in between: the actor takes the verdict back
		return
	}
	p = answers.Decide(p, m.Answer)
	p.DecidedBy, p.DecidedAt = m.By, m.At
	if p.Mode != "" {
		t.modeDecided(m.From, p, m.Answer.Request)
		return
	}
	if p.Budget != "" {
		t.budgetDecided(m.From, p, m.Answer.Request)
		return
	}
	p, modes := t.withoutModes(p)
	if t.s.proxied() {
		modes = nil // nothing here could confirm them to the agent
	}
	t.putPermission(p)
	t.unanswered(p)
	t.callDecided(p)
	t.emit(events.PermissionResolved(p))
	if p.Decision == messages.AllowSession && !t.s.proxied() {
		t.grant(p.Tool, true)
	}
	for _, mode := range modes {
		t.wantMode(mode, m.Answer.Client, false)
	}
	t.recordDecision(p)
	t.auditDecision(p, messages.ActorUser)
	outcome := messages.PermissionAnswered{Applied: true, By: p.DecidedBy, Decision: p.Decision, Request: m.Answer.Request, At: p.DecidedAt}
	if p.Decision == messages.DecisionExpired {
		t.then(act.Reply{To: m.From, With: requests.LateAnswer(id, outcome)})
	} else {
		t.then(act.Reply{To: m.From, With: outcome})
	}
	if p.Orphaned() {
		t.keepDecision(p)
		return
	}
	if !t.s.prompts.AgentWaits() {
		t.status(pb.AgentStatus_EXECUTING_TOOL, "")
	}
	t.then(dropPermission{id})
	if t.s.agent.up {
		t.deliverAnswer(p)
	}
}

// answerWritten forgets a request whose answer is in the pipe.
func (t *transition) answerWritten(m messages.AnswerWritten) {
	if p, ok := t.s.prompts.Find(m.Request); ok && p.Decision != messages.Undecided && m.Run == p.Run {
		if p.Orphaned() { // the agent may have read it before it ended
			t.then(dropPermission{m.Request})
		}
		t.removePermission(m.Request)
		t.maybeRetire()
	}
}

// withdrawnByAgent ends a request at the agent's report. An agent that the session is ending withdraws requests that its successor
// repeats, so those stay.
func (t *transition) withdrawnByAgent(id messages.RequestID) {
	if p, ok := t.s.prompts.Find(id); ok && !p.Orphaned() && !t.s.ending.Shutdown && !t.s.replacing() {
		t.withdraw(id, "agent")
	}
}

// withdrawTool ends the request of a tool call that is over: the agent does not
// always withdraw it.
func (t *transition) withdrawTool(call string) {
	for _, p := range t.s.prompts.List(prompts.Undecided) {
		if p.ToolUse == call && call != "" {
			t.withdrawnByAgent(p.Request)
		}
	}
}
