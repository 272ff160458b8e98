// Package screening decides a request of an agent without a person: by the rules of the user and of the directory, else by the grants
// of the session.
//
// It is pure. Neither rules nor grants allow a call that the agent wants a person to decide, or that has a reason to ask; what forbids
// a call still does.
package screening

import (
	"betcode/actors/internal/rules"
	"betcode/messages"
)

// Authors of decisions without a person.
const (
	ByRule  = "rule"
	ByGrant = "grant"
)

// Case is what is known of a call.
type Case struct {
	Rules       rules.Verdict
	Grants      map[string]bool // of the session, by tool
	NeedsPerson bool            // the agent wants a person to decide
}

// Asks reports whether a person decides what neither rules nor grants forbid.
func (c Case) Asks(p messages.PermissionRecord) bool {
	return c.Rules.Effect == rules.Ask || c.NeedsPerson || p.Reason != ""
}

// Decide returns the request with its decision, undecided where a person decides.
func Decide(p messages.PermissionRecord, c Case) messages.PermissionRecord {
	granted, known := c.Grants[p.Tool]
	switch {
	case c.Rules.Effect == rules.Deny:
		p.Decision, p.DecidedBy = messages.Deny, ByRule
		p.Message = "A rule forbids this call: " + c.Rules.Rules[0].String()
	case known && !granted && !c.NeedsPerson:
		p.Decision, p.DecidedBy = messages.Deny, ByGrant
		p.Message = "The user has forbidden the tool " + p.Tool + " for this session."
	case c.Asks(p):
	case c.Rules.Effect == rules.Allow:
		p.Decision, p.DecidedBy = messages.AllowOnce, ByRule
	case known && granted:
		p.Decision, p.DecidedBy = messages.AllowSession, ByGrant
	}
	return p
}
