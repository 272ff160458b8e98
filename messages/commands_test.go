package messages

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLearn: a new report replaces the lists; earlier descriptions stay if the new report has none.
func TestLearn(t *testing.T) {
	command := func(name, description string) AgentCommand { return AgentCommand{Name: name, Description: description} }
	told := Abilities{Fresh: true, Commands: []AgentCommand{command("a", "A"), command("b", "B")}, Agents: []AgentType{{"x", "X"}}}
	named := Abilities{Commands: []AgentCommand{command("b", ""), command("c", "")}, Skills: []string{"b"}, Agents: []AgentType{{"x", ""}, {"y", ""}}}
	ignore := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".answer" }, cmp.Ignore())
	for name, test := range map[string]struct{ got, want Abilities }{
		"first":        {Abilities{}.Learn(told), told},
		"names":        {told.Learn(named), Abilities{Commands: []AgentCommand{command("b", "B"), command("c", "")}, Skills: []string{"b"}, Agents: []AgentType{{"x", "X"}, {"y", ""}}}},
		"and all":      {named.Learn(told), Abilities{Fresh: true, Commands: told.Commands, Skills: []string{"b"}, Agents: told.Agents}},
		"models":       {told.Learn(Abilities{Models: []string{"m"}}).Learn(Abilities{}), Abilities{Models: []string{"m"}}},
		"no skill now": {named.Learn(Abilities{Skills: []string{}}), Abilities{Skills: []string{}}},
	} {
		if diff := cmp.Diff(test.want, test.got, ignore); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if told.Commands[1].Description != "B" || named.Commands[0].Description != "" {
		t.Error("what was known before was changed")
	}
}
