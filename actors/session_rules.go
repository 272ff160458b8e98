package actors

import (
	"betcode/actors/internal/rules"
	"betcode/messages"
)

// The permission bridge of the daemon document: the user's rules are looked at
// first, then the session's grants, then a person is asked. A rule that is about
// files is held against the file behind symbolic links too; finding that out is
// work for the disk, so the request waits for it in the journal, not yet shown to
// anybody (its Seq is 0).

// byRule is who decided what the rules decided.
const byRule = "rule"

// linksResolved brings what a request's path is behind symbolic links.
type linksResolved struct {
	request messages.RequestID
	real    rules.Real
}

// resolveLinks finds that out, then linksResolved.
type resolveLinks struct {
	request messages.RequestID
	call    rules.Call
}

func (resolveLinks) effect() {}

func (e resolveLinks) resolve() any { return linksResolved{e.request, rules.Resolve(e.call)} }

// screened reports whether a request that waits has been shown or decided. Until
// then nobody knows of it but the agent, which asks again if need be.
func screened(p messages.PermissionRecord) bool { return p.Seq != 0 || isDecided(p) }

func (t *transition) callOf(p messages.PermissionRecord) rules.Call {
	return rules.Call{
		Tool: p.Tool, Input: p.Input,
		Place: rules.Place{Directory: t.s.record.WorkingDirectory, Home: t.s.options.home},
	}
}

// screen begins to decide a new request.
func (t *transition) screen(p messages.PermissionRecord, needsPerson bool) {
	set := t.s.options.rules.get()
	if set.NeedsDisk(p.Tool) && !needsPerson {
		t.putPermission(p)
		t.then(resolveLinks{p.Request, t.callOf(p)})
		return
	}
	t.decideByRules(p, set.Decide(t.callOf(p)), needsPerson)
}

// linksResolved goes on with a request that waited for the disk.
func (t *transition) linksResolved(m linksResolved) {
	p, ok := t.s.permissions[m.request]
	if !ok || screened(p) || !t.s.up {
		return // withdrawn meanwhile, or the agent has gone and will ask again
	}
	call := t.callOf(p)
	call.Real = m.real
	t.decideByRules(p, t.s.options.rules.get().Decide(call), false)
}

// decideByRules lets the rules decide, else the grants of the session, else a
// person. A rule never says yes where the agent wants a person.
func (t *transition) decideByRules(p messages.PermissionRecord, v rules.Verdict, needsPerson bool) {
	old, again := t.keptFor(p)
	granted, known := t.s.record.Grants[p.Tool]
	switch {
	case v.Effect == rules.Deny:
		p.Decision, p.DecidedBy = messages.Deny, byRule
		p.Message = "A rule of the user forbids this call: " + v.Rules[0].String()
	case v.Effect == rules.Ask || needsPerson:
	case v.Effect == rules.Allow:
		p.Decision, p.DecidedBy = messages.AllowOnce, byRule
	case known && granted:
		p.Decision, p.DecidedBy = messages.AllowSession, "grant"
	case known:
		p.Decision, p.DecidedBy = messages.Deny, "grant"
		p.Message = "The user has forbidden the tool " + p.Tool + " for this session."
	}
	switch {
	case isDecided(p):
		if again {
			t.withdraw(old.Request, p.DecidedBy)
		}
		p.DecidedAt = p.ReceivedAt
		t.putPermission(p)
		t.deliverAnswer(p)
	case again:
		t.askedAgain(old, p)
	default:
		t.then(spawnPermission{t.prompt(p)})
	}
}
