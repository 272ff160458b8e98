package actors

import (
	"reflect"
	"testing"

	"betcode/actors/internal/rules"
)

func TestDiffRules(t *testing.T) {
	rule := func(effect rules.Effect, text, source string) rules.Rule {
		return rules.Rule{Effect: effect, Text: text, Source: source, Line: 3}
	}
	for name, c := range map[string]struct {
		before, now []rules.Rule
		want        rulesDiff
	}{
		"nothing":       {[]rules.Rule{rule(rules.Allow, "A", "x")}, []rules.Rule{{Effect: rules.Allow, Text: "A", Source: "x", Line: 9}}, rulesDiff{}},
		"allow added":   {nil, []rules.Rule{rule(rules.Allow, "A", "x")}, rulesDiff{added: []string{"allow A (x)"}, widened: []string{"added allow A (x)"}}},
		"allow removed": {[]rules.Rule{rule(rules.Allow, "A", "x")}, nil, rulesDiff{removed: []string{"allow A (x)"}}},
		"deny added":    {nil, []rules.Rule{rule(rules.Deny, "A", "x")}, rulesDiff{added: []string{"deny A (x)"}}},
		"ask removed":   {[]rules.Rule{rule(rules.Ask, "A", "x")}, nil, rulesDiff{removed: []string{"ask A (x)"}, widened: []string{"removed ask A (x)"}}},
		"moved":         {[]rules.Rule{rule(rules.Deny, "A", "x")}, []rules.Rule{rule(rules.Deny, "A", "y")}, rulesDiff{added: []string{"deny A (y)"}, removed: []string{"deny A (x)"}}},
		"deny to ask": {
			[]rules.Rule{rule(rules.Deny, "A", "x")},
			[]rules.Rule{rule(rules.Ask, "A", "x")},
			rulesDiff{added: []string{"ask A (x)"}, removed: []string{"deny A (x)"}, widened: []string{"removed deny A (x)"}},
		},
	} {
		if got := diffRules(c.before, c.now); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
