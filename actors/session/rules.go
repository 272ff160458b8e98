package session

import (
	"cmp"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/protect"
	"betcode/actors/internal/rules"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// The permission bridge of the daemon document: the user's rules and those of the session's directory decide first, then the
// session's grants, then a person. Reading the directory's rules and resolving symbolic links is work for the disk, so a request
// that needs it waits in the journal, not yet shown (its Seq is 0).

// byRule is the author of decisions by rules.
const byRule = "rule"

// lookAround finds out what a request's path is behind symbolic links, and what
// rules its directory brings along; then lookedAround.
type lookAround struct {
	request messages.RequestID
	call    rules.Call
	edit    []byte // the input that a kept answer gives the call; nil: there is none
	says    string // why the agent asks, in its words
}

func (lookAround) Effect() {}

type lookedAround struct {
	request   messages.RequestID
	real      rules.Real
	directory *rules.Set // never nil
	protected string     // why the call is asked about whatever rules say; empty: it is not
	edit      string     // why the input of a kept answer must not be used; empty: it may
}

func (e lookAround) look(d *Deps, protected *protect.List) any {
	found := lookedAround{
		request: e.request, real: rules.Resolve(e.call), directory: d.DirectoryRules(e.call.Place.Directory), protected: protected.Check(e.call),
	}
	if dir, other := claude.OtherRepository(e.says); other {
		found.protected = cmp.Or(found.protected, protected.CheckRepository(dir, e.call.Place.Directory))
	}
	if e.edit != nil {
		found.edit = d.EditRefused(e.call, e.edit, found.directory)
	}
	return found
}

// rulesNow are those that count for the session: the user's and its directory's.
func (t *transition) rulesNow() *rules.Set { return t.s.options.Rules.With(t.s.agent.directory) }

// screen begins to decide a new request. One of an agent under a proxy goes to people at once: rules and paths of this machine say
// nothing about another.
func (t *transition) screen(p messages.PermissionRecord, needsPerson bool) {
	if t.s.proxied() {
		p.Why.NoSessionGrant = true
		t.then(spawnPermission{t.prompt(p)})
		return
	}
	unread, edit := t.s.options.OwnRules && t.s.agent.directory == nil, t.keptEdit(p)
	if !needsPerson && (unread || t.s.subagentLives() || edit != nil || t.s.protects(p.Tool) || t.rulesNow().NeedsDisk(p.Tool)) {
		t.putPermission(p)
		t.then(lookAround{p.Request, t.callOf(p), edit, p.Why.Reason})
		return
	}
	t.decideByRules(p, t.callOf(p), needsPerson)
}

// lookedAround decides a request when the disk was read for it.
func (t *transition) lookedAround(m lookedAround) {
	t.s.agent.directory = m.directory
	t.giveRules()
	p, ok := t.s.prompts.Find(m.request)
	if !ok || prompts.Screened(p) || !t.s.agent.up {
		return // withdrawn meanwhile, or the agent has gone and will ask again
	}
	if m.edit != "" {
		t.dropEdit(p, m.edit)
	}
	p.Reason = cmp.Or(m.protected, p.Reason)
	call := t.callOf(p)
	call.Real = m.real
	t.decideByRules(p, call, false)
}

// decideByRules decides a request by the rules, else by the grants of the session, else by a person. Neither rules nor grants allow
// a call that the agent wants a person to decide, or that has a reason to ask.
func (t *transition) decideByRules(p messages.PermissionRecord, call rules.Call, needsPerson bool) {
	v := t.rulesNow().Decide(call)
	old, again := t.keptFor(p)
	granted, known := t.s.record.Grants[p.Tool]
	switch {
	case v.Effect == rules.Deny:
		p.Decision, p.DecidedBy = messages.Deny, byRule
		p.Message = "A rule forbids this call: " + v.Rules[0].String()
	case known && !granted && !needsPerson:
		p.Decision, p.DecidedBy = messages.Deny, "grant"
		p.Message = "The user has forbidden the tool " + p.Tool + " for this session."
	case v.Effect == rules.Ask || needsPerson || p.Reason != "":
	case v.Effect == rules.Allow:
		p.Decision, p.DecidedBy = messages.AllowOnce, byRule
	case known && granted:
		p.Decision, p.DecidedBy = messages.AllowSession, "grant"
	}
	if t.boundsOf(&p, call, v.Effect == rules.Ask || needsPerson || p.Question || p.Reason != "") {
		return
	}
	switch {
	case prompts.Decided(p):
		if again {
			t.withdraw(old.Request, p.DecidedBy)
		}
		p.DecidedAt = p.ReceivedAt
		t.putPermission(p)
		t.unanswered(p)
		if p.DecidedBy == byAutoApprove {
			p.DecidedAt = t.now.at
			t.callDecided(p)
		}
		t.auditDecision(p, messages.ActorDaemon)
		t.deliverAnswer(p)
	case again:
		t.askedAgain(old, p)
	default:
		t.then(spawnPermission{t.prompt(p)})
	}
}

// Some calls are asked about whatever rules, grants and modes say: those that write a
// file of the built-in list (package protect), and those that the agent itself insists on:
// by an ask rule, the user's own or one that was handed over, or by its own check of
// dangerous calls. Such a request has a reason ([messages.PermissionRecord]), which is
// shown to people. What forbids a call still does.

// protects reports whether calls of a tool are held against the built-in list, which looks
// at the disk.
func (s *state) protects(tool string) bool {
	return s.options.Protected != nil && protect.Concerned(tool)
}
