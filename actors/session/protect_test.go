package session

import (
	"testing"

	"betcode/actors/internal/protect"
	"betcode/actors/internal/rules"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// protecting is ruled with the built-in list.
func protecting(t *testing.T, texts map[rules.Effect][]string) *bench {
	t.Helper()
	b := ruled(t, texts)
	b.state.options.Protected = protect.New(protect.Places{Home: "/home/u"}, protect.Places{})
	b.given()
	return b
}

// What the list has is asked about whatever a rule or a grant prompts.Allows, and still denied
// where something forbids it.
func TestProtectedIsAskedAbout(t *testing.T) {
	for name, c := range map[string]struct {
		texts map[rules.Effect][]string
		grant map[string]bool
		want  []string
	}{
		"allow rule": {map[rules.Effect][]string{rules.Allow: {"Edit"}}, nil, []string{"all: 6 request p1, 7 WAITING_FOR_USER", "wait for p1"}},
		"grant":      {nil, map[string]bool{"Edit": true}, []string{"all: 6 request p1, 7 WAITING_FOR_USER", "wait for p1"}},
		"deny rule":  {map[rules.Effect][]string{rules.Deny: {"Edit"}}, nil, []string{"run 1: answer p1 deny (A rule forbids this call: deny Edit (settings.json))"}},
		"forbidden":  {nil, map[string]bool{"Edit": false}, []string{"run 1: answer p1 deny (The user has forbidden the tool Edit for this session.)"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := protecting(t, c.texts)
			b.state.record.Grants = c.grant
			b.on(b.out(asksFor("p1", "Edit", ".mcp.json")), "look around for p1")
			b.on(lookedAround{request: "p1", directory: &rules.Set{}, protected: "/p/.mcp.json says which servers agents start"}, c.want...)
			if p := b.state.prompts.Get("p1"); prompts.Undecided(p) && p.Reason == "" {
				t.Errorf("no reason: %+v", p)
			}
		})
	}
}

// A person who allows a tool for the session has allowed what is not on the list.
func TestGrantDoesNotCoverTheList(t *testing.T) {
	b := protecting(t, nil)
	b.state.record.Grants = map[string]bool{"Bash": true}
	b.on(b.out(asksFor("p1", "Bash", "ls")), "look around for p1")
	b.on(lookedAround{request: "p1", directory: &rules.Set{}}, "run 1: answer p1 allow")
}

// What the agent insists on is asked about: its user's own rule is no rule of ours.
func TestAgentInsists(t *testing.T) {
	b := ruled(t, map[rules.Effect][]string{rules.Allow: {"Bash"}})
	b.state.record.Grants = map[string]bool{"Bash": true}
	asked := asksFor("p1", "Bash", "ls")
	asked.Insists = "an ask rule of its own"
	b.on(b.out(asked), "all: 6 request p1, 7 WAITING_FOR_USER", "wait for p1")
	if p := b.state.prompts.Get("p1"); p.Reason != asked.Insists || p.Decision != messages.Undecided {
		t.Errorf("%+v", p)
	}
}
