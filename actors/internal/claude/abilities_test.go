package claude

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"betcode/messages"
)

func TestParseAbilities(t *testing.T) {
	a, err := ParseAbilities([]byte(`{"commands":[
		{"name":"fixit","description":"Fix an\nissue (project)","argumentHint":"issue"},{"name":"__internal"},{"name":""},{"name":"fixit"},
		{"name":"compact","builtin":true,"aliases":["shrink"]}],
		"agents":[{"name":"fixit"},{"name":"Explore","description":"Looks","model":"haiku"}],"models":[1,{"value":"default","resolvedModel":"x"},{"value":"opus"},{"value":"opus"},{"value":""},{"value":"big-1[1m]"}]}`))
	want := messages.Abilities{
		Commands: []messages.AgentCommand{{Name: "fixit", Description: "Fix an issue (project)", Arguments: "issue"}, {Name: "compact"}},
		Agents:   []messages.AgentType{{Name: "fixit"}, {Name: "Explore", Description: "Looks"}},
		Models:   []string{"opus", "big-1[1m]"},
	}
	if err != nil || !reflect.DeepEqual(a, want) {
		t.Errorf("%+v %v", a, err)
	}
	for _, bad := range []string{"", "7", `{"commands":7}`, `{"commands":[7]}`} {
		if _, err := ParseAbilities([]byte(bad)); err == nil {
			t.Errorf("%q is understood", bad)
		}
	}
}

// TestAbilitiesAreBounded: a bounded part of an agent's report about itself is stored.
func TestAbilitiesAreBounded(t *testing.T) {
	whole(t)
	var commands []string
	for n := range 3000 {
		commands = append(commands, fmt.Sprintf(`{"name":"%s%d","description":"%s"}`, strings.Repeat("n", 300), n, strings.Repeat("d", 5000)))
	}
	a, err := ParseAbilities([]byte(`{"commands":[{"name":"a","description":"` + strings.Repeat("d", 5000) + `"},` + strings.Join(commands, ",") + `]}`))
	if err != nil || len(a.Commands) > maxAbilities || len(a.Commands[0].Description) > maxAbility+3 || len(a.Commands[1].Name) > maxKey {
		t.Errorf("%d commands, %v", len(a.Commands), err)
	}
}

func FuzzParseAbilities(f *testing.F) {
	f.Add([]byte(`{"commands":[{"name":"a","description":"b","argumentHint":"c"}],"agents":[{"name":"d"}]}`))
	f.Add([]byte(`{"commands":null,"agents":{}}`))
	f.Add([]byte(`{"commands":[{"name":"__x"},{"name":"a"},{"name":"a"}],"models":[{"value":"default"},{"value":"opus"},1,null]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := ParseAbilities(raw)
		if err == nil && len(a.Commands)+len(a.Agents)+len(a.Models) > 3*maxAbilities {
			t.Error("too much")
		}
	})
}
