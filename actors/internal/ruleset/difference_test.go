package ruleset

import (
	"reflect"
	"testing"

	"betcode/actors/internal/rules"
)

func TestCompare(t *testing.T) {
	rule := func(effect rules.Effect, text, source string) rules.Rule {
		return rules.Rule{Effect: effect, Text: text, Source: source, Line: 3}
	}
	for name, c := range map[string]struct {
		before, now []rules.Rule
		want        Difference
	}{
		"nothing":       {[]rules.Rule{rule(rules.Allow, "A", "x")}, []rules.Rule{{Effect: rules.Allow, Text: "A", Source: "x", Line: 9}}, Difference{}},
		"allow added":   {nil, []rules.Rule{rule(rules.Allow, "A", "x")}, Difference{Added: []string{"allow A (x)"}, Widened: []string{"added allow A (x)"}}},
		"allow removed": {[]rules.Rule{rule(rules.Allow, "A", "x")}, nil, Difference{Removed: []string{"allow A (x)"}}},
		"deny added":    {nil, []rules.Rule{rule(rules.Deny, "A", "x")}, Difference{Added: []string{"deny A (x)"}}},
		"ask removed":   {[]rules.Rule{rule(rules.Ask, "A", "x")}, nil, Difference{Removed: []string{"ask A (x)"}, Widened: []string{"removed ask A (x)"}}},
		"moved":         {[]rules.Rule{rule(rules.Deny, "A", "x")}, []rules.Rule{rule(rules.Deny, "A", "y")}, Difference{Added: []string{"deny A (y)"}, Removed: []string{"deny A (x)"}}},
		"deny to ask": {
			[]rules.Rule{rule(rules.Deny, "A", "x")},
			[]rules.Rule{rule(rules.Ask, "A", "x")},
			Difference{Added: []string{"ask A (x)"}, Removed: []string{"deny A (x)"}, Widened: []string{"removed deny A (x)"}},
		},
	} {
		if got := Compare(c.before, c.now); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
