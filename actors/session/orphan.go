package session

import (
	"betcode/actors/internal/act"
	"betcode/actors/internal/texts"
	"betcode/actors/permission"
	"betcode/actors/session/events"
	"betcode/actors/session/prompts"
	"betcode/actors/session/screening"
	"betcode/messages"
)

// When the process that sent a request is gone, its request is an orphan. The prompt stays visible, or the decision is kept, until
// the resumed agent makes the same call again: same session, same tool, same input, within the TTL. It is used once (decision 18).

// Bounds of what is shown: of a name that the agent gives, in characters, and of a change of the rules, in bytes.
const (
	maxShown   = 120
	maxWidened = 4096
)

// recoverPermissions starts the actors of waiting requests, and marks the decisions that an earlier incarnation of the session may
// have given to the agent.
func (t *transition) recoverPermissions() {
	for _, p := range t.s.prompts.List(prompts.Every) {
		switch {
		case !prompts.Screened(p):
			t.then(lookAround{p.Request, t.callOf(p), t.keptEdit(p), p.Why.Reason})
		case prompts.Undecided(p) || p.Orphaned():
			t.then(spawnPermission{p})
		}
	}
}

// orphan keeps the requests of the ended run, unless the session ends with it.
func (t *transition) orphan() {
	for _, p := range t.s.prompts.List(prompts.Every) {
		switch t.s.prompts.FateOf(p, t.s.endsForGood(), screening.ByRule) {
		case prompts.Stays:
		case prompts.Dropped:
			t.removePermission(p.Request)
		case prompts.Withdrawn:
			t.withdraw(p.Request, "stop")
		case prompts.InDoubt:
			t.removePermission(p.Request)
			t.permissionNotice("PERMISSION_IN_DOUBT", "The agent may have got the answer before it ended; it is asked for again", p)
		case prompts.Kept:
			t.keepOrphan(p)
		}
	}
}

// keepOrphan keeps a request, or the answer to it, until the agent makes the same call again.
func (t *transition) keepOrphan(p messages.PermissionRecord) {
	p.OrphanedAt = act.Wall(t.now.at)
	t.putPermission(p)
	if prompts.Decided(p) {
		t.permissionNotice("PERMISSION_KEPT", "The agent that asked is gone; the answer is kept for when it asks again", p)
		t.then(spawnPermission{p})
		return
	}
	t.permissionNotice("PERMISSION_KEPT", "The agent that asked is gone; the request stays, and an answer is kept for when it asks again", p)
	t.then(update{p})
}

// keptFor returns the orphan with the same call as a new request.
func (t *transition) keptFor(p messages.PermissionRecord) (messages.PermissionRecord, bool) {
	found, ok, reused := t.s.prompts.KeptFor(t.now.at, p)
	for _, id := range reused {
		t.withdraw(id, "agent")
	}
	return found, ok
}

// askedAgain gives a new request the place of an orphan: its deadline, its reminders and its decision, if there is one.
func (t *transition) askedAgain(old, p messages.PermissionRecord) {
	renamed := old.Request != p.Request
	if other, taken := t.s.prompts.Find(p.Request); taken && renamed {
		t.withdraw(other.Request, "agent")
	}
	p = prompts.Inherit(p, old)
	if prompts.Decided(old) {
		t.notice("PERMISSION_ANSWER_USED", "The agent has asked again and gets the answer that was kept for it", map[string]string{
			"request_id": string(p.Request), "kept_for": string(old.Request), "tool": texts.Shorten(p.Tool, maxShown), "answered_by": texts.Shorten(p.DecidedBy, maxShown),
		})
		t.then(dropPermission{old.Request})
		if renamed {
			t.removePermission(old.Request)
		}
		t.putPermission(p)
		t.rememberDecision(p) // the event of the decision has its keys
		t.deliverAnswer(p)
		return
	}
	if !renamed {
		t.then(update{t.prompt(p)})
		return
	}
	t.emit(events.PermissionSuperseded(old, p.Request))
	t.removePermission(old.Request)
	t.then(dropPermission{old.Request}, spawnPermission{t.prompt(p)})
}

// keepDecision keeps the decision about an orphan. A session grant needs no kept decision, and an expired request is refused when
// the agent asks again.
func (t *transition) keepDecision(p messages.PermissionRecord) {
	if p.Decision == messages.AllowSession || p.Decision == messages.DecisionExpired {
		t.then(dropPermission{p.Request})
		t.removePermission(p.Request)
		if p.Decision == messages.AllowSession {
			t.resumeAnswered()
		} else if t.s.parkedForAnswer() && len(t.s.prompts.List(prompts.UndecidedCall)) == 0 {
			t.awaitResume(messages.WaitsForAnswer, "The last request of the parked agent has expired; the turn waits")
		}
		t.maybeRetire()
		return
	}
	t.then(update{p})
	t.resumeAnswered()
}

// answerExpired drops a kept answer that the agent never asked for again.
func (t *transition) answerExpired(m permission.AnswerExpired) {
	p, ok := t.s.prompts.Find(m.Request)
	if !ok || !p.Orphaned() || prompts.Undecided(p) || t.now.at.Before(p.ExpiresAt) {
		return
	}
	t.permissionNotice("PERMISSION_ANSWER_EXPIRED", "The agent never asked again; the kept answer is dropped", p)
	t.withdraw(p.Request, "deadline")
	t.maybeRetire()
}

// withdrawOrphans ends the requests that no process waits for, when no agent will repeat them.
func (t *transition) withdrawOrphans(by string) {
	for _, p := range t.s.prompts.List(messages.PermissionRecord.Orphaned) {
		if !p.Own() {
			t.withdraw(p.Request, by)
		}
	}
}

// keptEdit returns the edited input of the kept answer to this call; nil if there is
// none.
func (t *transition) keptEdit(p messages.PermissionRecord) []byte {
	if old, again := t.keptFor(p); again && old.Decision == messages.AllowWithEdit {
		return old.Updated
	}
	return nil
}

// dropEdit drops a kept answer whose edited input must not run any more, because rules,
// links or files have changed. People are asked about the call again.
func (t *transition) dropEdit(p messages.PermissionRecord, why string) {
	old, again := t.keptFor(p)
	if !again || old.Decision != messages.AllowWithEdit {
		return
	}
	t.permissionNotice("PERMISSION_EDIT_DROPPED", "The kept answer is not used: "+why, old)
	t.withdraw(old.Request, screening.ByRule)
}
