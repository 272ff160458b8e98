package queries

import (
	"strings"
	"testing"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/rules"
	"betcode/messages"
)

// What an agent decides before it asks follows from its rules, then from its mode.
func TestExplainAgent(t *testing.T) {
	handed := messages.AgentRules{Running: true, Mode: "default", Ask: []string{"Edit(//**/.git)", "Read(secret.txt)"}, Deny: []string{"Bash(rm *)"}}
	in := func(mode string) messages.AgentRules { a := handed; a.Mode = mode; return a }
	own := func(texts ...string) messages.RuleLists { return messages.RuleLists{Allow: texts} }
	for name, c := range map[string]struct {
		agent messages.AgentRules
		own   messages.RuleLists
		call  [2]string
		want  string
	}{
		"handed deny":               {in(claude.BypassMode), own("Bash"), [2]string{"Bash", "rm x"}, "deny: it was handed deny Bash(rm *)"},
		"own deny":                  {in(claude.BypassMode), messages.RuleLists{Deny: []string{"Bash(ls *)"}}, [2]string{"Bash", "ls -l"}, "deny: its own rule"},
		"handed ask":                {in(claude.BypassMode), own("Read"), [2]string{"Read", "secret.txt"}, "ask: it was handed"},
		"own ask":                   {in(claude.BypassMode), messages.RuleLists{Ask: []string{"Bash(ls *)"}}, [2]string{"Bash", "ls -l"}, "ask: its own rule"},
		"bypass":                    {in(claude.BypassMode), own(), [2]string{"Bash", "ls"}, "allow: it asks about nothing"},
		"own allow":                 {handed, own("Bash(make *)"), [2]string{"Bash", "make all"}, "allow: its own rule"},
		"edits accepted":            {in("acceptEdits"), own(), [2]string{"Edit", "/p/x"}, "allow: it changes files"},
		"edits accepted, elsewhere": {in("acceptEdits"), own(), [2]string{"Edit", "/q/x"}, "ask: neither"},
		"edits accepted, a prefix":  {in("acceptEdits"), own(), [2]string{"Edit", "/p/../pq/x"}, "ask: neither"},
		"an edit":                   {handed, own(), [2]string{"Edit", "x"}, "ask: neither"},
		"reading":                   {handed, own(), [2]string{"Read", "x"}, "allow: it reads"},
		"reading elsewhere":         {handed, own(), [2]string{"Read", "/etc/passwd"}, "ask: neither"},
		"dontAsk":                   {in("dontAsk"), own(), [2]string{"Bash", "make"}, "deny: it refuses"},
		"plan":                      {in("plan"), own(), [2]string{"Write", "x"}, "ask: it changes nothing"},
		"a command":                 {handed, own(), [2]string{"Bash", "make"}, "ask: it asks, unless"},
	} {
		t.Run(name, func(t *testing.T) {
			call := rules.Call{Tool: c.call[0], Input: rules.InputOf(c.call[0], c.call[1]), Place: rules.Place{Directory: "/p", Home: "/home/u"}}
			set, _ := rules.New(rulesOf("own", c.own)...)
			got := explainAgent(messages.SessionView{Agent: c.agent}, call, set)
			if text := got.Effect + ": " + got.Why; !strings.HasPrefix(text, c.want) {
				t.Errorf("%s", text)
			}
		})
	}
}

// Grants decide what no rule does.
func TestExplainGrants(t *testing.T) {
	r := messages.SessionRecord{Grants: map[string]bool{"Bash": true, "Edit": false}}
	for _, c := range []struct {
		tool  string
		ruled rules.Effect
		may   bool
		want  string
	}{
		{"Bash", rules.None, true, "allow"},
		{"Bash", rules.None, false, "none"},
		{"Bash", rules.Ask, true, "ask"},
		{"Bash", rules.Deny, true, "deny"},
		{"Edit", rules.Allow, true, "deny"},
		{"Read", rules.None, true, "none"},
	} {
		e := messages.PermissionExplained{Effect: c.ruled.String()}
		if granted(&e, r, c.ruled, c.tool, c.may); e.Effect != c.want {
			t.Errorf("%+v: %s", c, e.Effect)
		}
	}
}

func TestExplainRulesLater(t *testing.T) {
	lacks := messages.AgentRules{Running: true, Missing: []string{"ask Read(a)"}}
	for _, c := range []struct {
		version string
		agent   messages.AgentRules
		says    bool
	}{
		{"2.1.20", lacks, true},
		{"2.1.20", messages.AgentRules{Running: true}, false},
		{"2.1.119", lacks, false},
		{"", lacks, false},
	} {
		note := rulesLater(messages.SessionView{Record: messages.SessionRecord{AgentVersion: c.version}, Agent: c.agent})
		if strings.Contains(note, c.version+" takes rules only when it is started") != c.says || (note != "") != c.says {
			t.Errorf("%s, missing %q: %q", c.version, c.agent.Missing, note)
		}
	}
}
