package screening

import (
	"strings"
	"testing"

	"betcode/actors/internal/rules"
	"betcode/messages"
)

func TestDecide(t *testing.T) {
	deny := rules.Verdict{Effect: rules.Deny, Rules: []rules.Rule{{Effect: rules.Deny, Text: "Bash(rm *)"}}}
	ask, allow := rules.Verdict{Effect: rules.Ask}, rules.Verdict{Effect: rules.Allow}
	granted, forbidden := map[string]bool{"Bash": true}, map[string]bool{"Bash": false}
	for name, test := range map[string]struct {
		c      Case
		reason string
		want   messages.Decision
		by     string
		told   string
	}{
		"nothing is known":        {},
		"a rule forbids":          {Case{Rules: deny, Grants: granted, NeedsPerson: true}, "r", messages.Deny, ByRule, "Bash(rm *)"},
		"a rule allows":           {Case{Rules: allow}, "", messages.AllowOnce, ByRule, ""},
		"a rule asks":             {Case{Rules: ask, Grants: granted}, "", messages.Undecided, "", ""},
		"granted":                 {Case{Grants: granted}, "", messages.AllowSession, ByGrant, ""},
		"forbidden":               {Case{Rules: allow, Grants: forbidden}, "r", messages.Deny, ByGrant, "forbidden the tool Bash"},
		"forbidden, for a person": {Case{Grants: forbidden, NeedsPerson: true}, "", messages.Undecided, "", ""},
		"a person is needed":      {Case{Rules: allow, Grants: granted, NeedsPerson: true}, "", messages.Undecided, "", ""},
		"a reason to ask":         {Case{Rules: allow, Grants: granted}, "writes a hook", messages.Undecided, "", ""},
		"granted another":         {Case{Grants: map[string]bool{"Read": true}}, "", messages.Undecided, "", ""},
	} {
		got := Decide(messages.PermissionRecord{Tool: "Bash", Reason: test.reason}, test.c)
		if got.Decision != test.want || got.DecidedBy != test.by || !strings.Contains(got.Message, test.told) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
