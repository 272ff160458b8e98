package rules

import "testing"

// TestToolNames compares spellings of tools with the names in calls. Claude Code 2.1.330 makes
// mcp__srv__evil__do of the tool "evil__do" of "srv" and of "do" of "srv__evil".
func TestToolNames(t *testing.T) {
	for _, c := range []struct {
		rule, tool string
		allow      bool
		deny       Effect
	}{
		{"mcp__srv", "mcp__srv__do", true, Deny},
		{"mcp__srv__*", "mcp__srv__do", true, Deny},
		{"mcp__srv__do", "mcp__srv__do", true, Deny},
		{"mcp__srv__d*", "mcp__srv__do", true, Deny},
		{"mcp__srv__evil__do", "mcp__srv__evil__do", true, Deny}, // its whole name

		{"mcp__srv", "mcp__srv__evil__do", false, Deny}, // perhaps of srv__evil
		{"mcp__srv__*", "mcp__srv__evil__do", false, Deny},
		{"mcp__srv__e*", "mcp__srv__evil__do", false, Deny},
		{"mcp__srv__evil", "mcp__srv__evil__do", false, Ask},
		{"mcp__srv", "mcp__srv___do", false, Deny}, // perhaps of srv_
		{"mcp__srv_", "mcp__srv__do", false, Ask},
		{"mcp__srv", "mcp__srv__x__", false, Deny},
		{"mcp__srv", "mcp__srv__", false, Deny},
		{"mcp__srv", "mcp__srv", false, Ask},
		{"mcp__srv", "mcp__srv2__do", false, None},
		{"mcp__srv", "mcp__srv_2__do", false, None},
		{"mcp__srv", "mcp_srv__do", false, None},

		{"mcp__srv", "mcp__Srv__do", false, Ask}, // in another case
		{"MCP__srv", "mcp__srv__do", false, Ask},
		{"mcp__my.srv", "mcp__my_srv__do", false, Ask}, // as the server is called
		{"mcp__my.srv__do", "mcp__my_srv__do", false, Ask},
		{"mcp__my srv", "mcp__my_srv__do", false, Ask},
		{"mcp__my srv__a b", "mcp__my_srv__a_b", false, Ask},
		{"mcp__s\u00f6rv", "mcp__s_rv__do", false, Ask},
		{"mcp__srv__a/b", "mcp__srv__a_b", false, Ask},

		{"Bash", "Bash", true, Deny},
		{"Bash", "bash", false, Ask},
		{"bash", "Bash", false, Ask},
		{"bash(rm *)", "Bash", false, Ask},
		{"Bash", "Bash ", false, Ask},
		{"Bash", "BashOutput", false, None},
		{"Edit", "MultiEdit", false, None},
		{"Edit(./**)", "multiedit", false, None},
		{"NotebookEdit", "notebook_edit", false, None},
		{"Task", "Agent", true, Deny},
		{"Agent", "Task", true, Deny},
		{"KillShell", "TaskStop", false, Ask},
		{"TaskStop", "KillBash", false, Ask},
		{"BashOutput", "TaskOutput", false, Ask},
		{"ListPeers", "ListAgents", false, Ask},
		{"SendUserMessage", "Brief", false, Ask},
		{"ListMcpResources", "ListMcpResourcesTool", false, Ask},
		{"ReadMcpResourceTool", "ReadMcpResource", false, Ask},
		{"ReadMcpResourceDir", "ReadMcpResourceDirTool", false, Ask},
		{"ReadMcpResource", "ReadMcpResourceDirTool", false, None},
		{"ProposeGoal", "SetGoal", false, Ask},
		{"Read", "\u0280ead", false, None},
	} {
		call := Call{Tool: c.tool, Input: []byte(`{"command":"x"}`), Place: here}
		allow, _ := New(Rule{Effect: Allow, Text: c.rule}) // some are refused
		if got := allow.Decide(call); (got.Effect == Allow) != c.allow {
			t.Errorf("allow %s: %q: %v (%s)", c.rule, c.tool, got.Effect, got.Why)
		}
		if got := mustDeny(t, c.rule).Decide(call); got.Effect != c.deny {
			t.Errorf("deny %s: %q: %v (%s)", c.rule, c.tool, got.Effect, got.Why)
		}
	}
}

// mustDeny is a deny rule, also one with an argument that only the agent understands.
func mustDeny(t *testing.T, text string) *Set {
	t.Helper()
	set, _ := New(Rule{Effect: Deny, Text: text})
	if set.Len() != 1 {
		t.Fatalf("deny %s is refused", text)
	}
	return set
}
