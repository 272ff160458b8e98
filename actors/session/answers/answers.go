// Package answers makes the answer of an agent's permission request from what a person or a rule has decided.
//
// It is pure: from a record and an answer to the next record, and from that to the line that the agent gets.
package answers

import (
	"cmp"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
	"betcode/actors/session/prompts"
	"betcode/messages"
	"betcode/messages/claudecode"
)

// Decide puts an answer into a request's record.
func Decide(p messages.PermissionRecord, a messages.AnswerPermission) messages.PermissionRecord {
	p.Decision, p.Message, p.Updated, p.Answers, p.Applied = a.Decision, a.Message, a.Updated, a.Answers, a.Suggestions
	return p
}

// Line encodes a decided request for an agent with these capabilities. A plain allow is sent without input where the agent
// accepts that, else with the input as it came. Edits and answers send the whole input.
func Line(p messages.PermissionRecord, can claudecode.Capabilities) ([]byte, error) {
	if len(p.Applied) > 0 && !prompts.Allows(p.Decision) {
		return nil, messages.Errorf("answer permission", messages.Invalid, "suggestions hold for a call that is allowed").
			WithHint("allow the call, or leave the suggestions out")
	}
	if p.Own() && p.Decision == messages.AllowWithEdit {
		what, hint := "a permission mode is confirmed as it is", "allow or deny it, or change the session's settings"
		if p.Budget != "" {
			what, hint = "a budget is raised as the request says", "allow or deny it, or set another one: betcode session budget"
		}
		return nil, messages.Errorf("answer permission", messages.Invalid, "%s", what).WithHint(hint)
	}
	request := string(p.Request)
	switch p.Decision {
	case messages.AllowOnce, messages.AllowSession:
		var input []byte
		if !can.BareAllow {
			input = []byte(cmp.Or(string(p.Input), "{}"))
		}
		return claude.AllowLine(request, input, claude.Suggested{All: p.Suggestions, Chosen: p.Applied})
	case messages.AllowWithEdit:
		return claude.AllowLine(request, p.Updated, claude.Suggested{All: p.Suggestions, Chosen: p.Applied})
	case messages.DecisionAnswered:
		return claude.AnswerLine(request, p.Input, p.Answers)
	case messages.DenyWithInterrupt:
		return claude.DenyLine(request, p.Message, true), nil
	case messages.DecisionExpired:
		patience := texts.Duration(p.ExpiresAt.Sub(prompts.LastSign(p)))
		return claude.DenyLine(request, "Permission request expired after "+patience+". User can retry the operation.", false), nil
	case messages.Deny, messages.DenyNoInterrupt:
		return claude.DenyLine(request, cmp.Or(p.Message, "User denied permission."), false), nil
	case messages.Undecided, messages.DecisionWithdrawn:
	}
	return nil, messages.Errorf("answer permission", messages.Invalid, "decision %d answers nothing", p.Decision).
		WithHint("allow or deny the request")
}
