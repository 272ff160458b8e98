package queries

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"betcode/actors/internal/encode"
	"betcode/actors/settings"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

var userRules = settings.Rules{Allow: []string{"Bash(ls *)"}, Deny: []string{"Bash(rm *)"}, Source: "settings.json"}

// Rules are listed in the order in which they count, those of the session last.
func TestListRules(t *testing.T) {
	s := &store{}
	s.add(messages.SessionRecord{ID: "a", AllowedTools: []string{"Read"}, Grants: map[string]bool{"Edit": false, "Bash": true}})
	rules := userRules
	rules.Allow = append(slices.Clone(rules.Allow), "Bash(")
	list := answer[messages.RuleList](t, over(t, s, rules), messages.ListRules{Session: "a"}).Rules
	var got []string
	for _, r := range list {
		got = append(got, fmt.Sprintf("%s %s (%s) %t", r.Effect, r.Text, r.Source, r.Problem != ""))
	}
	want := []string{
		"deny Bash(rm *) (settings.json) false", "deny Edit (session) false",
		"allow Bash(ls *) (settings.json) false", "allow Bash( (settings.json) true", "allow Read (session) false", "allow Bash (session) false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// What is decided about a call follows from the user's rules and the built-in list, and from the grants of a session.
func TestExplain(t *testing.T) {
	q := over(t, &store{}, userRules)
	q.deps.View = func(_ context.Context, m messages.GetSession) (messages.SessionView, error) {
		if m.Session != "a" || !m.AgentRules {
			return messages.SessionView{}, messages.Errorf("get session", messages.NotFound, "%+v", m)
		}
		return messages.SessionView{Record: messages.SessionRecord{ID: "a", Grants: map[string]bool{"Edit": true}}}, nil
	}
	for name, c := range map[string]struct {
		m    messages.ExplainPermission
		want string
	}{
		"allowed":               {messages.ExplainPermission{Tool: "Bash", Argument: "ls -l"}, "allow"},
		"denied":                {messages.ExplainPermission{Tool: "Bash", Argument: "rm x"}, "deny"},
		"no rule":               {messages.ExplainPermission{Tool: "Edit", Argument: "/p/x"}, "none"},
		"granted":               {messages.ExplainPermission{Session: "a", Tool: "Edit", Argument: "/p/x"}, "allow"},
		"granted and protected": {messages.ExplainPermission{Session: "a", Tool: "Edit", Argument: "/home/u/.bashrc"}, "ask"},
	} {
		c.m.WorkingDirectory = "/p"
		if got := answer[messages.PermissionExplained](t, q, c.m); got.Effect != c.want || got.Known != 2 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if kind := refused(t, q, messages.ExplainPermission{}); kind != messages.Invalid {
		t.Errorf("no tool: %s", kind)
	}
	if kind := refused(t, q, messages.ExplainPermission{Session: "b", Tool: "Edit"}); kind != messages.NotFound {
		t.Errorf("no session: %s", kind)
	}
}

// Rules are tested on the calls of a session: the present ones, or those of the request.
func TestRulesOnAHistory(t *testing.T) {
	s := &store{}
	s.add(messages.SessionRecord{ID: "a", WorkingDirectory: "/p", Head: 2})
	for n, command := range []string{"ls -l", "rm x"} {
		input, err := structpb.NewStruct(map[string]any{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		s.events["a"] = append(s.events["a"], encode.Event(&pb.AgentEvent{Event: &pb.AgentEvent_ToolCallStart{
			ToolCallStart: &pb.ToolCallStart{ToolId: command, ToolName: "Bash", Input: input},
		}}, "a", messages.Seq(n+1), dawn))
	}
	q := over(t, s, userRules)
	for _, c := range []struct {
		rules *messages.RuleLists
		want  []string
	}{
		{nil, []string{"allow", "deny"}},
		{&messages.RuleLists{Ask: []string{"Bash"}}, []string{"ask", "ask"}},
	} {
		var effects []string
		tested := answer[messages.RulesTested](t, q, messages.TestRules{Session: "a", Rules: c.rules, Found: func(call messages.TestedCall) error {
			effects = append(effects, call.Effect)
			return nil
		}})
		if !slices.Equal(effects, c.want) || tested.Calls != 2 {
			t.Errorf("%d calls: %q", tested.Calls, effects)
		}
	}
}
