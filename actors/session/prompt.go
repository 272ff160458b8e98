package session

import (
	"maps"
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/encode"
	"betcode/actors/internal/rules"
	"betcode/actors/internal/texts"
	"betcode/actors/run"
	"betcode/actors/session/answers"
	"betcode/actors/session/audit"
	"betcode/actors/session/events"
	"betcode/actors/session/prompts"
	"betcode/actors/session/requests"
	"betcode/messages"
	"betcode/messages/toolcall"
)

// prompt journals a request and shows it to every client.
func (t *transition) prompt(p messages.PermissionRecord) messages.PermissionRecord {
	p.Seq = t.s.record.Head + 1
	for _, e := range events.Prompt(p) {
		t.emit(e)
	}
	t.putPermission(p)
	t.status(pb.AgentStatus_WAITING_FOR_USER, "")
	t.callFor(p)
	return p
}

// askPeople makes a request of the daemon itself to people. It waits like an orphan, because no process waits for it. A request
// without an id gets one.
func (t *transition) askPeople(p messages.PermissionRecord) {
	now := act.Wall(t.now.at)
	if p.Request == "" {
		p.Request = messages.RequestID(t.now.id())
	}
	p.Session, p.Run, p.Seq = t.s.id, t.s.record.Run, t.s.record.Head+1
	p.Why.NoSessionGrant, p.Why.DefaultToNo = true, true
	p.ReceivedAt, p.ForwardedAt, p.ExpiresAt, p.OrphanedAt = now, now, now.Add(t.s.options.PermissionTTL), now
	for _, e := range events.Prompt(p) {
		t.emit(e)
	}
	t.putPermission(p)
	t.callFor(p)
	t.then(spawnPermission{p})
}

// peopleDecided records the decision about a request of the daemon itself, answers the caller and ends the request.
func (t *transition) peopleDecided(from *actor.PID, p messages.PermissionRecord, request messages.RequestID) {
	t.emit(events.PermissionResolved(p))
	t.recordDecision(p)
	t.auditDecision(p, messages.ActorUser)
	outcome := messages.PermissionAnswered{Applied: true, By: p.DecidedBy, Decision: p.Decision, Request: request}
	if p.Decision == messages.DecisionExpired {
		t.then(act.Reply{To: from, With: requests.LateAnswer(p.Request, outcome)})
	} else {
		t.then(act.Reply{To: from, With: outcome})
	}
	t.then(dropPermission{p.Request})
	t.removePermission(p.Request)
}

// callFor notifies a person of a request, unless a client watches the session.
func (t *transition) callFor(p messages.PermissionRecord) {
	t.notifyOnce(prompts.Forwarded{PermissionRecord: p, Name: t.s.record.Label()})
}

// notifyOnce notifies a person of a request of this session or from below, unless that was done, a client watches this session, or
// the session above does so.
func (t *transition) notifyOnce(f prompts.Forwarded) {
	if t.s.forwards() || t.s.clients.Watched() || !t.s.unwatched.Notify(f.ID()) {
		return
	}
	tool := texts.Shorten(f.Tool, maxShown)
	t.then(notifyPerson{Notice{
		Code: "PERMISSION_WAITS", Message: tool + " waits for an answer: " + toolcall.Cut(f.Description, maxNotified), Session: f.Session, Name: f.Name,
		Details: map[string]string{"request_id": string(f.Request), "tool": tool},
	}})
}

func (t *transition) callOf(p messages.PermissionRecord) rules.Call {
	return rules.Call{
		Tool: p.Tool, Input: p.Input,
		Place: rules.Place{Directory: t.s.record.WorkingDirectory, Home: t.s.options.Home},
	}
}

// withdraw ends a request that no longer needs an answer.
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
		t.emit(events.PermissionResolved(p))
		t.recordDecision(p)
		t.then(dropPermission{id})
	} else if p.Orphaned() {
		t.then(dropPermission{id})
	}
	t.removePermission(id)
}

// recordDecision notes in memory and in the journal who decided a request, under each id that it has had, for answers
// that come later.
func (t *transition) recordDecision(p messages.PermissionRecord) {
	t.decided = append(t.decided, p)
	for _, id := range t.rememberDecision(p) {
		t.append.Aliases = append(t.append.Aliases, requests.DecisionKey(id))
	}
}

// rememberDecision records it in memory only, and returns all ids of the request.
func (t *transition) rememberDecision(p messages.PermissionRecord) []messages.RequestID {
	all := append(slices.Clone(p.Formerly), p.Request)
	for _, id := range all {
		t.s.ledger.Decide(id, messages.PermissionAnswered{
			Applied: false, By: p.DecidedBy, Decision: p.Decision, Request: p.Request, At: p.DecidedAt,
		})
	}
	return all
}

// auditDecision reports how a request was decided.
func (t *transition) auditDecision(p messages.PermissionRecord, actorType string) {
	if e, decided := audit.Decision(p, actorType); decided {
		t.audit(e)
	}
}

func (t *transition) permissionNotice(code, message string, p messages.PermissionRecord) {
	t.notice(code, message, map[string]string{"request_id": string(p.Request), "tool": texts.Shorten(p.Tool, maxShown)})
}

func (t *transition) grant(tool string, granted bool) {
	r := t.change()
	r.Grants = maps.Clone(r.Grants)
	if r.Grants == nil {
		r.Grants = map[string]bool{}
	}
	r.Grants[tool] = granted
}

// replayPrompts returns the undecided requests for a client that attaches late: marked
// as replays, without a number.
func (s *state) replayPrompts(now env) []messages.Event {
	var replayed []messages.Event
	for _, p := range s.prompts.List(prompts.Undecided) {
		for _, e := range events.Prompt(p) {
			if request := e.GetPermissionRequest(); request != nil {
				request.IsReplay = true
			}
			replayed = append(replayed, encode.Event(e, s.id, 0, now.at))
		}
	}
	return append(replayed, s.replayForwarded(now)...)
}

// replayForwarded returns the requests from below for a client that attaches late: marked as replays, without a number.
func (s *state) replayForwarded(now env) []messages.Event {
	var replayed []messages.Event
	for _, f := range s.forwarding.Shown() {
		for _, e := range events.Forwarded(f.Shown(), f.Session, f.Name) {
			if request := e.GetPermissionRequest(); request != nil {
				request.IsReplay = true
			}
			replayed = append(replayed, encode.Event(e, s.id, 0, now.at))
		}
	}
	return replayed
}

// deliverAnswer sends the decision about a request to the agent.
func (t *transition) deliverAnswer(p messages.PermissionRecord) {
	line, err := answers.Line(p, t.s.can())
	if err != nil { // impossible: it was encoded before the decision was accepted
		panic("encode decided answer: " + err.Error())
	}
	t.sendToAgent(run.WriteAnswer{Request: p.Request, Line: line})
}
