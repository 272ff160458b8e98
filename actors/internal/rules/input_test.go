package rules

import "testing"

// TestKeys checks that the members of an input are read as they are spelled.
func TestKeys(t *testing.T) {
	for _, c := range []struct {
		rule, tool, input string
		allow             bool
		deny              Effect
	}{
		{"Bash(git *)", "Bash", `{"command":"git x","timeout":5,"run_in_background":true,"description":"y"}`, true, Deny},
		{"Bash(git *)", "Bash", `{"Command":"git x"}`, false, Ask},
		{"Bash(git *)", "Bash", `{"command":"ls","Command":"git x"}`, false, Ask},
		{"Bash(git *)", "Bash", `{"command":"ls","command":"git x"}`, false, Deny},
		{"Bash(git *)", "Bash", `{"command":"git x","comm\u0061nd":"ls"}`, false, Ask},
		{"Bash(git *)", "Bash", `{"command":"git x","dangerouslyDisableSandbox":true}`, false, Deny},
		{"Bash(git *)", "Bash", `{"command":"git x","dangerouslyDisableSandbox":"true"}`, false, Deny},
		{"Bash(git *)", "Bash", `{"command":"git x","dangerouslyDisableSandbox":false}`, true, Deny},
		{"Bash(git *)", "Bash", `{"command":"git x","_simulatedSedEdit":{}}`, false, Deny},
		{"Bash(git *)", "Bash", `{"command":["git x"]}`, false, Ask},
		{"Bash(git *)", "Bash", `{"command":null}`, false, Ask},
		{"Bash(git *)", "Bash", `[]`, false, Ask},
		{"Bash(git *)", "Bash", `{"command":"git x"} {}`, false, Deny},
		{"Read(src/**)", "Read", `{"file_path":"src/x","offset":1}`, true, Deny},
		{"Read(src/**)", "Read", `{"FILE_PATH":"src/x"}`, false, Ask},
		{"Read(src/**)", "Read", `{"path":"src/x"}`, false, Ask},
		{"Read(src/**)", "Grep", `{"pattern":"x","path":"src"}`, true, Deny},
		{"Read(src/**)", "Grep", `{"pattern":"x","Path":"/"}`, false, Ask},
		{"Edit(src/**)", "NotebookEdit", `{"notebook_path":"src/x","new_source":""}`, true, Deny},
		{"Edit(src/**)", "NotebookEdit", `{"file_path":"src/x","new_source":""}`, false, Ask},
		{"Edit(src/**)", "MultiEdit", `{"file_path":"src/x","edits":[]}`, true, Deny},
		{"Edit(src/**)", "Write", `{"file_path":"src/x","content":"","notebook_path":"/y"}`, false, Deny},
		{"WebFetch(domain:x.org)", "WebFetch", `{"url":"https://x.org","prompt":""}`, true, Deny},
		{"WebFetch(domain:x.org)", "WebFetch", `{"URL":"https://x.org","prompt":""}`, false, Ask},
		{"Agent(Explore)", "Task", `{"subagent_type":"Explore","prompt":"","description":""}`, true, Deny},
		{"Agent(Explore)", "Agent", `{"subagent_type":"Explore","mode":"bypassPermissions"}`, false, Deny},
		{"Agent(Explore)", "Agent", `{"prompt":""}`, false, Ask},
		{"Agent(Explore)", "Agent", `{"subagent_type":"explore"}`, false, Ask},
		{"Skill(deploy)", "Skill", `{"skill":"/deploy"}`, false, Ask},
		{"Skill(deploy *)", "Skill", `{"skill":"deploy","args":"x"}`, false, Deny},
		{"mcp__a__b", "mcp__a__b", `{"Anything":1,"anything":2}`, true, Deny},
	} {
		call := Call{Tool: c.tool, Input: []byte(c.input), Place: here}
		if got := mustSet(t, Allow, c.rule).Decide(call); (got.Effect == Allow) != c.allow {
			t.Errorf("allow %s: %s %s: %v (%s)", c.rule, c.tool, c.input, got.Effect, got.Why)
		}
		if got := mustSet(t, Deny, c.rule).Decide(call); got.Effect != c.deny {
			t.Errorf("deny %s: %s %s: %v (%s)", c.rule, c.tool, c.input, got.Effect, got.Why)
		}
	}
}

// TestAddresses compares URLs that two readers may read differently with a domain.
func TestAddresses(t *testing.T) {
	for url, want := range map[string]Effect{
		"https://bad.org/x": Deny, "HTTPS://BAD.ORG:8443/": Deny, "https://bad.org./": Deny, "https://a.bad.org?x": Deny, "https://good.org/bad.org": None, "https://good.org:80/x?y=é#z": None,
		"https://bad.org\\@good.org/": Ask, "https://good.org\\@bad.org/": Ask, "https://bad.org@good.org/": Ask, "https://good.org@bad.org/": Deny, "https:\\\\bad.org": Ask, "https:/bad.org": Ask,
		"https:bad.org": Ask, "//bad.org": Ask, "bad.org": Ask, "https://b\tad.org": Ask, "\thttps://bad.org": Ask, "https://bad.org\n": Ask, "https://b\u0430d.org": Ask, "https://b%61d.org": Ask,
		"https://bad\u3002org": Ask, "https://xn--bd-6kc.org": Ask, "https://2130706433/": Ask, "https://127.1/": Ask, "https://0x7f.0.0.1/": Ask, "https://127.0.0.1/": None, "https://[::1]/": Ask,
		"https://good.org:/": Ask, "https://good..org/": Ask, "ftp://bad.org": Ask, "": Ask, "https://good.org/\\x": Ask, "https:///bad.org": Ask, "https://good.org:443@bad.org/": Deny,
	} {
		if got := mustSet(t, Deny, "WebFetch(domain:bad.org)").Decide(callOf("WebFetch", "url", url)); got.Effect != want {
			t.Errorf("%q: %v, want %v (%s)", url, got.Effect, want, got.Why)
		}
		if got := mustSet(t, Allow, "WebFetch(domain:bad.org)").Decide(callOf("WebFetch", "url", url)); got.Effect == Allow && want != Deny {
			t.Errorf("%q is allowed (%s)", url, got.Why)
		}
	}
}
