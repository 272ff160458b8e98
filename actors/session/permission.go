package session

import (
	"cmp"
	"slices"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/permission"
	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
	"betcode/actors/run"
	"betcode/actors/session/prompts"
	"betcode/actors/session/requests"
	"betcode/messages"
)

// maxRequestID bounds the id of a request: it is the key of a record.
const maxRequestID = 256

// permissionAsked takes a request of the agent. A rule or a session grant decides
// it at once; else it becomes a durable record, an event for every client and an
// actor.
func (t *transition) permissionAsked(m claude.PermissionAsked) {
	id := messages.RequestID(m.Request)
	if known, ok := t.s.prompts.Find(id); ok && (!known.Orphaned() || known.Mode != "") {
		return
	}
	switch {
	case len(id) > maxRequestID:
		t.refuseRequest(m, "the request id is too long")
		return
	case strings.TrimSpace(m.Tool) == "": // a person could not tell what to allow
		t.refuseRequest(m, "the request names no tool")
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
	t.tellAgent(run.WriteControl{Line: claude.RefuseLine(m.Request, "malformed permission request: "+why)})
	t.notice("PERMISSION_MALFORMED", "The agent's permission request is malformed and was refused: "+why,
		map[string]string{"request_id": texts.Shorten(m.Request, maxShown)})
	t.then(requestRefused{texts.Shorten(m.Request, maxShown), why})
}

// prompt puts a request before every client and into the journal.
func (t *transition) prompt(p messages.PermissionRecord) messages.PermissionRecord {
	p.Seq = t.s.record.Head + 1
	for _, e := range promptEvents(p) {
		t.emit(e)
	}
	t.putPermission(p)
	t.status(pb.AgentStatus_WAITING_FOR_USER, "")
	t.callFor(p)
	return p
}

// promptEvents are the events that put a request before a person: one
// PermissionRequest, or a UserQuestion for each question.
func promptEvents(p messages.PermissionRecord) []*pb.AgentEvent {
	return claude.PromptEvents(claude.PermissionAsked{
		Request: string(p.Request), Tool: p.Tool, ToolUse: p.ToolUse, Agent: p.Agent, Description: p.Description,
		Input: p.Input, Suggestions: p.Suggestions, Question: p.Question, Why: p.Why, Insists: p.Reason, At: p.ReceivedAt,
	}, p.ExpiresAt)
}

// questionsOf returns how many questions a request has, 0 if it asks for a permission.
func questionsOf(p messages.PermissionRecord) int {
	if !p.Question {
		return 0
	}
	return len(promptEvents(p))
}

// answerPermission routes an answer to the request's actor, or tells who was first.
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
			t.then(act.Reply{To: from, With: messages.Errorf(op, messages.Invalid, "request %s is no question", id).
				With("request_id", string(id)).WithHint("allow or deny it")})
			return
		}
		t.s.said.exposed = cmp.Or(m.Exposed, t.s.said.exposed)
		if _, err := answerLine(decide(p, m), t.s.can()); err != nil {
			t.then(act.Reply{To: from, With: messages.AsError(op, err)})
			return
		}
		t.then(forward{id, from, m})
	case pending:
		t.then(act.Reply{To: from, With: messages.PermissionAnswered{Applied: false, By: p.DecidedBy, Decision: p.Decision, Request: m.Request, At: p.DecidedAt}})
	default:
		t.then(act.Reply{To: from, With: t.s.ledger.Late(id)})
	}
}

// permissionDecided makes a decision durable, tells everybody, then the agent.
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
		t.then(update{p}) // extended meanwhile: its actor takes its word back
		return
	}
	p = decide(p, m.Answer)
	p.DecidedBy, p.DecidedAt = m.By, m.At
	if p.Mode != "" {
		t.modeDecided(m.From, p, m.Answer.Request)
		return
	}
	p, modes := t.withoutModes(p)
	t.putPermission(p)
	t.unanswered(p)
	t.callDecided(p)
	t.emit(permissionResolved(p))
	if p.Decision == messages.AllowSession {
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

// remember notes who decided a request, for those who answer it later, by whatever
// id they know it: in memory, and in the journal by the keys of its event.
func (t *transition) recordDecision(p messages.PermissionRecord) {
	for _, id := range t.rememberDecision(p) {
		t.append.Aliases = append(t.append.Aliases, requests.DecisionKey(id))
	}
}

// recall notes it in memory alone, and returns all ids of the request.
func (t *transition) rememberDecision(p messages.PermissionRecord) []messages.RequestID {
	all := append(slices.Clone(p.Formerly), p.Request)
	for _, id := range all {
		t.s.ledger.Decide(id, messages.PermissionAnswered{
			Applied: false, By: p.DecidedBy, Decision: p.Decision, Request: p.Request, At: p.DecidedAt,
		})
	}
	return all
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

// withdraw ends a request that nobody has to answer any more.
func (t *transition) withdraw(id messages.RequestID, by string) {
	p, ok := t.s.prompts.Find(id)
	if !ok {
		return
	}
	if !prompts.Screened(p) {
		t.removePermission(id)
		return
	}
	if p.Decision == messages.Undecided {
		p.Decision, p.DecidedBy, p.DecidedAt = messages.DecisionWithdrawn, by, t.now.at
		t.callDecided(p)
		t.emit(permissionResolved(p))
		t.recordDecision(p)
		t.then(dropPermission{id})
	} else if p.Orphaned() {
		t.then(dropPermission{id})
	}
	t.removePermission(id)
}

// withdrawnByAgent ends a request because the agent says so. One that is being
// ended by us withdraws what it would still want: its successor asks again.
func (t *transition) withdrawnByAgent(id messages.RequestID) {
	if p, ok := t.s.prompts.Find(id); ok && !p.Orphaned() && !t.s.ending.shutdown && !t.s.replacing() {
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
